package dev.gpubroker.broker.http;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Gives every request an id, the caller's if it sent a harmless one, and answers with it. */
final class RequestIds implements Handler<RoutingContext> {
    static final String HEADER = "X-Request-Id";

    private static final String KEY = RequestIds.class.getName();
    private static final Pattern HARMLESS = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    @Override
    public void handle(RoutingContext context) {
        String id = idOr(context.request().getHeader(HEADER));
        context.put(KEY, id);
        context.response().putHeader(HEADER, id);
        context.next();
    }

    static String of(RoutingContext context) {
        String id = context.get(KEY);
        return id == null ? idOr(null) : id;
    }

    static String idOr(@Nullable String sent) {
        return sent != null && HARMLESS.matcher(sent).matches()
                ? sent
                : "req_" + UUID.randomUUID().toString().replace("-", "");
    }
}
