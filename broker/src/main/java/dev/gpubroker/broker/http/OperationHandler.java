package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.http.Contract.Operation;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers one operation: identity and scope, then the body, then the idempotency key, then the contract, then the handler. A
 * repeated key is looked at before anything that depends on the body's meaning.
 */
final class OperationHandler implements Handler<RoutingContext> {
    private final Operation operation;
    private final ApiHandler handler;
    private final RequestCheck check;
    private final Identity identity;
    private final Idempotency idempotency;
    private final Faults faults;

    OperationHandler(
            Operation operation,
            ApiHandler handler,
            RequestCheck check,
            Identity identity,
            Idempotency idempotency,
            Faults faults) {
        this.operation = operation;
        this.handler = handler;
        this.check = check;
        this.identity = identity;
        this.idempotency = idempotency;
        this.faults = faults;
    }

    @Override
    public void handle(RoutingContext context) {
        HttpServerRequest request = context.request();
        request.pause(); // Or the body would pass by while the token is looked up.
        Future<Caller> caller = operation.open() ? Future.succeededFuture(Caller.ANONYMOUS) : permitted(request);
        caller.compose(known ->
                        BodyReader.read(request, operation.bodyTypes()).compose(body -> answer(context, known, body)))
                .recover(failure -> Future.succeededFuture(refusal(failure, context)))
                .onSuccess(answer -> Responses.send(context, answer.reply()));
    }

    private Future<Caller> permitted(HttpServerRequest request) {
        return identity.of(request).map(known -> {
            Permissions.check(operation.id(), known);
            return known;
        });
    }

    private Future<Idempotency.Answer> answer(RoutingContext context, Caller caller, Buffer bytes) {
        HttpServerRequest request = context.request();
        JsonNode body = bytes.length() == 0 ? null : BodyJson.read(bytes.getBytes());
        Permissions.check(operation.id(), caller, body);
        String key = Idempotency.key(request.getHeader(Idempotency.HEADER), operation.keyRule());
        if (key == null) {
            return work(context, caller, body, null);
        }
        byte[] hash = Idempotency.requestHash(
                operation.method(), request.uri(), body == null ? "" : BodyJson.canonical(body));
        return idempotency.once(caller.team(), key, hash, ticket -> work(context, caller, body, ticket));
    }

    /** Checks and handles; never fails. */
    private Future<Idempotency.Answer> work(
            RoutingContext context, Caller caller, @Nullable JsonNode body, @Nullable IdempotencyTicket ticket) {
        Future<ApiReply> reply;
        try {
            reply = requireNonNull(handler.handle(checked(context, caller, body, ticket)), operation.id());
        } catch (RuntimeException refused) {
            reply = Future.failedFuture(refused);
        }
        return reply.timeout(operation.timeout().toMillis(), TimeUnit.MILLISECONDS)
                .map(done -> new Idempotency.Answer(done, null, false))
                .recover(failure -> Future.succeededFuture(
                        Faults.isTimeout(failure) ? tooSlow(context) : refusal(failure, context)));
    }

    private ApiRequest checked(
            RoutingContext context, Caller caller, @Nullable JsonNode body, @Nullable IdempotencyTicket ticket) {
        HttpServerRequest request = context.request();
        Map<String, JsonNode> query = check.check(context.pathParams(), context.queryParams(), request.headers(), body);
        Map<String, String> headers = new HashMap<>();
        request.headers().forEach((name, value) -> headers.putIfAbsent(name.toLowerCase(Locale.ROOT), value));
        headers.remove("authorization"); // Whoever needs to know has it as the caller.
        return new ApiRequest(
                operation.id(),
                RequestIds.of(context),
                caller,
                context.pathParams(),
                query,
                headers,
                body,
                ticket,
                Language.ofHeader(request.getHeader("Accept-Language")));
    }

    private Idempotency.Answer refusal(Throwable failure, RoutingContext context) {
        String requestId = RequestIds.of(context);
        return refusal(faults.problem(failure, requestId, operation.id()), requestId, false);
    }

    private Idempotency.Answer tooSlow(RoutingContext context) {
        return refusal(Faults.unavailable(), RequestIds.of(context), true);
    }

    private static Idempotency.Answer refusal(Problem problem, String requestId, boolean worksOn) {
        return new Idempotency.Answer(ApiReply.problem(problem, requestId), problem, worksOn);
    }
}
