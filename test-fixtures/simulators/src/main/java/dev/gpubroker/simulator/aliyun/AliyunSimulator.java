package dev.gpubroker.simulator.aliyun;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.CloudInit;
import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import dev.gpubroker.simulator.SimSku;
import dev.gpubroker.simulator.SimTable;
import dev.gpubroker.simulator.SimulatedPlatform;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * ECS of 2014-05-26 with stock in two zones of one region, and {@code QueryAccountBalance} of billing 2017-12-14. Machines
 * are pay-as-you-go: Pending for 20 s, Starting until 90 s after the purchase, then Running; at their
 * {@code AutoReleaseTime}, to the instant, they are gone.
 */
final class AliyunSimulator extends SimulatedPlatform {
    static final String SECURITY_GROUP = "sg-simulated";

    private static final String ECS = "2014-05-26";
    private static final String BSS = "2017-12-14";
    private static final Duration PENDING = Duration.ofSeconds(20);
    private static final Duration UP_AFTER = Duration.ofSeconds(90);
    /** What is no longer listed; the platform itself has no word for it. */
    private static final String RELEASED = "Released";

    /** A token once used with success: the parameters it came with and the machines it brought. */
    record UsedToken(String parameters, List<String> machines) {}

    private final SimTable<UsedToken> tokens = table("token", UsedToken.class);

    AliyunSimulator(SimEnvironment environment) {
        super("aliyun", AliyunSkus.ALL, environment);
    }

    static String vSwitch(String zone) {
        return "vsw-simulated-" + zone;
    }

    // ---- the frame -----------------------------------------------------------------------------

    private static String action(SimRequest request) {
        return request.header("x-acs-action");
    }

    @Override
    protected Set<String> operations(SimRequest request) {
        return switch (action(request)) {
            case "DescribeAvailableResource" -> Set.of("stock");
            case "DescribePrice" -> Set.of("price");
            case "RunInstances" -> Set.of("claim");
            case "DescribeInstances" -> request.param("InstanceIds").isEmpty() ? Set.of("find") : Set.of("status");
            case "DescribeInstanceStatus" -> Set.of("status");
            case "DeleteInstances", "DeleteInstance" -> Set.of("release");
            case "QueryAccountBalance" -> Set.of("bill");
            default -> Set.of();
        };
    }

    @Override
    protected Optional<SimReply> refuse(SimRequest request, Instant wallNow) {
        return AliyunSignature.refuse(request, wallNow, this::isFresh);
    }

    @Override
    protected SimReply throttled(SimRequest request) {
        boolean ecs = request.header("x-acs-version").equals(ECS);
        return AliyunReplies.error(ecs ? 400 : 429, "Throttling.User", "Request was denied due to user flow control.");
    }

    @Override
    protected SimReply error(SimRequest request, @Nullable String code) {
        if (code == null) {
            return AliyunReplies.error(
                    500, "InternalError", "The request processing has failed due to some unknown error.");
        }
        return action(request).equals("QueryAccountBalance")
                ? AliyunReplies.billingRefused(code)
                : AliyunReplies.error(code);
    }

    @Override
    protected SimReply serve(SimRequest request, Instant now) {
        String action = action(request);
        boolean permitted = !AliyunSignature.keyId(request).equals(AliyunSignature.UNPRIVILEGED_KEY_ID);
        if (action.equals("QueryAccountBalance")
                && request.header("x-acs-version").equals(BSS)) {
            return permitted ? balance() : AliyunReplies.billingRefused("NotAuthorized");
        }
        if (!request.header("x-acs-version").equals(ECS)) {
            return AliyunReplies.error(404, "InvalidVersion", "Specified parameter Version is not valid.");
        }
        if (action.equals("DescribeInstances")) {
            return describeInstances(request, permitted);
        }
        if (!permitted) {
            return AliyunReplies.error(403, "Forbidden.RAM", "User not authorized to operate on the resource.");
        }
        return switch (action) {
            case "DescribeAvailableResource" -> availableResource(request);
            case "DescribePrice" -> price(request);
            case "DescribeInstanceTypes" -> AliyunReplies.ok(AliyunViews.types(skus()));
            case "RunInstances" -> run(request, now);
            case "DescribeInstanceStatus" -> instanceStatus(request);
            case "DeleteInstances" -> delete(request, listed(request, "InstanceId"), now);
            case "DeleteInstance" -> delete(request, List.of(request.param("InstanceId")), now);
            case "ModifyInstanceAutoReleaseTime" -> moveRelease(request, now);
            default -> AliyunReplies.error(404, "InvalidAction.NotFound", "Specified api is not found: " + action);
        };
    }

