package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.PlatformFault;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.ec2.model.BlockDeviceMapping;
import software.amazon.awssdk.services.ec2.model.CapacityReservation;
import software.amazon.awssdk.services.ec2.model.EbsBlockDevice;
import software.amazon.awssdk.services.ec2.model.InstanceNetworkInterfaceSpecification;
import software.amazon.awssdk.services.ec2.model.MarketType;
import software.amazon.awssdk.services.ec2.model.Placement;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.RunInstancesRequest;

/**
 * Makes the launch into a block. A block wants both its id as target and the market type {@code capacity-block}; the client
 * token is the claim key's, so that the launch sent twice is one launch.
 */
final class LaunchRequest {
    private LaunchRequest() {}

    static RunInstancesRequest of(AccountSettings settings, CapacityReservation block, ClaimRequest request) {
        MachineSpec machine = request.machine();
        RunInstancesRequest.Builder launch = RunInstancesRequest.builder()
                .clientToken(request.key().token().toString())
                .imageId(image(settings, machine))
                .instanceType(block.instanceType())
                .minCount(request.nodes())
                .maxCount(request.nodes())
                .userData(UserData.of(machine))
                .keyName(settings.options().get("keyName"))
                .instanceMarketOptions(market -> market.marketType(MarketType.CAPACITY_BLOCK))
                .capacityReservationSpecification(target ->
                        target.capacityReservationTarget(id -> id.capacityReservationId(block.capacityReservationId())))
                .tagSpecifications(
                        AwsClient.tags(ResourceType.INSTANCE, request.installation(), request.key()),
                        AwsClient.tags(ResourceType.VOLUME, request.installation(), request.key()),
                        AwsClient.tags(ResourceType.NETWORK_INTERFACE, request.installation(), request.key()));
        network(launch, settings, block.availabilityZone(), machine.publicIp());
        if (machine.dataDiskGb() > 0) {
            launch.blockDeviceMappings(dataDisk(machine.dataDiskGb(), settings.option("dataDiskType", "gp3")));
        }
        return launch.build();
    }

    /**
     * Asked before a block is bought, which nobody takes back.
     *
     * @throws PlatformFault if no machine could be launched with this
     */
    static void check(AccountSettings settings, MachineSpec machine) {
        image(settings, machine);
        UserData.of(machine);
    }

    static String image(AccountSettings settings, MachineSpec machine) {
        String named = machine.image();
        if (named != null) {
            return named;
        }
        return machine.frameworks().stream()
                .map(framework -> settings.options().get("image." + framework))
                .filter(found -> found != null && !found.isBlank())
                .findFirst()
                .orElseGet(() -> {
                    String image = settings.options().get("image");
                    if (image == null || image.isBlank()) {
                        throw new PlatformFault(
                                PlatformFault.Kind.BAD_REQUEST,
                                "account " + settings.id() + " has no option 'image': set it to an AMI of the region");
                    }
                    return image;
                });
    }

    private static void network(
            RunInstancesRequest.Builder launch, AccountSettings settings, @Nullable String zone, boolean publicIp) {
        String anySubnet = settings.options().get("subnet");
        String subnet = zone == null
                ? anySubnet
                : settings.options().getOrDefault("subnet." + zone, anySubnet == null ? "" : anySubnet);
        boolean named = subnet != null && !subnet.isBlank();
        List<String> groups = Arrays.stream(
                        settings.option("securityGroups", "").split(","))
                .map(String::strip)
                .filter(group -> !group.isEmpty())
                .toList();
        if (!named && zone != null) {
            launch.placement(Placement.builder().availabilityZone(zone).build());
        }
        if (publicIp) {
            InstanceNetworkInterfaceSpecification.Builder card = InstanceNetworkInterfaceSpecification.builder()
                    .deviceIndex(0)
                    .associatePublicIpAddress(true)
                    .deleteOnTermination(true);
            if (named) {
                card.subnetId(subnet);
            }
            if (!groups.isEmpty()) {
                card.groups(groups);
            }
            launch.networkInterfaces(card.build());
            return;
        }
        if (named) {
            launch.subnetId(subnet);
        }
        if (!groups.isEmpty()) {
            launch.securityGroupIds(groups);
        }
    }

    /** Goes with its machine. */
    private static BlockDeviceMapping dataDisk(int gb, String type) {
        return BlockDeviceMapping.builder()
                .deviceName("/dev/sdf")
                .ebs(EbsBlockDevice.builder()
                        .volumeSize(gb)
                        .volumeType(type)
                        .deleteOnTermination(true)
                        .build())
                .build();
    }
}
