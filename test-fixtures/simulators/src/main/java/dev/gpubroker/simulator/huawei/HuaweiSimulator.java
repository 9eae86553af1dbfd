package dev.gpubroker.simulator.huawei;

import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import dev.gpubroker.simulator.SimSku;
import dev.gpubroker.simulator.SimTable;
import dev.gpubroker.simulator.SimulatedPlatform;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The three services on one port; their paths do not overlap. */
final class HuaweiSimulator extends SimulatedPlatform {
    private final Ground ground = new OwnGround();
    private final ServerDesk servers;
    private final PoolDesk pools;

    HuaweiSimulator(SimEnvironment environment) {
        super("huawei", HuaweiCatalogue.skus(), environment);
        this.servers = new ServerDesk(ground, table("job", Job.class), table("token", ServerDesk.TokenUse.class));
        this.pools = new PoolDesk(ground, table("pool", PoolDesk.Pool.class));
    }

    /** Every call the simulator knows. */
    private enum Call {
        SERVER_FLAVORS("stock"),
        POOL_FLAVORS("stock"),
        RATE("price"),
        BALANCES("bill"),
        CREATE_SERVERS("claim"),
        CREATE_POOL("claim"),
        LIST_SERVERS("find"),
        LIST_POOLS("find"),
        SERVERS_BY_ID("status"),
        SERVER("status"),
        JOB("status"),
        POOL("status"),
        NODES("status"),
        DELETE_SERVERS("release"),
        DELETE_POOL("release"),
        MOVE_END(""),
        UNKNOWN("");

        final String operation;

        Call(String operation) {
            this.operation = operation;
        }

        boolean isEcs() {
            return switch (this) {
                case SERVER_FLAVORS,
                        CREATE_SERVERS,
                        LIST_SERVERS,
                        SERVERS_BY_ID,
                        SERVER,
                        JOB,
                        DELETE_SERVERS,
                        MOVE_END -> true;
                default -> false;
            };
        }
    }

    private static Call call(SimRequest request) {
        String[] path = request.path().split("/");
        String shape = request.method() + " " + path.length + " " + (path.length > 3 ? path[1] + " " + path[3] : "");
        String last = path.length == 0 ? "" : path[path.length - 1];
        return switch (shape) {
            case "GET 4 v1 resourceflavors" -> Call.POOL_FLAVORS;
            case "POST 4 v1 cloudservers" -> Call.CREATE_SERVERS;
            case "POST 5 v1 cloudservers" -> last.equals("delete") ? Call.DELETE_SERVERS : Call.UNKNOWN;
            case "POST 7 v1 cloudservers" -> last.equals("update-auto-terminate-time") ? Call.MOVE_END : Call.UNKNOWN;
            case "GET 5 v1 cloudservers" ->
                switch (last) {
                    case "flavors" -> Call.SERVER_FLAVORS;
                    case "detail" -> request.param("server_id").isEmpty() ? Call.LIST_SERVERS : Call.SERVERS_BY_ID;
                    default -> Call.SERVER;
                };
            case "GET 5 v1 jobs" -> Call.JOB;
            case "POST 4 v2 pools" -> Call.CREATE_POOL;
            case "GET 4 v2 pools" -> Call.LIST_POOLS;
            case "GET 5 v2 pools" -> Call.POOL;
            case "GET 6 v2 pools" -> last.equals("nodes") ? Call.NODES : Call.UNKNOWN;
            case "DELETE 5 v2 pools" -> Call.DELETE_POOL;
            case "POST 5 v2 ratings" -> last.equals("on-demand-resources") ? Call.RATE : Call.UNKNOWN;
            case "GET 5 v2 customer-accounts" -> last.equals("balances") ? Call.BALANCES : Call.UNKNOWN;
            default -> Call.UNKNOWN;
        };
    }

    @Override
    protected Set<String> operations(SimRequest request) {
        String operation = call(request).operation;
        return operation.isEmpty() ? Set.of() : Set.of(operation);
    }

    @Override
    protected Optional<SimReply> refuse(SimRequest request, Instant wallNow) {
        return SdkSignature.refusal(request, wallNow);
    }

    @Override
    protected SimReply serve(SimRequest request, Instant now) {
        String[] path = request.path().split("/");
        String fifth = path.length > 4 ? path[4] : "";
        return switch (call(request)) {
            case SERVER_FLAVORS -> Shelves.servers(request, ground);
            case POOL_FLAVORS -> Shelves.pools(ground);
            case RATE -> BillingDesk.rate(request, ground);
            case BALANCES -> BillingDesk.balances();
            case CREATE_SERVERS -> servers.create(request, now);
            case LIST_SERVERS, SERVERS_BY_ID -> servers.details(request);
            case SERVER -> servers.detail(fifth);
            case JOB -> servers.job(fifth, now);
            case DELETE_SERVERS -> servers.delete(request, now);
            case MOVE_END -> servers.moveEnd(fifth, request, now);
            case CREATE_POOL -> pools.create(request, now);
            case LIST_POOLS -> pools.list(request, now);
            case POOL -> pools.show(fifth, now);
            case NODES -> pools.nodes(fifth);
            case DELETE_POOL -> pools.delete(fifth, now);
            // Code and text of the gateway for a path it does not know: unverified.
            case UNKNOWN -> Replies.gateway(404, "APIGW.0101", "The API does not exist.");
        };
    }

    @Override
    protected void settle(Instant now) {
        servers.settle(now);
        pools.settle(now);
    }

    /** ECS says it on a create with 202 and a body without a job, everything else with 429. */
    @Override
    protected SimReply throttled(SimRequest request) {
        return call(request) == Call.CREATE_SERVERS
                ? Replies.ecs(202, "Common.0024", "exceeds flow over limit")
                : Replies.gateway(429, "APIGW.0308", "The throttling threshold has been reached.");
    }

    /** The code of an ECS that is down itself is unverified, so its gateway answers; the other two are in their references. */
    @Override
    protected SimReply error(SimRequest request, @Nullable String code) {
        Call call = call(request);
        if (code == null) {
            if (call.isEcs()) {
                return Replies.gateway(502, "APIGW.0202", "Backend unavailable.");
            }
            return call == Call.RATE || call == Call.BALANCES
                    ? Replies.plain(500, "CBC.0999", "Other error.")
                    : Replies.plain(500, "ModelArts.50005000", "internal error");
        }
        int status = switch (code) {
            case "Common.0024" -> 202;
            case "APIGW.0301", "ModelArts.50001000" -> 401;
            case "Pdp.0001", "Ecs.0110", "CBC.0151" -> 403;
            case "APIGW.0308" -> 429;
            case "ModelArts.50015000" -> 409;
            case "CBC.0999", "ModelArts.50005000" -> 500;
            default -> 400;
        };
        String text = "simulated fault";
        return code.startsWith("Ecs.") || code.startsWith("Common.")
                ? Replies.ecs(status, code, text)
                : Replies.plain(status, code, text);
    }

    /** Opens to the desks what the base class keeps to its subclasses. */
    private final class OwnGround implements Ground {
        @Override
        public SimTable<SimInstance> machines() {
            return instances;
        }

        @Override
        public int free(String sku) {
            return HuaweiSimulator.this.free(sku);
        }

        @Override
        public void take(String sku, int nodes) {
            HuaweiSimulator.this.take(sku, nodes);
        }

        @Override
        public String hourly(SimSku sku) {
            return HuaweiSimulator.this.hourly(sku);
        }
    }
}