    @Override
    protected void settle(Instant now) {
        for (SimInstance machine : instances.where(SimInstance::isLive)) {
            String end = machine.attribute("autoReleaseAt");
            if (!end.isEmpty() && !Instant.parse(end).isAfter(now)) {
                release(machine, Instant.parse(end));
                continue;
            }
            String state = state(machine, now);
            if (!state.equals(machine.state())) {
                instances.put(machine.id(), machine.in(state));
            }
        }
    }

    private static String state(SimInstance machine, Instant now) {
        if (now.isBefore(machine.createdAt().plus(PENDING))) {
            return "Pending";
        }
        return now.isBefore(machine.createdAt().plus(UP_AFTER)) ? "Starting" : "Running";
    }

    private void release(SimInstance machine, Instant at) {
        instances.put(machine.id(), machine.gone(RELEASED, at));
        take(machine.sku(), -1);
    }

    // ---- stock and price -----------------------------------------------------------------------

    private SimReply availableResource(SimRequest request) {
        if (request.param("RegionId").isEmpty()) {
            return AliyunReplies.missing("RegionId");
        }
        if (!request.param("DestinationResource").equals("InstanceType")) {
            return AliyunReplies.error(
                    400, "Invalid.Param", "The simulator knows DestinationResource InstanceType only.");
        }
        boolean postPaid = !request.param("InstanceChargeType").equals("PrePaid");
        List<String> zones = !request.param("RegionId").equals(AliyunSkus.REGION)
                ? List.of()
                : request.param("ZoneId").isEmpty()
                        ? List.of(AliyunSkus.ZONE_J, AliyunSkus.ZONE_K)
                        : List.of(request.param("ZoneId"));
        List<SimSku> types = skus().stream()
                .filter(sku -> request.param("InstanceType").isEmpty()
                        || request.param("InstanceType").equals(sku.sku()))
                .toList();
        // Subscriptions are sold out: the simulator sells by the hour only.
        return AliyunReplies.ok(AliyunViews.zones(zones, types, sku -> postPaid ? free(sku.sku()) : 0));
    }

    private SimReply price(SimRequest request) {
        Optional<SimSku> sku = sku(request.param("InstanceType"));
        if (sku.isEmpty()) {
            return AliyunReplies.error(
                    400, "InvalidInstanceType.ValueNotSupported", "The specified InstanceType is not supported.");
        }
        String unit = request.query().getOrDefault("PriceUnit", "Hour");
        if (!Set.of("Hour", "Month", "Year").contains(unit)) {
            return AliyunReplies.error(400, "PriceNotFound", "No price for the unit " + unit + ".");
        }
        int diskGib = request.param("ImageId").isEmpty() ? 0 : number(request, "SystemDisk.Size", 40);
        return AliyunReplies.ok(AliyunViews.price(
                new BigDecimal(hourly(sku.get())),
                diskGib,
                number(request, "DataDisk.1.Size", 0),
                unit,
                number(request, "Period", 1),
                number(request, "Amount", 1)));
    }

    private static SimReply balance() {
        ObjectNode body = AliyunReplies.object()
                .put("Code", "Success")
                .put("Message", "Successful!")
                .put("Success", true);
        body.putObject("Data")
                .put("AvailableAmount", "1000000.00")
                .put("AvailableCashAmount", "1000000.00")
                .put("CreditAmount", "0.00")
                .put("Currency", "CNY");
        return AliyunReplies.ok(body);
    }

