package dev.gpubroker.adapter.zhixingyun;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import java.util.List;
import java.util.Set;

/**
 * Makes adapters of 智星云.
 *
 * <p>Options: {@code image} (else the first Ubuntu image with CUDA that fits), {@code spec} (a size such as
 * {@code gcs.g8.large}, or its last part such as {@code large}; else the cheapest), {@code pay_type_first} ({@code power}, the
 * default, or {@code money}).
 */
public final class ZhixingyunAdapterFactory implements AdapterFactory {
    @Override
    public String platform() {
        return ZhixingyunMapping.PLATFORM;
    }

    @Override
    public List<String> credentialNames() {
        return List.of("access_key", "secret_key");
    }

    /** One region: the create call takes no district, so nobody can choose where in the platform a machine lands. */
    @Override
    public List<String> defaultRegions() {
        return List.of(ZhixingyunMapping.REGION);
    }

    @Override
    public PlatformAdapter create(AccountSettings settings) {
        if (!settings.regions().equals(defaultRegions())) {
            throw new IllegalArgumentException("account " + settings.id() + ": the only region is '"
                    + ZhixingyunMapping.REGION + "', because the platform lets nobody choose a district");
        }
        if (!Set.of("power", "money").contains(settings.option("pay_type_first", "power"))) {
            throw new IllegalArgumentException(
                    "account " + settings.id() + ": the option 'pay_type_first' is 'power' or 'money'");
        }
        return new ZhixingyunAdapter(settings, ZhixingyunClient.of(settings));
    }
}
