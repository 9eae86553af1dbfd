package dev.gpubroker.broker.identity;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.http.Scope;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** {@code /v1/tickets}. Takes no idempotency key: a stored answer would be a stored secret. */
final class TicketRoutes implements Routes {
    private static final Duration SOON = Duration.ofSeconds(10);

    private final TicketService tickets;
    private final ZoneId zone;

    TicketRoutes(TicketService tickets, ZoneId zone) {
        this.tickets = tickets;
        this.zone = zone;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("createTicket", this::createTicket)
                .on("renewTicket", this::renewTicket)
                .on("endTicket", this::endTicket);
    }

    private Future<ApiReply> createTicket(ApiRequest request) {
        JsonNode team = request.object().get("team");
        return tickets.exchange(request.object().get("token").textValue(), team == null ? null : team.textValue())
                .map(issued -> {
                    Map<String, Object> json =
                            json(issued.ticket(), issued.rule().scopes());
                    json.put("team", issued.rule().team());
                    json.put("rule", issued.rule().id());
                    json.put("ticket", issued.secret().reveal());
                    return ApiReply.json(201, json);
                })
                .recover(TicketRoutes::told);
    }

    private Future<ApiReply> renewTicket(ApiRequest request) {
        Caller caller = request.caller();
        return tickets.renew(ticketOf(caller))
                .map(renewed -> ApiReply.ok(json(
                        renewed.orElseThrow(TicketRoutes::runOut),
                        caller.grants().scopes())));
    }

    private Future<ApiReply> endTicket(ApiRequest request) {
        Caller caller = request.caller();
        return tickets.end(ticketOf(caller), caller.team(), caller.name()).map(done -> ApiReply.noContent());
    }

    private static String ticketOf(Caller caller) {
        String credential = caller.grants().credential();
        if (credential.startsWith("tkt_")) {
            return credential;
        }
        throw new ApiProblem(
                409,
                "wrong_state",
                "This is about the ticket that is sent, and a token was sent.",
                "此操作针对所发送的票据，而收到的是令牌。");
    }

    private Map<String, Object> json(Ticket ticket, Set<Scope> scopes) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", ticket.id());
        json.put("name", ticket.name());
        json.put("scopes", scopes.stream().sorted().map(Scope::wireName).toList());
        json.put("expiresAt", Fields.time(ticket.expiresAt(), zone));
        json.put("renewableUntil", Fields.time(ticket.renewableUntil(), zone));
        return json;
    }

    private static <T> Future<T> told(Throwable fault) {
        if (fault instanceof RefusedToken refused) {
            return Future.failedFuture(new ApiProblem(refusal(refused)));
        }
        return Future.failedFuture(fault instanceof IssuerKeys.IssuerAway ? new ApiProblem(away()) : fault);
    }

    private static Problem refusal(RefusedToken refused) {
        RefusedToken.Check check = refused.check();
        String claim = refused.claim();
        Problem problem = Problem.of(
                        401,
                        "token_refused",
                        "The OIDC token is not taken: " + check.english() + (claim == null ? "" : " (" + claim + ")")
                                + ".",
                        "OIDC 令牌未被接受：" + check.chinese() + (claim == null ? "" : "（" + claim + "）") + "。")
                .withHeader("WWW-Authenticate", "Bearer error=\"invalid_token\"")
                .with("check", check.wireName());
        return claim == null ? problem : problem.with("claim", claim);
    }

    private static Problem away() {
        return Problem.of(
                        503,
                        "issuer_unavailable",
                        "The issuer of the token does not answer, so that it cannot be checked; send the same again a little later.",
                        "令牌的签发者暂时无法访问，无法校验；请稍后重新发送。")
                .retryAfter(SOON);
    }

    private static ApiProblem runOut() {
        return new ApiProblem(
                Problem.of(401, "unauthorized", "The token is not known here or no longer valid.", "令牌无效或已失效。")
                        .withHeader("WWW-Authenticate", "Bearer error=\"invalid_token\""));
    }
}
