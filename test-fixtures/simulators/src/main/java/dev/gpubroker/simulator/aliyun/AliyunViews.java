package dev.gpubroker.simulator.aliyun;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimSku;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;

/** The simulated state as the platform shows it; pure. */
final class AliyunViews {
    /** Times of machines are shown without seconds. */
    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    /** From how many machines on stock counts as enough. */
    private static final int ENOUGH = 10;
    /** A month costs as much as so many hours: 16676 to 34.74 in the price list of 2023. */
    private static final BigDecimal HOURS_PAID_PER_MONTH = BigDecimal.valueOf(480);
    /** Price of a GiB of system disk for an hour; invented, of the right size. */
    private static final BigDecimal DISK_GIB_HOUR = new BigDecimal("0.0014");

    private AliyunViews() {}

    static ObjectNode zones(List<String> zones, List<SimSku> skus, ToIntFunction<SimSku> free) {
        ArrayNode list = AliyunReplies.array();
        for (String zone : zones) {
            ArrayNode types = AliyunReplies.array();
            boolean any = false;
            for (SimSku sku : skus) {
                if (AliyunSkus.zone(sku).equals(zone)) {
                    int nodes = free.applyAsInt(sku);
                    any |= nodes > 0;
                    types.add(stock(AliyunReplies.object().put("Value", sku.sku()), nodes));
                }
            }
            if (!types.isEmpty()) {
                ObjectNode shown = AliyunReplies.object()
                        .put("RegionId", AliyunSkus.REGION)
                        .put("ZoneId", zone);
                stock(shown, any ? ENOUGH : 0);
                shown.putObject("AvailableResources")
                        .putArray("AvailableResource")
                        .addObject()
                        .put("Type", "InstanceType")
                        .putObject("SupportedResources")
                        .set("SupportedResource", types);
                list.add(shown);
            }
        }
        ObjectNode body = AliyunReplies.object();
        body.putObject("AvailableZones").set("AvailableZone", list);
        return body;
    }

    private static ObjectNode stock(ObjectNode resource, int nodes) {
        String category = nodes >= ENOUGH ? "WithStock" : nodes > 0 ? "ClosedWithStock" : "WithoutStock";
        return resource.put("Status", nodes > 0 ? "Available" : "SoldOut").put("StatusCategory", category);
    }

    /** @param diskGib 0 where no image is named: the system disk is then left out of the price */
    static ObjectNode price(BigDecimal hourly, int diskGib, int dataDiskGib, String unit, int period, int amount) {
        BigDecimal hours = switch (unit) {
            case "Month" -> HOURS_PAID_PER_MONTH;
            case "Year" -> HOURS_PAID_PER_MONTH.multiply(BigDecimal.TEN);
            default -> BigDecimal.ONE;
        };
        BigDecimal times = hours.multiply(BigDecimal.valueOf((long) period * amount));
        ArrayNode details = AliyunReplies.array();
        BigDecimal total = detail(details, "InstanceType", hourly.multiply(times));
        if (diskGib > 0) {
            total = total.add(detail(details, "SystemDisk", disk(diskGib).multiply(times)));
        }
        if (dataDiskGib > 0) {
            total = total.add(detail(details, "DataDisk", disk(dataDiskGib).multiply(times)));
        }
        detail(details, "bandwidth", BigDecimal.ZERO);
        ObjectNode body = AliyunReplies.object();
        ObjectNode info = body.putObject("PriceInfo");
        ObjectNode price = info.putObject("Price");
        amounts(price, total).put("Currency", "CNY").put("ReservedInstanceHourPrice", BigDecimal.ZERO);
        price.putObject("DetailInfos").set("DetailInfo", details);
        info.putObject("Rules").putArray("Rule");
        return body;
    }

    private static BigDecimal disk(int gib) {
        return DISK_GIB_HOUR.multiply(BigDecimal.valueOf(gib));
    }

    private static BigDecimal detail(ArrayNode details, String resource, BigDecimal amount) {
        details.add(amounts(AliyunReplies.object().put("Resource", resource), amount));
        return amount;
    }

