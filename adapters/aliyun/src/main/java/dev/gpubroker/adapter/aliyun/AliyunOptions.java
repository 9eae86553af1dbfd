package dev.gpubroker.adapter.aliyun;

import dev.gpubroker.adapter.spi.AccountSettings;
import java.util.Currency;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The account's options, by these names:
 *
 * <ul>
 *   <li>{@code imageId}, {@code imageId.<region>}: image of machines for which the booking names none
 *   <li>{@code imageFor.<framework>}: image that holds a framework, such as {@code imageFor.pytorch}
 *   <li>{@code securityGroupId}, {@code securityGroupId.<region>}
 *   <li>{@code vSwitchId.<zone>}: the subnet of each zone to buy in; once one is set, zones without one are left out
 *   <li>{@code keyPairName}: key pair put into every machine beside the booking's own keys
 *   <li>{@code loginUser}: default {@code root}; {@code sshPort}: default 22
 *   <li>{@code systemDiskCategory} (default {@code cloud_essd}), {@code systemDiskGb} (100), {@code dataDiskCategory}
 *       ({@code cloud_essd})
 *   <li>{@code internetChargeType} ({@code PayByTraffic} or {@code PayByBandwidth}), {@code internetMaxBandwidthOut} (Mbit/s,
 *       default 10): only for bookings that ask for a public address
 *   <li>{@code site}: {@code china} (default; CNY) or {@code international} (USD)
 *   <li>{@code ecsEndpoint.<region>}: host to call instead of {@code ecs.<region>.aliyuncs.com}
 * </ul>
 */
final class AliyunOptions {
    private static final Set<String> SITES = Set.of("china", "international");
    private static final Set<String> CHARGE_TYPES = Set.of("PayByTraffic", "PayByBandwidth");

    private final Map<String, String> options;
    private final boolean china;
    private final int systemDiskGb;
    private final int bandwidth;
    private final String internetChargeType;
    private final int sshPort;

    private AliyunOptions(Map<String, String> options, int sshPort) {
        this.options = options;
        this.sshPort = sshPort;
        this.china = oneOf("site", "china", SITES).equals("china");
        this.systemDiskGb = number("systemDiskGb", 100, 20, 2048);
        this.bandwidth = number("internetMaxBandwidthOut", 10, 1, 100);
        this.internetChargeType = oneOf("internetChargeType", "PayByTraffic", CHARGE_TYPES);
    }

    /** @throws IllegalArgumentException naming the option that cannot be used */
    static AliyunOptions of(AccountSettings settings) {
        return new AliyunOptions(settings.options(), settings.sshPort());
    }

    @Nullable
    String imageId(String region) {
        return regional("imageId", region);
    }

    @Nullable
    String imageFor(String framework) {
        return text("imageFor." + framework);
    }

    @Nullable
    String securityGroupId(String region) {
        return regional("securityGroupId", region);
    }

    @Nullable
    String vSwitchId(String zone) {
        return text("vSwitchId." + zone);
    }

    /** Whether the account says where its subnets are; an account that only observes need not. */
    boolean namesSubnets() {
        return options.keySet().stream().anyMatch(name -> name.startsWith("vSwitchId."));
    }

    @Nullable
    String keyPairName() {
        return text("keyPairName");
    }

    String loginUser() {
        return options.getOrDefault("loginUser", "root");
    }

    int sshPort() {
        return sshPort;
    }

    String systemDiskCategory() {
        return options.getOrDefault("systemDiskCategory", "cloud_essd");
    }

    int systemDiskGb() {
        return systemDiskGb;
    }

    String dataDiskCategory() {
        return options.getOrDefault("dataDiskCategory", "cloud_essd");
    }

    String internetChargeType() {
        return internetChargeType;
    }

    int internetMaxBandwidthOut() {
        return bandwidth;
    }

    Currency currency() {
        return Currency.getInstance(china ? "CNY" : "USD");
    }

    String ecsEndpoint(String region) {
        return options.getOrDefault("ecsEndpoint." + region, "ecs." + region + ".aliyuncs.com");
    }

    String bssEndpoint() {
        return china ? "business.aliyuncs.com" : "business.ap-southeast-1.aliyuncs.com";
    }

    private @Nullable String regional(String name, String region) {
        String here = text(name + "." + region);
        return here == null ? text(name) : here;
    }

    private @Nullable String text(String name) {
        String value = options.get(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    private String oneOf(String name, String otherwise, Set<String> allowed) {
        String value = options.getOrDefault(name, otherwise);
        if (!allowed.contains(value)) {
            throw new IllegalArgumentException("option '" + name + "' must be one of " + allowed + ": " + value);
        }
        return value;
    }

    private int number(String name, int otherwise, int least, int most) {
        String value = options.getOrDefault(name, String.valueOf(otherwise));
        if (value.matches("[0-9]{1,6}")) {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw new IllegalArgumentException("option '" + name + "' must be " + least + " to " + most + ": " + value);
    }
}
