package dev.gpubroker.simulator.huawei;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import dev.gpubroker.simulator.SimTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * ECS servers. A create is always taken on; whether there was capacity is told by its job. A lone server that found none
 * leaves nothing behind, servers of a batch stay in ERROR until somebody deletes them.
 */
final class ServerDesk {
    private static final Duration BUILDS = Duration.ofSeconds(75);
    private static final Duration FAILS = Duration.ofSeconds(40);
    private static final Duration DELETES = Duration.ofSeconds(20);
    private static final Duration TOKEN_KEPT = Duration.ofHours(8);
    private static final int LARGEST_PAGE = 1000;

    private final Ground ground;
    private final SimTable<Job> jobs;
    private final SimTable<TokenUse> tokens;

    /** The first answer to an {@code X-Client-Token}. */
    record TokenUse(String body, String answer, Instant at) {}

    ServerDesk(Ground ground, SimTable<Job> jobs, SimTable<TokenUse> tokens) {
        this.ground = ground;
        this.jobs = jobs;
        this.tokens = tokens;
    }

    // ---- create ---------------------------------------------------------------------------------------

    SimReply create(SimRequest request, Instant now) {
        String token = request.header("x-client-token");
        if (token.isEmpty()) {
            return created(request, now);
        }
        if (!token.matches("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")) {
            return Replies.ecs(400, "Ecs.0123", "X-Client-Token is not a UUID.");
        }
        TokenUse use = tokens.get(token);
        if (use != null) {
            if (now.isAfter(use.at().plus(TOKEN_KEPT))) {
                return Replies.ecs(400, "Ecs.0124", "X-Client-Token has expired.");
            }
            return use.body().equals(request.text())
                    ? SimReply.json(200, use.answer())
                    : Replies.ecs(400, "Ecs.0122", "X-Client-Token was used with other parameters.");
        }
        SimReply reply = created(request, now);
        if (reply.status() == 200) {
            tokens.put(token, new TokenUse(request.text(), reply.text(), now));
        }
        return reply;
    }

    private SimReply created(SimRequest request, Instant now) {
        JsonNode server =
                Replies.read(request.text()).orElseGet(Replies::object).path("server");
        int count = server.path("count").asInt(1);
        SimReply refusal = ServerOrder.refusal(server, count, now);
        if (refusal != null) {
            return refusal;
        }
        HuaweiCatalogue.Spec spec =
                HuaweiCatalogue.spec(server.path("flavorRef").asText()).orElseThrow();
        boolean zoneSells =
                server.path("availability_zone").asText(HuaweiCatalogue.ZONE).equals(HuaweiCatalogue.ZONE);
        int had = zoneSells ? Math.min(count, ground.free(spec.sku().sku())) : 0;
        ground.take(spec.sku().sku(), had);
        Instant end = now.plus(had == count ? BUILDS : FAILS);
        List<Job.Part> parts = new ArrayList<>();
        ArrayNode serverIds = Replies.object().putArray("serverIds");
        for (int index = 0; index < count; index++) {
            String id = UUID.randomUUID().toString();
            boolean fails = index >= had;
            parts.add(new Job.Part(
                    jobId(),
                    id,
                    fails ? "Ecs.0319" : null,
                    fails ? "Insufficient resources for flavor " + spec.sku().sku() + "." : null));
            serverIds.add(id);
            if (!fails || count > 1) {
                ground.machines().put(id, ServerOrder.machine(server, spec, id, index, count, fails, now, end));
            }
        }
        Job job = new Job(jobId(), "createServer", now, end, parts);
        jobs.put(job.id(), job);
        ObjectNode answer = Replies.object().put("job_id", job.id());
        answer.set("serverIds", serverIds);
        return Replies.json(200, answer);
    }

    private static String jobId() {
        return "ff80" + UUID.randomUUID().toString().replace("-", "").substring(4);
    }

    // ---- look -----------------------------------------------------------------------------------------

    /** An unknown job is answered 404; the code is unverified, finished jobs are known to be forgotten after a day. */
    SimReply job(String id, Instant now) {
        Job job = jobs.get(id);
        if (job == null || job.isForgotten(now)) {
            return Replies.ecs(404, "Ecs.0114", "The job could not be found.");
        }
        return Replies.json(200, job.asJson(now));
    }

    SimReply details(SimRequest request) {
        List<SimInstance> live = live().stream()
                .sorted(Comparator.comparing(SimInstance::createdAt).thenComparing(SimInstance::id))
                .toList();
        ObjectNode body = Replies.object();
        ArrayNode servers = body.putArray("servers");
        if (!request.param("server_id").isEmpty()) {
            Map<String, SimInstance> byId = new HashMap<>();
            live.forEach(machine -> byId.put(machine.id(), machine));
            for (String id : request.param("server_id").split(",")) {
                SimInstance machine = byId.get(id);
                servers.add(machine == null ? ServerJson.unknown(id) : ServerJson.of(machine));
            }
            return Replies.json(200, body.put("count", servers.size()));
        }
        int limit = request.param("limit").isEmpty()
                ? 25
                : Math.min(Integer.parseInt(request.param("limit")), LARGEST_PAGE);
        String marker = request.param("marker");
        boolean passed = marker.isEmpty();
        for (SimInstance machine : live) {
            if (passed && servers.size() < limit) {
                servers.add(ServerJson.of(machine));
            }
            passed |= machine.id().equals(marker);
        }
        return Replies.json(200, body.put("count", live.size()));
    }

