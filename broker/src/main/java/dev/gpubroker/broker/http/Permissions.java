package dev.gpubroker.broker.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which scope each operation needs. The one place in which that is said and checked. */
final class Permissions {
    private static final Map<String, Set<Scope>> NEEDED = table();

    /**
     * What the ticket of a CI job may, as far as its scopes reach: lease, look, book, change and cancel. Nothing that goes on after the
     * job has ended, such as a webhook or a trigger, and nothing that is a person's. A new operation is not among them until
     * somebody decides.
     */
    private static final Set<String> JOBS = Set.of(
            "createLease",
            "beatLease",
            "endLease",
            "readLease",
            "listLeases",
            "streamLease",
            "renewTicket",
            "endTicket",
            "readCaller",
            "interpretPhrase",
            "quote",
            "bookReservation",
            "changeReservation",
            "acceptProposal",
            "declineProposal",
            "quoteCancellation",
            "cancelReservation",
            "listReservations",
            "readReservation",
            "listReservationEvents",
            "readAccess",
            "readAvailability",
            "readCalendar",
            "listGpuModels",
            "listPlatforms",
            "readPlatform",
            "listPools",
            "readPool",
            "listOutages",
            "readDemoClock",
            "readStatus");

    private Permissions() {}

    private static Map<String, Set<Scope>> table() {
        Map<String, Set<Scope>> table = new TreeMap<>();
        for (String id : List.of(
                "interpretPhrase",
                "quote",
                "listReservations",
                "readReservation",
                "listReservationEvents",
                "readAvailability",
                "readCalendar",
                "listGpuModels",
                "listPlatforms",
                "readPlatform",
                "listPools",
                "readPool",
                "listOutages",
                "readDemoClock",
                "readStatus",
                "readMe")) {
            table.put(id, Set.of(Scope.READ));
        }
        for (String id : List.of(
                "bookReservation",
                "changeReservation",
                "acceptProposal",
                "declineProposal",
                "quoteCancellation",
                "cancelReservation",
                "listWebhooks",
                "createWebhook",
                "readWebhook",
                "changeWebhook",
                "deleteWebhook",
                "rotateWebhookSecret",
                "listWebhookDeliveries",
                "resendWebhookDelivery",
                "listTriggers",
                "createTrigger",
                "readTrigger",
                "deleteTrigger",
                "listTriggerFirings",
                "fireTriggerAgain",
                "writeMe")) {
            table.put(id, Set.of(Scope.BOOK));
        }
        for (String id : List.of("createLease", "beatLease", "endLease")) {
            table.put(id, Set.of(Scope.LEASE));
        }
        // Its owner, and the team's jobs.
        table.put("readAccess", Set.of(Scope.BOOK, Scope.LEASE));
        for (String id : List.of("readLease", "listLeases", "streamLease")) {
            table.put(id, Set.of(Scope.LEASE, Scope.READ));
        }
        for (String id : List.of("renewTicket", "endTicket", "readCaller")) {
            table.put(id, Set.of(Scope.values()));
        }
        for (String id : List.of(
                "listAccounts",
                "createPool",
                "deletePool",
                "declareOutage",
                "endOutage",
                "moveDemoClock",
                "pausePurchases",
                "resumePurchases",
                "listTasks",
                "answerTask",
                "listTeams",
                "createTeam",
                "deleteTeam",
                "listTokens",
                "createToken",
                "revokeToken",
                "listTrustRules",
                "createTrustRule",
                "deleteTrustRule",
                "listAuditEvents")) {
            table.put(id, Set.of(Scope.ADMIN));
        }
        return Collections.unmodifiableMap(table);
    }

    /** Any one of them is enough. An operation that nobody thought about is the administrator's. */
    static Set<Scope> needed(String operationId) {
        return NEEDED.getOrDefault(operationId, Set.of(Scope.ADMIN));
    }

    /** Operations that the table names. */
    static Set<String> known() {
        return NEEDED.keySet();
    }

    /** @throws ApiProblem 403 {@code not_allowed} naming what is missing, or saying that it is not for jobs */
    static void check(String operationId, Caller caller) {
        Set<Scope> needed = needed(operationId);
        if (needed.stream().noneMatch(caller.grants()::allows)) {
            throw refused(needed, caller.grants());
        }
        if (caller.grants().isTicket() && !JOBS.contains(operationId)) {
            throw notForJobs(caller.grants());
        }
    }

    private static ApiProblem notForJobs(Grants grants) {
        return new ApiProblem(Problem.of(
                        403,
                        "not_allowed",
                        "This call is not for the tickets of CI jobs, whatever their scopes; send a token of the team.",
                        "CI 任务的票据无论权限如何都不能进行此操作；请使用团队的令牌。")
                .with("has", grants.names()));
    }

    /** @throws ApiProblem 403 {@code not_allowed} if the body names what the caller's trust rule leaves out */
    static void check(String operationId, Caller caller, @Nullable JsonNode body) {
        Set<String> pools = caller.grants().pools();
        if (pools == null || !(operationId.equals("createLease") || operationId.equals("readAccess"))) {
            return;
        }
        JsonNode pool = body == null ? null : body.get("pool");
        if (pool == null || !pools.contains(pool.asText())) {
            throw new ApiProblem(Problem.of(
                            403,
                            "not_allowed",
                            "The trust rule of this ticket names the pools that may be leased; lease from one of them, see pools.",
                            "此票据的信任规则限定了可租用的资源池；请从 pools 中选择一个。")
                    .with("pools", new TreeSet<>(pools)));
        }
    }

    private static ApiProblem refused(Set<Scope> needed, Grants grants) {
        Set<String> needs = new TreeSet<>();
        needed.forEach(scope -> needs.add(scope.wireName()));
        String either = String.join(" or ", needs);
        return new ApiProblem(Problem.of(
                        403,
                        "not_allowed",
                        "This call needs the scope " + either + ", and the token has "
                                + String.join(", ", grants.names())
                                + ". Ask an administrator for a token or a trust rule with it.",
                        "此操作需要权限 " + either + "，而令牌只有 " + String.join("、", grants.names()) + "。请向管理员申请带有该权限的令牌或信任规则。")
                .with("needs", needs)
                .with("has", grants.names()));
    }
}
