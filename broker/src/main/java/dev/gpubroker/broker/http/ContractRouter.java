package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.openapi.router.RouterBuilder;
import io.vertx.openapi.contract.OpenAPIContract;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Builds the router from the contract: every operation with its handler, and a problem document for whatever is not in
 * the contract. Loading takes about a second; do it beside the start of the database.
 */
public final class ContractRouter {
    private final Contract contract;
    private final RouteTable table;
    private final Identity identity;
    private final Idempotency idempotency;
    private final Faults faults;

    /**
     * @param isUnavailable whether a fault means that the database is away or busy, as {@link PgFaults} tells
     * @throws IllegalStateException if an operation has no handler or a handler no operation
     */
    public ContractRouter(
            Contract contract,
            RouteTable table,
            Authenticator authenticator,
            IdempotencyStore idempotency,
            Predicate<Throwable> isUnavailable) {
        this.contract = contract;
        this.table = table;
        this.identity = new Identity(authenticator);
        this.idempotency = new Idempotency(idempotency);
        this.faults = new Faults(isUnavailable);
        requireAgreement();
    }

    private void requireAgreement() {
        TreeSet<String> unanswered = new TreeSet<>(contract.operations().keySet());
        unanswered.removeAll(table.handlers().keySet());
        TreeSet<String> unknown = new TreeSet<>(table.handlers().keySet());
        unknown.removeAll(contract.operations().keySet());
        if (!unanswered.isEmpty() || !unknown.isEmpty()) {
            throw new IllegalStateException("routes and contract disagree: operations without a handler " + unanswered
                    + ", handlers without an operation " + unknown);
        }
    }

    /**
     * The router for the whole server; fails if Vert.x cannot read the contract.
     *
     * @param pages what is served outside the contract; each is mounted before the answer "not found"
     */
    public Future<Router> build(Vertx vertx, List<Pages> pages) {
        return OpenAPIContract.from(vertx, contract.forVertx()).map(loaded -> {
            RouterBuilder builder = RouterBuilder.create(vertx, loaded);
            builder.rootHandler(new RequestIds());
            builder.rootHandler(new SentAt(InstantSource.system()));
            builder.rootHandler(SecurityHeaders::add);
            contract.operations().forEach((id, operation) -> {
                RequestCheck check = new RequestCheck(contract, operation, loaded.getSchemaRepository());
                ApiHandler handler = requireNonNull(table.handlers().get(id), id);
                requireNonNull(builder.getRoute(id), id)
                        .setDoValidation(false) // RequestCheck does, and names every bad field instead of the first.
                        .setDoSecurity(false)
                        .addHandler(new OperationHandler(operation, handler, check, identity, idempotency, faults));
            });
            Router router = builder.createRouter();
            router.route("/v1/*").handler(this::refuseKnownCaller);
            pages.forEach(each -> each.addTo(router));
            router.route().handler(context -> Responses.refuse(context, notInContract(context)));
            router.route().failureHandler(context -> refuseFailure(context, context.statusCode()));
            // What no route has seen: an address that cannot be decoded, for instance.
            for (int status : new int[] {400, 404, 405, 406, 413, 415, 500}) {
                router.errorHandler(status, context -> refuseFailure(context, status));
            }
            return router;
        });
    }

    /** Tells nobody without a token what exists under {@code /v1}. */
    private void refuseKnownCaller(RoutingContext context) {
        HttpServerRequest request = context.request();
        request.pause();
        identity.of(request)
                .map(known -> notInContract(context))
                .recover(failure ->
                        Future.succeededFuture(faults.problem(failure, RequestIds.of(context), request.path())))
                .onSuccess(problem -> {
                    request.resume();
                    Responses.refuse(context, problem);
                });
    }

    private Problem notInContract(RoutingContext context) {
        List<String> methods = contract.methodsAt(context.normalizedPath());
        if (methods.isEmpty()) {
            return Problem.of(404, "not_found", "There is nothing at this address.", "此地址不存在。");
        }
        String allowed = String.join(", ", methods);
        return Problem.of(
                        405,
                        "method_not_allowed",
                        "Only " + allowed + " can be used at this address.",
                        "此地址仅支持 " + allowed + "。")
                .withHeader("Allow", allowed);
    }

    /** For what Vert.x itself refuses, and for mistakes of ours outside handlers. */
    private void refuseFailure(RoutingContext context, int status) {
        Throwable failure = context.failure();
        if (failure != null) {
            Responses.refuse(context, faults.problem(failure, RequestIds.of(context), "routing"));
        } else if (status >= 400 && status < 500) {
            Responses.refuse(context, Faults.unreadable(status));
        } else {
            Throwable unknown = new IllegalStateException("status " + status);
            Responses.refuse(context, faults.problem(unknown, RequestIds.of(context), "routing"));
        }
    }
}