    SimReply detail(String id) {
        SimInstance machine = ground.machines().get(id);
        if (machine == null || !machine.isLive() || isPoolNode(machine)) {
            return Replies.ecs(404, "Ecs.0114", "Instance[" + id + "] could not be found.");
        }
        ObjectNode body = Replies.object();
        body.set("server", ServerJson.of(machine));
        return Replies.json(200, body);
    }

    // ---- end --------------------------------------------------------------------------------------------

    SimReply moveEnd(String id, SimRequest request, Instant now) {
        SimInstance machine = ground.machines().get(id);
        if (machine == null || !machine.isLive() || isPoolNode(machine)) {
            return Replies.ecs(404, "Ecs.0114", "Instance[" + id + "] could not be found.");
        }
        String end = Replies.read(request.text())
                .orElseGet(Replies::object)
                .path("auto_terminate_time")
                .asText();
        if (!end.isEmpty() && ServerOrder.end(end, now) == null) {
            return Replies.ecs(400, "Ecs.0005", "auto_terminate_time is invalid.");
        }
        ground.machines().put(id, machine.with("end", end.isEmpty() ? "" : String.valueOf(ServerOrder.end(end, now))));
        return SimReply.empty(204);
    }

    SimReply delete(SimRequest request, Instant now) {
        JsonNode body = Replies.read(request.text()).orElseGet(Replies::object);
        List<SimInstance> doomed = new ArrayList<>();
        for (JsonNode server : body.path("servers")) {
            SimInstance machine = ground.machines().get(server.path("id").asText());
            if (machine == null || !machine.isLive() || isPoolNode(machine)) {
                return Replies.ecs(
                        404, "Ecs.0114", "Instance[" + server.path("id").asText() + "] could not be found.");
            }
            doomed.add(machine);
        }
        if (doomed.isEmpty()) {
            return Replies.ecs(400, "Ecs.0005", "servers is empty.");
        }
        boolean withDisks = body.path("delete_volume").asBoolean()
                && body.path("delete_publicip").asBoolean();
        Map<String, Job.Part> parts = new LinkedHashMap<>();
        for (SimInstance machine : doomed) {
            parts.put(machine.id(), new Job.Part(jobId(), machine.id(), null, null));
            if (machine.attribute("goneAt").isEmpty()) {
                ground.machines()
                        .put(
                                machine.id(),
                                machine.with("goneAt", now.plus(DELETES).toString())
                                        .with("leftBehind", withDisks ? "" : "disk and address"));
            }
        }
        Job job = new Job(jobId(), "deleteVMs", now, now.plus(DELETES), List.copyOf(parts.values()));
        jobs.put(job.id(), job);
        return Replies.json(200, Replies.object().put("job_id", job.id()));
    }

    // ---- time -------------------------------------------------------------------------------------------

    void settle(Instant now) {
        live().forEach(machine -> settle(machine, now));
        jobs.all().stream().filter(job -> job.isForgotten(now)).forEach(job -> jobs.remove(job.id()));
    }

    private void settle(SimInstance before, Instant now) {
        SimInstance machine = before;
        boolean broken = machine.attribute("fate").equals("ERROR");
        Instant gone = earliest(machine.attribute("goneAt"), broken ? "" : machine.attribute("end"));
        Instant ready = Instant.parse(machine.attribute("readyAt"));
        if (machine.state().equals("BUILD") && !ready.isAfter(now) && (gone == null || ready.isBefore(gone))) {
            machine = machine.in(broken ? "ERROR" : "ACTIVE");
        }
        if (gone != null && !gone.isAfter(now)) {
            machine = machine.gone("DELETED", gone);
            if (!broken) {
                ground.take(machine.sku(), -1);
            }
        }
        if (!machine.equals(before)) {
            ground.machines().put(machine.id(), machine);
        }
    }

    private static @org.jspecify.annotations.Nullable Instant earliest(String one, String other) {
        if (one.isEmpty() || other.isEmpty()) {
            String only = one + other;
            return only.isEmpty() ? null : Instant.parse(only);
        }
        Instant first = Instant.parse(one);
        Instant second = Instant.parse(other);
        return first.isBefore(second) ? first : second;
    }

    private List<SimInstance> live() {
        return ground.machines().where(machine -> machine.isLive() && !isPoolNode(machine));
    }

    private static boolean isPoolNode(SimInstance machine) {
        return !machine.attribute("pool").isEmpty();
    }
}
