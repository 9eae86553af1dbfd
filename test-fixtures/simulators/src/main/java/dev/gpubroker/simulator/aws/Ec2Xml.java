package dev.gpubroker.simulator.aws;

import dev.gpubroker.simulator.SimReply;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** EC2's answers as XML text. */
final class Ec2Xml {
    static final String OWNER = "123456789012";
    /** Fewer than anybody asks for, so that everybody must follow the pages. */
    private static final int PAGE = 25;

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private Ec2Xml() {}

    static SimReply reply(String action, String content) {
        return SimReply.xml(
                200,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<" + action
                        + "Response xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">"
                        + element("requestId", UUID.randomUUID().toString()) + content + "</" + action + "Response>");
    }

    static SimReply error(int status, String code, String message) {
        return SimReply.xml(
                status,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error>" + element("Code", code)
                        + element("Message", message) + "</Error></Errors>"
                        + element("RequestID", UUID.randomUUID().toString()) + "</Response>");
    }

    /** One page of a list, and the token of the next. */
    static <T> SimReply page(String action, String set, List<T> rows, QueryParams params, Function<T, String> item) {
        int from = 0;
        String token = params.text("NextToken");
        if (!token.isEmpty()) {
            try {
                from = Integer.parseInt(token.replaceFirst("^page-", ""));
            } catch (NumberFormatException foreign) {
                throw new Ec2Error(400, "InvalidPaginationToken", "The specified pagination token is not valid.");
            }
        }
        int asked = params.text("MaxResults").isEmpty() ? PAGE : params.number("MaxResults", 1, 1000);
        int to = Math.min(rows.size(), from + Math.min(asked, PAGE));
        String content = set(set, rows.subList(Math.min(from, to), to), item);
        return reply(action, content + (to < rows.size() ? element("nextToken", "page-" + to) : ""));
    }

    static <T> String set(String name, List<T> rows, Function<T, String> item) {
        StringBuilder set = new StringBuilder("<").append(name).append('>');
        rows.forEach(row -> set.append("<item>").append(item.apply(row)).append("</item>"));
        return set.append("</").append(name).append('>').toString();
    }

    static String offering(Offering offering, String zone) {
        return element("capacityBlockOfferingId", offering.id())
                + element("instanceType", offering.type())
                + element("availabilityZone", zone)
                + element("instanceCount", offering.count())
                + element("startDate", time(offering.start()))
                + element("endDate", time(offering.end()))
                + element("capacityBlockDurationHours", offering.length().toHours())
                + element("capacityBlockDurationMinutes", offering.length().toMinutesPart())
                + element("upfrontFee", offering.fee())
                + element("currencyCode", "USD")
                + element("tenancy", "default");
    }

    static String reservation(Block block, int available, Instant now) {
        String state = block.state(now);
        return element("capacityReservationId", block.id())
                + element("ownerId", OWNER)
                + element(
                        "capacityReservationArn",
                        "arn:aws:ec2:" + InstanceType.REGION + ":" + OWNER + ":capacity-reservation/" + block.id())
                + element("instanceType", block.type())
                + element("instancePlatform", block.platform())
                + element("availabilityZone", block.zone())
                + element("tenancy", "default")
                + element("totalInstanceCount", block.count())
                + element("availableInstanceCount", state.equals("active") ? available : 0)
                + element("state", state)
                + element("startDate", time(block.start()))
                + element("endDate", time(block.end()))
                + element("endDateType", "limited")
                + element("instanceMatchCriteria", "targeted")
                + element("createDate", time(block.boughtAt()))
                + element("reservationType", "capacity-block")
                + tags(block.tags());
    }

    static String instance(Machine machine, Instant now) {
        Machine.State state = machine.state(now);
        boolean gone = state == Machine.State.TERMINATED;
        return element("instanceId", machine.id())
                + element("imageId", machine.image())
                + "<instanceState>" + stateOf(state) + "</instanceState>"
                + element("instanceType", machine.type())
                + element("launchTime", time(machine.launchedAt()))
                + "<placement>" + element("availabilityZone", machine.zone()) + "</placement>"
                + (machine.subnet().isEmpty() ? "" : element("subnetId", machine.subnet()))
                + (gone ? "" : element("privateIpAddress", "127.0.0.1"))
                + (gone || !machine.publicIp() ? "" : element("ipAddress", "127.0.0.1"))
                + (machine.wasStoppedByOwner()
                        ? "<stateReason>" + element("code", "Client.UserInitiatedShutdown")
                                + element("message", "Client.UserInitiatedShutdown: User initiated shutdown")
                                + "</stateReason>"
                        : "")
                + element("instanceLifecycle", "capacity-block")
                + element("clientToken", machine.token())
                + element("capacityReservationId", machine.block())
                + tags(machine.tags());
    }

    static String stateOf(Machine.State state) {
        return element("code", state.code) + element("name", state.wireName);
    }

    static String type(InstanceType type) {
        return element("instanceType", type.name())
                + "<supportedUsageClasses><item>on-demand</item><item>capacity-block</item></supportedUsageClasses>"
                + "<vCpuInfo>" + element("defaultVCpus", type.vcpus()) + "</vCpuInfo>"
                + "<memoryInfo>" + element("sizeInMiB", type.memoryGib() * 1024L) + "</memoryInfo>"
                + "<gpuInfo><gpus><item>" + element("name", type.gpuName()) + element("manufacturer", "NVIDIA")
                + element("count", type.sku().gpus()) + "<memoryInfo>"
                + element("sizeInMiB", type.gpuMemoryMib()) + "</memoryInfo></item></gpus>"
                + element(
                        "totalGpuMemoryInMiB",
                        (long) type.gpuMemoryMib() * type.sku().gpus()) + "</gpuInfo>";
    }

    static String tags(Map<String, String> tags) {
        StringBuilder set = new StringBuilder("<tagSet>");
        tags.forEach((key, value) -> set.append("<item>")
                .append(element("key", key))
                .append(element("value", value))
                .append("</item>"));
        return set.append("</tagSet>").toString();
    }

    static String element(String name, Object value) {
        return "<" + name + ">" + escape(String.valueOf(value)) + "</" + name + ">";
    }

    static String time(Instant instant) {
        return TIME.format(instant);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