    private static ObjectNode amounts(ObjectNode node, BigDecimal amount) {
        return node.put("OriginalPrice", amount)
                .put("DiscountPrice", BigDecimal.ZERO)
                .put("TradePrice", amount);
    }

    static ObjectNode instance(SimInstance machine) {
        ObjectNode shown = AliyunReplies.object()
                .put("InstanceId", machine.id())
                .put("InstanceName", machine.attribute("name"))
                .put("Status", machine.state())
                .put("InstanceType", machine.sku())
                .put("RegionId", AliyunSkus.REGION)
                .put("ZoneId", machine.attribute("zone"))
                .put("GPUAmount", machine.gpus())
                .put("GPUSpec", machine.model())
                .put("InstanceChargeType", "PostPaid")
                .put("CreationTime", MINUTE.format(machine.createdAt()))
                .put(
                        "StartTime",
                        minute(machine.attribute("startingAt"), machine.state().equals("Pending")))
                .put("ExpiredTime", "2099-12-31T15:59Z")
                .put("AutoReleaseTime", minute(machine.attribute("autoReleaseAt"), false))
                .put("StoppedMode", "Not-applicable")
                .put("Recyclable", false)
                .put("DeletionProtection", false);
        shown.putObject("OperationLocks").putArray("LockReason");
        shown.putObject("PublicIpAddress");
        ArrayNode publicAddresses = shown.withObject("PublicIpAddress").putArray("IpAddress");
        if (!machine.attribute("publicIp").isEmpty()) {
            publicAddresses.add(machine.attribute("publicIp"));
        }
        shown.putObject("EipAddress").put("AllocationId", "").put("IpAddress", "");
        shown.putObject("VpcAttributes")
                .put("VSwitchId", machine.attribute("vSwitchId"))
                .putObject("PrivateIpAddress")
                .putArray("IpAddress")
                .add(machine.attribute("privateIp"));
        shown.putObject("Tags").set("Tag", tags(machine.tags()));
        return shown;
    }

    private static ArrayNode tags(Map<String, String> tags) {
        ArrayNode list = AliyunReplies.array();
        tags.forEach((key, value) -> list.addObject().put("TagKey", key).put("TagValue", value));
        return list;
    }

    static ObjectNode instances(List<SimInstance> page, String next) {
        ArrayNode list = AliyunReplies.array();
        page.forEach(machine -> list.add(instance(machine)));
        ObjectNode body = AliyunReplies.object().put("TotalCount", 0).put("NextToken", next);
        body.putObject("Instances").set("Instance", list);
        return body;
    }

    static ObjectNode statuses(List<SimInstance> machines, int pageNumber, int pageSize, int total) {
        ArrayNode list = AliyunReplies.array();
        machines.forEach(
                machine -> list.addObject().put("InstanceId", machine.id()).put("Status", machine.state()));
        ObjectNode body = AliyunReplies.object()
                .put("TotalCount", total)
                .put("PageNumber", pageNumber)
                .put("PageSize", pageSize);
        body.putObject("InstanceStatuses").set("InstanceStatus", list);
        return body;
    }

    static ObjectNode types(List<SimSku> skus) {
        ArrayNode list = AliyunReplies.array();
        for (SimSku sku : skus) {
            list.addObject()
                    .put("InstanceTypeId", sku.sku())
                    .put("InstanceTypeFamily", sku.sku().replaceFirst("\\.[^.]*$", ""))
                    .put("GPUAmount", sku.gpus())
                    .put("GPUSpec", sku.model())
                    .put("GPUMemorySize", AliyunSkus.memoryGb(sku));
        }
        ObjectNode body = AliyunReplies.object().put("NextToken", "");
        body.putObject("InstanceTypes").set("InstanceType", list);
        return body;
    }

    private static String minute(String instant, boolean hidden) {
        return hidden || instant.isEmpty() ? "" : MINUTE.format(Instant.parse(instant));
    }
}
