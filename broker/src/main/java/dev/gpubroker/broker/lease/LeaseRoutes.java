package dev.gpubroker.broker.lease;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.allocation.LeaseAllocations;
import dev.gpubroker.broker.allocation.LeaseAllocations.Host;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Cursor;
import dev.gpubroker.broker.http.IdempotencyTicket;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /v1/leases}. */
final class LeaseRoutes implements Routes {
    private static final int PAGE = 50;
    /** Proxies cut longer ones off. */
    private static final Duration LONGEST_POLL = Duration.ofSeconds(60);

    private final Database database;
    private final LeaseService leases;
    private final LeaseAllocations allocations;
    private final LeaseJson json;
    private final InstantSource clock;

    LeaseRoutes(
            Database database, LeaseService leases, LeaseAllocations allocations, LeaseJson json, InstantSource clock) {
        this.database = database;
        this.leases = leases;
        this.allocations = allocations;
        this.json = json;
        this.clock = clock;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("createLease", this::createLease)
                .on("listLeases", this::listLeases)
                .on("readLease", this::readLease)
                .on("streamLease", this::streamLease)
                .on("beatLease", this::beatLease)
                .on("endLease", this::endLease);
    }

    private Future<ApiReply> createLease(ApiRequest request) {
        Answer answer = new Answer(request.ticket());
        return leases.create(request.caller().team(), request.caller().name(), request.bodyAs(LeaseBody.class), answer)
                .map(done -> requireNonNull(answer.reply, "the transaction has made its answer"));
    }

    /** Locks the idempotency key first and stores the answer last, in the transaction that makes it true. */
    private final class Answer implements LeaseService.Frame {
        private final @Nullable IdempotencyTicket ticket;
        private @Nullable ApiReply reply;

        Answer(@Nullable IdempotencyTicket ticket) {
            this.ticket = ticket;
        }

        @Override
        public Future<Void> before(SqlConnection connection) {
            return ticket == null ? Future.succeededFuture() : ticket.lockIn(connection);
        }

        @Override
        public Future<Void> after(SqlConnection connection, Lease lease) {
            return shown(connection, lease).compose(body -> {
                ApiReply made = ApiReply.json(lease.state().holds() ? 201 : 202, body)
                        .withHeader("Location", "/v1/leases/" + lease.id());
                reply = made;
                return ticket == null ? Future.succeededFuture() : ticket.answerIn(connection, made);
            });
        }
    }

    private Future<ObjectNode> shown(SqlClient client, Lease lease) {
        if (lease.state() == LeaseState.QUEUED) {
            return leases.position(lease).map(position -> json.of(lease, List.of(), position));
        }
        return allocations
                .hosts(client, List.of(lease.id()), clock.instant())
                .map(hosts -> json.of(lease, hosts.getOrDefault(lease.id(), List.of()), 0));
    }

    private Future<ApiReply> shown(Lease lease) {
        return shown(database.pool(), lease).map(ApiReply::ok);
    }

    /** The lease of the path. To a job whose rule names pools, only theirs are there. */
    private Future<Lease> seen(ApiRequest request) {
        String id = request.path("id");
        Set<String> pools = request.caller().grants().pools();
        return leases.read(request.caller().team(), id).map(lease -> {
            LeaseTarget target = lease.wish().target();
            if (pools != null && !(target.kind() == LeaseTarget.Kind.POOL && pools.contains(target.id()))) {
                throw LeaseService.notFound(id);
            }
            return lease;
        });
    }

    private Future<ApiReply> readLease(ApiRequest request) {
        Duration wait = wait(request.query("wait"));
        return seen(request)
                .compose(lease -> leases.await(request.caller().team(), lease.id(), wait))
                .compose(this::shown);
    }

    private Future<ApiReply> streamLease(ApiRequest request) {
        String team = request.caller().team();
        String id = request.path("id");
        return seen(request)
                .map(there -> ApiReply.events(
                        new LeaseStream(leases, lease -> shown(database.pool(), lease), System::nanoTime, team, id)));
    }

