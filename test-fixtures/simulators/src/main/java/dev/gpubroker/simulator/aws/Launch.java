package dev.gpubroker.simulator.aws;

import dev.gpubroker.simulator.CloudInit;
import dev.gpubroker.simulator.SimInstance;
import java.time.Instant;
import java.util.Map;

/**
 * What {@code RunInstances} asks, as far as it matters to a block.
 *
 * @param target the block; never empty
 * @param zone asked by placement, "" for any
 */
record Launch(
        String image,
        String type,
        int least,
        int most,
        String target,
        String market,
        String subnet,
        String zone,
        boolean publicIp,
        int dataDiskGb,
        String userData,
        Map<String, String> tags) {
    static Launch read(QueryParams params) {
        String image = params.required("ImageId");
        String type = params.required("InstanceType");
        int least = params.number("MinCount", 1, 1000);
        int most = params.number("MaxCount", least, 1000);
        String target = params.text("CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId");
        if (target.isEmpty()) {
            throw new Ec2Error(
                    500,
                    "InsufficientInstanceCapacity",
                    "We currently do not have sufficient " + type
                            + " capacity in the Availability Zone you requested.");
        }
        String own = params.text("SubnetId");
        return new Launch(
                image,
                type,
                least,
                most,
                target,
                params.text("InstanceMarketOptions.MarketType"),
                own.isEmpty() ? params.text("NetworkInterface.1.SubnetId") : own,
                params.text("Placement.AvailabilityZone"),
                params.text("NetworkInterface.1.AssociatePublicIpAddress").equals("true"),
                params.text("BlockDeviceMapping.1.Ebs.VolumeSize").isEmpty()
                        ? 0
                        : params.number("BlockDeviceMapping.1.Ebs.VolumeSize", 1, 65_536),
                params.text("UserData"),
                params.tags("instance"));
    }

    /** What the machine finds of its order. */
    SimInstance noted(SimInstance row) {
        SimInstance noted = row.with("image", image)
                .with("dataDiskGb", String.valueOf(dataDiskGb))
                .with("publicIp", publicIp ? "127.0.0.1" : "");
        for (Map.Entry<String, String> found :
                CloudInit.ofBase64(userData).attributes().entrySet()) {
            noted = noted.with(found.getKey(), found.getValue());
        }
        return noted;
    }

    void check(Block block, Instant now) {
        if (!market.equals("capacity-block")) {
            throw new Ec2Error(
                    400,
                    "InvalidParameterValue",
                    "The market type (purchasing) option is not valid. Choose a different market type and try again");
        }
        if (!image.startsWith("ami-")) {
            throw new Ec2Error(400, "InvalidAMIID.Malformed", "Invalid id: \"" + image + "\" (expecting \"ami-...\")");
        }
        if (!type.equals(block.type())) {
            throw Ec2Error.invalid("InstanceType", type);
        }
        String subnetZone = subnet.isEmpty() ? zone : InstanceType.SUBNETS.get(subnet);
        if (subnetZone == null) {
            throw new Ec2Error(400, "InvalidSubnetID.NotFound", "The subnet ID '" + subnet + "' does not exist");
        }
        if (!subnetZone.isEmpty() && !subnetZone.equals(block.zone())) {
            throw new Ec2Error(
                    400,
                    "InvalidParameterValue",
                    "The capacity reservation is in " + block.zone() + ", not " + subnetZone);
        }
        switch (block.state(now)) {
            case "payment-pending":
            case "scheduled":
                throw new Ec2Error(
                        400,
                        "InvalidCapacityReservationState.PendingActivation",
                        "Your Capacity Block is not active yet.");
            case "active":
                if (now.isBefore(block.takenBackAt())) {
                    return;
                }
                break;
            default:
        }
        throw new Ec2Error(
                400,
                "ReservationCapacityExceeded",
                "The targeted Capacity Reservation has no capacity to launch into.");
    }

    Machine machine(String id, Block block, int slot, String token, String request, Instant now) {
        return new Machine(
                id,
                block.id(),
                slot,
                type,
                block.zone(),
                image,
                subnet,
                token,
                request,
                publicIp,
                tags,
                now,
                null,
                block.takenBackAt());
    }
}