    // ---- machines ------------------------------------------------------------------------------

    private SimReply run(SimRequest request, Instant now) {
        String token = request.param("ClientToken");
        String parameters = new TreeMap<>(request.query()).toString();
        UsedToken used = token.isEmpty() ? null : tokens.get(token);
        if (used != null) {
            return used.parameters().equals(parameters)
                    ? ran(used.machines())
                    : AliyunReplies.error(
                            400,
                            "IdempotentParameterMismatch",
                            "Request uses a client token in a previous request but is not identical to that request.");
        }
        Optional<SimReply> refusal = AliyunOrder.refuse(request, sku(request.param("InstanceType")), now);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        SimSku sku = sku(request.param("InstanceType")).orElseThrow();
        int amount = number(request, "Amount", 1);
        int least = number(request, "MinAmount", amount);
        if (free(sku.sku()) < least) {
            return AliyunReplies.error(
                    403,
                    "OperationDenied.NoStock",
                    "The requested resource is sold out in the specified zone; try other types of resources or other"
                            + " regions and zones.");
        }
        if (request.param("DryRun").equals("true")) {
            return dryRun();
        }
        List<String> machines = new ArrayList<>();
        for (int n = Math.min(amount, free(sku.sku())); n > 0; n--) {
            machines.add(create(request, sku, now).id());
        }
        if (!token.isEmpty()) {
            tokens.put(token, new UsedToken(parameters, machines));
        }
        return ran(machines);
    }

    private static SimReply ran(List<String> machines) {
        ObjectNode body = AliyunReplies.object();
        var ids = body.putObject("InstanceIdSets").putArray("InstanceIdSet");
        machines.forEach(ids::add);
        return AliyunReplies.ok(body);
    }

    private SimInstance create(SimRequest request, SimSku sku, Instant now) {
        String id = "i-bp1" + UUID.randomUUID().toString().replace("-", "").substring(0, 17);
        Map<String, String> tags = tags(request);
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("name", request.param("InstanceName"));
        attributes.put("zone", AliyunSkus.zone(sku));
        attributes.put("vSwitchId", request.param("VSwitchId"));
        attributes.put("image", request.param("ImageId"));
        attributes.put("userData", request.param("UserData"));
        attributes.putAll(CloudInit.ofBase64(request.param("UserData")).attributes());
        attributes.put("dataDiskGb", String.valueOf(number(request, "DataDisk.1.Size", 0)));
        attributes.put("privateIp", MACHINE_HOST);
        attributes.put("publicIp", number(request, "InternetMaxBandwidthOut", 0) == 0 ? "" : MACHINE_HOST);
        attributes.put("startingAt", now.plus(PENDING).toString());
        attributes.put(
                "autoReleaseAt",
                AliyunOrder.releaseTime(request).map(Instant::toString).orElse(""));
        SimInstance machine = new SimInstance(
                id, sku.sku(), sku.model(), sku.gpus(), keyIn(tags), tags, "Pending", now, null, attributes);
        instances.put(id, machine);
        take(sku.sku(), 1);
        return machine;
    }

    private SimReply describeInstances(SimRequest request, boolean permitted) {
        if (request.param("RegionId").isEmpty()) {
            return AliyunReplies.missing("RegionId");
        }
        if (request.param("DryRun").equals("true")) {
            return permitted
                    ? dryRun()
                    : AliyunReplies.error(403, "Forbidden.RAM", "User not authorized to operate on the resource.");
        }
        String after = request.param("NextToken");
        int size = Math.min(100, number(request, "MaxResults", 10));
        Set<String> wantedIds = AliyunOrder.jsonIds(request.param("InstanceIds"));
        Map<String, String> wantedTags = tags(request);
        List<SimInstance> rest = instances.where(machine -> permitted
                && machine.isLive()
                && request.param("RegionId").equals(AliyunSkus.REGION)
                && (request.param("InstanceIds").isEmpty() || wantedIds.contains(machine.id()))
                && machine.tags().entrySet().containsAll(wantedTags.entrySet())
                && (request.param("Status").isEmpty() || request.param("Status").equals(machine.state()))
                && machine.id().compareTo(after) > 0);
        List<SimInstance> page = rest.subList(0, Math.min(size, rest.size()));
        return AliyunReplies.ok(AliyunViews.instances(
                page, page.size() < rest.size() ? page.get(page.size() - 1).id() : ""));
    }