    private static Duration wait(@Nullable String text) {
        if (text == null) {
            return Duration.ZERO;
        }
        try {
            Duration wait = Duration.parse(text);
            if (!wait.isNegative() && wait.compareTo(LONGEST_POLL) <= 0) {
                return wait;
            }
        } catch (DateTimeException | ArithmeticException notOne) {
            // Told below, as one that is out of its bounds.
        }
        throw new ApiProblem(Problem.invalidField(
                "wait",
                "duration",
                "must be an ISO 8601 duration from PT0S to " + LONGEST_POLL + ", as PT30S",
                "必须是 PT0S 到 " + LONGEST_POLL + " 之间的 ISO 8601 时长，例如 PT30S"));
    }

    private Future<ApiReply> beatLease(ApiRequest request) {
        // Many beat often, so a lease is only read before it where that may forbid it.
        Future<?> allowed = request.caller().grants().pools() == null ? Future.succeededFuture() : seen(request);
        return allowed.compose(yes -> leases.beat(request.caller().team(), request.path("id")))
                .compose(this::shown)
                .recover(fault -> fault instanceof LeaseService.LeaseEnded ended
                        ? shown(database.pool(), ended.lease()).compose(body -> Future.failedFuture(ended(body)))
                        : Future.failedFuture(fault));
    }

    private static ApiProblem ended(ObjectNode lease) {
        String state = lease.get("state").asText();
        return new ApiProblem(Problem.of(
                        409,
                        "lease_not_held",
                        "The lease is " + state + ": its GPUs are not this job's. Stop using them.",
                        "该租约状态为 " + state + "，其 GPU 不属于此任务，请停止使用。")
                .with("lease", lease));
    }

    private Future<ApiReply> endLease(ApiRequest request) {
        return seen(request)
                .compose(lease ->
                        leases.end(request.caller().team(), request.caller().name(), lease.id()))
                .compose(this::shown);
    }

    // ---- list ---------------------------------------------------------------------------------------------

    private Future<ApiReply> listLeases(ApiRequest request) {
        int limit = request.queryInt("limit", PAGE);
        String reservation = request.query("reservation");
        String filter = "leases|" + request.query("state") + "|" + reservation;
        Cursor cursor = request.query("cursor") == null ? null : Cursor.decoded(request.query("cursor"), filter);
        return leases.list(new LeaseStore.Filter(
                        request.caller().team(),
                        states(request.query("state")),
                        reservation,
                        request.caller().grants().pools(),
                        cursor == null ? null : cursor.at(),
                        cursor == null ? null : cursor.id(),
                        limit + 1))
                .compose(found -> page(found, limit, filter));
    }

    private static Set<LeaseState> states(@Nullable String text) {
        if (text == null) {
            return Set.of();
        }
        try {
            return Arrays.stream(text.split(","))
                    .map(name -> LeaseState.ofWireName(name.strip()))
                    .collect(Collectors.toSet());
        } catch (IllegalArgumentException unknown) {
            String known =
                    Arrays.stream(LeaseState.values()).map(LeaseState::wireName).collect(Collectors.joining(", "));
            throw new ApiProblem(Problem.invalidField(
                    "state", "unknown", "must be one or several of " + known, "必须是以下状态之一或多个：" + known));
        }
    }

    private Future<ApiReply> page(List<Lease> found, int limit, String filter) {
        List<Lease> shown = found.subList(0, Math.min(limit, found.size()));
        Future<Map<String, List<Host>>> hosts = allocations.hosts(
                database.pool(),
                shown.stream()
                        .filter(each -> each.state().holds())
                        .map(Lease::id)
                        .toList(),
                clock.instant());
        List<Future<Integer>> positions = shown.stream()
                .map(each -> each.state() == LeaseState.QUEUED ? leases.position(each) : Future.succeededFuture(0))
                .toList();
        return hosts.compose(read -> Future.all(new ArrayList<>(positions)).map(all -> {
            ObjectNode body = JsonNodeFactory.instance.objectNode();
            ArrayNode items = body.putArray("items");
            for (int i = 0; i < shown.size(); i++) {
                Lease lease = shown.get(i);
                items.add(json.of(
                        lease,
                        read.getOrDefault(lease.id(), List.of()),
                        positions.get(i).result()));
            }
            if (found.size() > limit) {
                Lease last = shown.get(shown.size() - 1);
                body.put("nextCursor", new Cursor(last.joinedAt(), last.id()).encoded(filter));
            } else {
                body.putNull("nextCursor");
            }
            return ApiReply.ok(body);
        }));
    }
}
