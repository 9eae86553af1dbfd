package dev.gpubroker.simulator.aws;

import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import dev.gpubroker.simulator.SimSku;
import dev.gpubroker.simulator.SimTable;
import dev.gpubroker.simulator.SimulatedPlatform;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * EC2's Query protocol for Capacity Blocks. One row of the control is one machine of a bought block, from the purchase on.
 *
 * <p>The fault operation {@code claim} is the purchase, since that is the call that spends; launching into a block is hit by
 * no fault. The error code {@value #PAYMENT_FAILED} of a {@code claim} fault is special: the purchase is answered as
 * usual, and its payment never arrives.
 */
final class AwsSimulator extends SimulatedPlatform {
    static final String PAYMENT_FAILED = "payment-failed";

    private final SimTable<Block> blocks = table("block", Block.class);
    private final SimTable<Machine> machines = table("machine", Machine.class);
    private final SimTable<Offering> offerings = table("offering", Offering.class);
    private final BlockSales sales = new BlockSales(offerings, table("day", Integer.class), this::free);
    private Instant now = Instant.EPOCH;

    AwsSimulator(SimEnvironment environment) {
        super("aws", InstanceType.ALL.stream().map(InstanceType::sku).toList(), environment);
    }

    @Override
    protected Set<String> operations(SimRequest request) {
        switch (request.form().getOrDefault("Action", "")) {
            case "DescribeCapacityBlockOfferings":
                return Set.of("stock", "price"); // One call answers both.
            case "PurchaseCapacityBlock":
                return Set.of("claim");
            case "DescribeCapacityReservations":
                return Set.of("find", "status");
            case "DescribeInstances":
                return Set.of("status");
            case "TerminateInstances":
                return Set.of("release");
            default:
                return Set.of();
        }
    }

    @Override
    protected Optional<SimReply> refuse(SimRequest request, Instant wallNow) {
        return SigV4.check(request, "ec2", AwsSimulatorFactory.ACCESS_KEY, AwsSimulatorFactory.SECRET_KEY, wallNow)
                .map(refusal -> Ec2Xml.error(refusal.status(), refusal.code(), refusal.message()));
    }

    @Override
    protected SimReply throttled(SimRequest request) {
        return Ec2Xml.error(503, "RequestLimitExceeded", "Request limit exceeded.");
    }

    @Override
    protected SimReply error(SimRequest request, @Nullable String code) {
        if (code == null) {
            return Ec2Xml.error(500, "InternalError", "An internal error has occurred");
        }
        if (code.equals(PAYMENT_FAILED)) {
            return answer(() -> purchase(new QueryParams(request.form()), null));
        }
        return Ec2Xml.error(Ec2Error.statusOf(code), code, "simulated");
    }

    /** Every day of the horizon has this many. */
    @Override
    protected void stockSet(SimSku sku, int nodes) {
        super.stockSet(sku, nodes);
        sales.forgetDays(sku.sku());
    }

    /** Blocks and machines have their state from the time; only the control's rows have to follow it. */
    @Override
    protected void settle(Instant to) {
        now = to;
        for (SimInstance row : instances.where(SimInstance::isLive)) {
            Block block = blocks.find(row.attribute("block")).orElseThrow();
            SimInstance moved = moved(row, block);
            if (!moved.equals(row)) {
                instances.put(row.id(), moved);
            }
        }
    }

    private SimInstance moved(SimInstance row, Block block) {
        Machine machine = machines.get(row.attribute("instanceId"));
        if (machine != null) {
            Machine.State state = machine.state(now);
            return state == Machine.State.TERMINATED
                    ? row.gone(state.wireName, machine.goneAt())
                    : row.in(state.wireName);
        }
        String state = block.state(now);
        if (state.equals("payment-failed")) {
            sales.take(block.type(), block.start(), block.end(), -1);
            return row.gone(state, block.failsAt());
        }
        return state.equals("expired") ? row.gone(state, block.end()) : row.in(state);
    }

    @Override
    protected SimReply serve(SimRequest request, Instant at) {
        now = at;
        QueryParams params = new QueryParams(request.form());
        if (params.text("DryRun").equals("true")) {
            return Ec2Xml.error(412, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.");
        }
        boolean here = SigV4.region(request).equals(InstanceType.REGION);
        return answer(() -> serve(params.text("Action"), params, here));
    }

    private interface Call {
        SimReply reply();
    }

    private static SimReply answer(Call call) {
        try {
            return call.reply();
        } catch (Ec2Error error) {
            return Ec2Xml.error(error.status(), error.code(), String.valueOf(error.getMessage()));
        }
    }

    private SimReply serve(String action, QueryParams params, boolean here) {
        switch (action) {
            case "DescribeCapacityBlockOfferings":
                return offer(params, here);
            case "PurchaseCapacityBlock":
                return purchase(params, now.plus(Block.PAYMENT));
            case "DescribeCapacityReservations":
                return describeReservations(params, here);
            case "CancelCapacityReservation":
                block(params.required("CapacityReservationId"));
                // The real code is not published; this one is made in its likeness (unverified).
                throw new Ec2Error(
                        400,
                        "InvalidCapacityReservationState",
                        "A Capacity Block can be neither changed nor cancelled.");
            case "RunInstances":
                return run(params);
            case "DescribeInstances":
                return describeInstances(params, here);
            case "TerminateInstances":
                return terminate(params);
            case "DescribeInstanceTypes":
                return Ec2Xml.page(action, "instanceTypeSet", types(params), params, Ec2Xml::type);
            default:
                throw new Ec2Error(
                        400, "InvalidAction", "The action " + action + " is not valid for this web service.");
        }
    }

    private SimReply offer(QueryParams params, boolean here) {
        String name = params.required("InstanceType");
        InstanceType type = InstanceType.named(name).orElseThrow(() -> Ec2Error.invalid("InstanceType", name));
        int count = params.number("InstanceCount", 1, BlockSales.MOST_INSTANCES);
        int hours = params.number("CapacityDurationHours", 1, 24 * 182);
        if (!BlockSales.isSold(hours)) {
            throw Ec2Error.invalid("CapacityDurationHours", String.valueOf(hours));
        }
        List<Offering> found = here
                ? sales.offer(
                        type,
                        count,
                        hours,
                        params.instant("StartDateRange"),
                        params.instant("EndDateRange"),
                        hourly(type.sku()),
                        now)
                : List.of();
        return Ec2Xml.page(
                "DescribeCapacityBlockOfferings",
                "capacityBlockOfferingSet",
                found,
                params,
                offering -> Ec2Xml.offering(offering, type.zone()));
    }

    private SimReply purchase(QueryParams params, @Nullable Instant paidAt) {
        String id = params.required("CapacityBlockOfferingId");
        String platform = params.required("InstancePlatform");
        if (!id.startsWith("cb-")) {
            throw new Ec2Error(
                    400, "InvalidCapacityBlockOfferingIdMalformed", "The Capacity Block offering ID is malformed.");
        }
        Offering offering = offerings
                .find(id)
                .orElseThrow(() -> new Ec2Error(
                        400,
                        "InvalidCapacityBlockOfferingIdNotFound",
                        "The Capacity Block offering ID cannot be found for this account."));
        if (offering.start().isBefore(now)
                || !sales.isFree(offering.type(), offering.start(), offering.end(), offering.count())) {
            throw new Ec2Error(
                    400,
                    "InvalidCapacityBlockOfferingIdExpired",
                    "The Capacity Block offering ID is no longer available.");
        }
        sales.take(offering.type(), offering.start(), offering.end(), offering.count());
        InstanceType type = InstanceType.named(offering.type()).orElseThrow();
        Block block = new Block(
                "cr-" + BlockSales.hex17(),
                offering.type(),
                type.zone(),
                offering.count(),
                platform,
                params.tags("capacity-reservation"),
                offering.start(),
                offering.end(),
                now,
                paidAt);
        blocks.put(block.id(), block);
        for (int slot = 1; slot <= block.count(); slot++) {
            SimInstance row = new SimInstance(
                    block.id() + "#" + slot,
                    block.type(),
                    type.sku().model(),
                    type.sku().gpus(),
                    keyIn(block.tags()),
                    block.tags(),
                    block.state(now),
                    now,
                    null,
                    Map.of("block", block.id()));
            instances.put(row.id(), row);
        }
        return Ec2Xml.reply(
                "PurchaseCapacityBlock",
                "<capacityReservation>" + Ec2Xml.reservation(block, 0, now) + "</capacityReservation>");
    }

    private SimReply describeReservations(QueryParams params, boolean here) {
        List<String> ids = params.list("CapacityReservationId");
        ids.forEach(this::block);
        List<Block> found = blocks.where(block -> here
                && (ids.isEmpty() || ids.contains(block.id()))
                && params.matches(block.tags(), name -> block.filtered(name, now)));
        return Ec2Xml.page(
                "DescribeCapacityReservations",
                "capacityReservationSet",
                found,
                params,
                block -> Ec2Xml.reservation(block, freeSlots(block).size(), now));
    }

    private Block block(String id) {
        return blocks.find(id)
                .orElseThrow(() -> new Ec2Error(
                        400,
                        "InvalidCapacityReservationId.NotFound",
                        "The Capacity Reservation ID '" + id + "' does not exist"));
    }

    private SimReply run(QueryParams params) {
        String token = params.text("ClientToken");
        String fingerprint = params.fingerprint();
        List<Machine> before = token.isEmpty()
                ? List.of()
                : machines.where(machine -> machine.token().equals(token));
        if (!before.isEmpty()) {
            if (!before.get(0).request().equals(fingerprint)) {
                throw new Ec2Error(
                        400, "IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent.");
            }
            return launched(before);
        }
        Launch launch = Launch.read(params);
        Block block = block(launch.target());
        launch.check(block, now);
        List<Integer> free = freeSlots(block);
        if (free.size() < launch.least()) {
            throw new Ec2Error(
                    400,
                    "ReservationCapacityExceeded",
                    "The requested reservation does not have sufficient compatible and available capacity.");
        }
        List<Machine> started = new ArrayList<>();
        for (int slot : free.subList(0, Math.min(launch.most(), free.size()))) {
            Machine machine = launch.machine("i-" + BlockSales.hex17(), block, slot, token, fingerprint, now);
            machines.put(machine.id(), machine);
            started.add(machine);
            SimInstance row = instances.find(block.id() + "#" + slot).orElseThrow();
            instances.put(
                    row.id(),
                    launch.noted(new SimInstance(
                                    row.id(),
                                    row.sku(),
                                    row.model(),
                                    row.gpus(),
                                    row.key(),
                                    row.tags(),
                                    machine.state(now).wireName,
                                    row.createdAt(),
                                    null,
                                    row.attributes())
                            .with("instanceId", machine.id())));
        }
        return launched(started);
    }

    private SimReply launched(List<Machine> started) {
        return Ec2Xml.reply(
                "RunInstances",
                Ec2Xml.element("reservationId", "r-" + BlockSales.hex17())
                        + Ec2Xml.element("ownerId", Ec2Xml.OWNER)
                        + Ec2Xml.set("instancesSet", started, machine -> Ec2Xml.instance(machine, now)));
    }

    private List<Integer> freeSlots(Block block) {
        List<Integer> free = new ArrayList<>();
        for (int slot = 1; slot <= block.count(); slot++) {
            int wanted = slot;
            boolean held = !machines.where(machine -> machine.block().equals(block.id())
                            && machine.slot() == wanted
                            && machine.holdsItsPlace(now))
                    .isEmpty();
            if (!held) {
                free.add(slot);
            }
        }
        return free;
    }

    private SimReply describeInstances(QueryParams params, boolean here) {
        List<String> ids = params.list("InstanceId");
        ids.forEach(this::machine);
        List<Machine> found = machines.where(machine -> here
                && machine.isVisible(now)
                && (ids.isEmpty() || ids.contains(machine.id()))
                && params.matches(machine.tags(), name -> machine.filtered(name, now)));
        return Ec2Xml.page(
                "DescribeInstances",
                "reservationSet",
                found,
                params,
                machine -> Ec2Xml.element("reservationId", "r-" + machine.id().substring(2))
                        + Ec2Xml.element("ownerId", Ec2Xml.OWNER)
                        + Ec2Xml.set("instancesSet", List.of(machine), one -> Ec2Xml.instance(one, now)));
    }

    private Machine machine(String id) {
        return machines.find(id)
                .filter(machine -> machine.isVisible(now))
                .orElseThrow(() ->
                        new Ec2Error(400, "InvalidInstanceID.NotFound", "The instance ID '" + id + "' does not exist"));
    }

    private SimReply terminate(QueryParams params) {
        List<String> ids = params.list("InstanceId");
        if (ids.isEmpty()) {
            throw new Ec2Error(400, "MissingParameter", "The request must contain the parameter InstanceId");
        }
        List<Machine> before = ids.stream().map(this::machine).toList();
        before.forEach(machine -> machines.put(machine.id(), machine.stopped(now)));
        return Ec2Xml.reply(
                "TerminateInstances",
                Ec2Xml.set(
                        "instancesSet",
                        before,
                        machine -> Ec2Xml.element("instanceId", machine.id())
                                + "<currentState>"
                                + Ec2Xml.stateOf(machine.stopped(now).state(now))
                                + "</currentState><previousState>" + Ec2Xml.stateOf(machine.state(now))
                                + "</previousState>"));
    }

    private static List<InstanceType> types(QueryParams params) {
        List<String> names = params.list("InstanceType");
        return InstanceType.ALL.stream()
                .filter(type -> names.isEmpty() || names.contains(type.name()))
                .toList();
    }
}