    private SimReply instanceStatus(SimRequest request) {
        List<String> ids = listed(request, "InstanceId");
        int size = Math.max(1, Math.min(50, number(request, "PageSize", 10)));
        int page = Math.max(1, number(request, "PageNumber", 1));
        List<SimInstance> all =
                instances.where(machine -> machine.isLive() && (ids.isEmpty() || ids.contains(machine.id())));
        int from = Math.min(all.size(), (page - 1) * size);
        List<SimInstance> shown = all.subList(from, Math.min(all.size(), from + size));
        return AliyunReplies.ok(AliyunViews.statuses(shown, page, size, all.size()));
    }

    private SimReply delete(SimRequest request, List<String> ids, Instant now) {
        if (ids.isEmpty() || ids.size() > 100) {
            return AliyunReplies.error(400, "InvalidParameter", "The input parameter InstanceId is invalid.");
        }
        List<SimInstance> machines = new ArrayList<>();
        for (String id : ids) {
            SimInstance machine = instances.get(id);
            if (machine == null || !machine.isLive()) {
                return AliyunReplies.error(
                        404, "InvalidInstanceId.NotFound", "The specified InstanceId does not exist.");
            }
            if (machine.state().equals("Pending")) {
                return AliyunReplies.error(
                        403,
                        "IncorrectInstanceStatus.Initializing",
                        "The specified instance status does not support this operation.");
            }
            if (!request.param("Force").equals("true")) {
                return AliyunReplies.error(
                        403,
                        "IncorrectInstanceStatus",
                        "The current status of the resource does not support this operation.");
            }
            machines.add(machine);
        }
        if (request.param("DryRun").equals("true")) {
            return dryRun();
        }
        machines.forEach(machine -> release(machine, now));
        return AliyunReplies.ok(AliyunReplies.object());
    }

    private SimReply moveRelease(SimRequest request, Instant now) {
        SimInstance machine = instances.get(request.param("InstanceId"));
        if (machine == null || !machine.isLive()) {
            return AliyunReplies.error(404, "NoSuchResource", "The specified resource is not found.");
        }
        Optional<SimReply> refusal = AliyunOrder.refuseReleaseTime(request, now);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        String end = AliyunOrder.releaseTime(request).map(Instant::toString).orElse("");
        instances.put(machine.id(), machine.with("autoReleaseAt", end));
        return AliyunReplies.ok(AliyunReplies.object());
    }

    // ---- parameters ----------------------------------------------------------------------------

    private static SimReply dryRun() {
        return AliyunReplies.error(400, "DryRunOperation", "Request validation has been passed with DryRun flag set.");
    }

    private static Map<String, String> tags(SimRequest request) {
        Map<String, String> tags = new LinkedHashMap<>();
        for (int n = 1; request.query().containsKey("Tag." + n + ".Key"); n++) {
            tags.put(request.param("Tag." + n + ".Key"), request.param("Tag." + n + ".Value"));
        }
        return tags;
    }

    private static List<String> listed(SimRequest request, String name) {
        List<String> values = new ArrayList<>();
        for (int n = 1; request.query().containsKey(name + "." + n); n++) {
            values.add(request.param(name + "." + n));
        }
        return values;
    }

    static int number(SimRequest request, String name, int otherwise) {
        String value = request.param(name);
        return value.matches("[0-9]{1,6}") ? Integer.parseInt(value) : otherwise;
    }
}
