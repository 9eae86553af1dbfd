package dev.gpubroker.adapter.aliyun;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Tags;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parameters of the calls; names as in the ECS API of 2014-05-26. Pure. */
final class AliyunRequests {
    /** {@code AutoReleaseTime} must lie at least 30 minutes ahead (ECS API reference, {@code RunInstances}). */
    private static final Duration SOONEST_RELEASE = Duration.ofMinutes(31);

    private static final DateTimeFormatter UTC_MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm':00Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private AliyunRequests() {}

    /** All instance types of all zones in one answer, as pay-as-you-go and on the disk that we put under them. */
    static Map<String, String> stock(String region, List<Ask> asks, AliyunOptions options) {
        Map<String, String> query = new LinkedHashMap<>();
        query.put("RegionId", region);
        query.put("DestinationResource", "InstanceType");
        query.put("ResourceType", "instance");
        query.put("InstanceChargeType", "PostPaid");
        query.put("IoOptimized", "optimized");
        query.put("SystemDiskCategory", options.systemDiskCategory());
        List<String> skus = asks.stream()
                .flatMap(ask -> AliyunCatalogue.of(ask.flavor()).stream())
                .map(shape -> shape.sku())
                .distinct()
                .toList();
        if (skus.size()
                == 1) { // The answer for a whole region is long: the platform narrows it to one type or to none.
            query.put("InstanceType", skus.get(0));
        }
        return query;
    }

    /** One machine for one hour. */
    static Map<String, String> price(PriceQuery price, AliyunOptions options) {
        Map<String, String> query = new LinkedHashMap<>();
        query.put("RegionId", price.offer().region());
        query.put("ResourceType", "instance");
        query.put("InstanceType", price.offer().sku());
        query.put("PriceUnit", "Hour");
        query.put("Period", "1");
        query.put("Amount", "1");
        putIfKnown(query, "ZoneId", price.offer().zone());
        putIfKnown(query, "ImageId", image(price.machine(), price.offer().region(), options));
        putHardware(query, price.machine(), options);
        return query;
    }

    /**
     * The same claim sent twice is the same request to the letter, which its token needs; only a timed end less than half an
     * hour away moves with {@code now}.
     */
    static Map<String, String> claim(ClaimRequest claim, AliyunOptions options, Instant now) {
        Map<String, String> query = new LinkedHashMap<>();
        query.put("RegionId", claim.offer().region());
        query.put("InstanceType", claim.offer().sku());
        query.put("InstanceChargeType", "PostPaid");
        query.put("Amount", String.valueOf(claim.nodes()));
        query.put("MinAmount", String.valueOf(claim.nodes())); // All or none.
        query.put("ClientToken", claim.key().token().toString());
        query.put("InstanceName", name(claim.key().text()));
        putIfKnown(query, "ZoneId", claim.offer().zone());
        String zone = claim.offer().zone();
        putIfKnown(query, "VSwitchId", zone == null ? null : options.vSwitchId(zone));
        putIfKnown(
                query, "SecurityGroupId", options.securityGroupId(claim.offer().region()));
        putIfKnown(query, "ImageId", image(claim.machine(), claim.offer().region(), options));
        putIfKnown(query, "KeyPairName", options.keyPairName());
        putIfKnown(query, "UserData", AliyunUserData.of(claim.machine()));
        putHardware(query, claim.machine(), options);
        Instant timedEnd = claim.timedEnd();
        if (timedEnd != null) {
            query.put("AutoReleaseTime", releaseTime(timedEnd, now));
        }
        query.put("Tag.1.Key", Tags.INSTALLATION);
        query.put("Tag.1.Value", claim.installation());
        query.put("Tag.2.Key", Tags.CLAIM);
        query.put("Tag.2.Value", claim.key().text());
        return query;
    }

    private static void putHardware(Map<String, String> query, MachineSpec machine, AliyunOptions options) {
        query.put("SystemDisk.Category", options.systemDiskCategory());
        query.put("SystemDisk.Size", String.valueOf(options.systemDiskGb()));
        if (machine.dataDiskGb() > 0) {
            query.put("DataDisk.1.Category", options.dataDiskCategory());
            query.put("DataDisk.1.Size", String.valueOf(machine.dataDiskGb()));
            if (query.containsKey("ClientToken")) { // A disk that outlived its machine would go on costing.
                query.put("DataDisk.1.DeleteWithInstance", "true");
            }
        }
        if (machine.publicIp()) {
            query.put("InternetChargeType", options.internetChargeType());
            query.put("InternetMaxBandwidthOut", String.valueOf(options.internetMaxBandwidthOut()));
        }
    }

    /** The booking's image, else one that holds the wanted framework, else the account's; null when there is none. */
    static @Nullable String image(MachineSpec machine, String region, AliyunOptions options) {
        if (machine.image() != null) {
            return machine.image();
        }
        return machine.frameworks().isEmpty()
                ? options.imageId(region)
                : machine.frameworks().stream()
                        .map(options::imageFor)
                        .filter(java.util.Objects::nonNull)
                        .findFirst()
                        .orElse(null);
    }

    /** 2 to 128 characters that begin with a letter. */
    private static String name(String key) {
        return Character.isLetter(key.charAt(0)) ? key : "gb-" + key;
    }

    /** To the minute, later rather than earlier: the platform cuts seconds off, and refuses what is too near. */
    static String releaseTime(Instant end, Instant now) {
        Instant soonest = now.plus(SOONEST_RELEASE);
        Instant wanted = end.isBefore(soonest) ? soonest : end;
        Instant minute = wanted.truncatedTo(ChronoUnit.MINUTES);
        return UTC_MINUTE.format(minute.equals(wanted) ? minute : minute.plus(1, ChronoUnit.MINUTES));
    }

    private static void putIfKnown(Map<String, String> query, String name, @Nullable String value) {
        if (value != null) {
            query.put(name, value);
        }
    }
}
