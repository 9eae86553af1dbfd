package dev.gpubroker.adapter.huawei;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import java.util.List;

/**
 * Makes adapters of Huawei Cloud. Options of an account:
 *
 * <ul>
 *   <li>{@code service}: {@code all} (default), {@code ecs} or {@code modelarts}: which of the two it uses. With {@code ecs} alone
 *       every machine has a timed end.
 *   <li>{@code projectId.<region>}: the project of a region, where it is not the one of the credentials.
 *   <li>ECS: {@code imageId}, {@code image.<framework>}, {@code vpcId}, {@code subnetId}, {@code securityGroupId}, {@code keyName},
 *       {@code rootDiskType} (SSD), {@code rootDiskGb} (100), {@code sshUser} (root), {@code sshPort} (22).
 *   <li>ModelArts: {@code networkName}, as the network's {@code metadata.name}.
 * </ul>
 */
public final class HuaweiAdapterFactory implements AdapterFactory {
    @Override
    public String platform() {
        return HuaweiShapes.PLATFORM;
    }

    @Override
    public List<String> credentialNames() {
        return List.of("projectId", "domainId", "accessKey", "secretKey");
    }

    @Override
    public List<String> defaultRegions() {
        return List.of("cn-north-4");
    }

    @Override
    public PlatformAdapter create(AccountSettings settings) {
        credentialNames().forEach(settings::credential);
        settings.sshPort(); // Refused now, not when the first machine runs.
        HuaweiServices services = HuaweiServices.of(settings.option("service", "all"), settings.id());
        return services == HuaweiServices.ECS
                ? new HuaweiServerAdapter(settings)
                : new HuaweiAdapter(settings, services);
    }
}
