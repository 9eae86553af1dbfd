package dev.gpubroker.broker.http;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the caller of a request, or refuses it. */
final class Identity {
    private static final Pattern BEARER = Pattern.compile("[Bb][Ee][Aa][Rr][Ee][Rr] +([\\x21-\\x7e]{1,8192}) *");

    private final Authenticator authenticator;

    Identity(Authenticator authenticator) {
        this.authenticator = authenticator;
    }

    /** The caller; fails with an {@link ApiProblem} 401. */
    Future<Caller> of(HttpServerRequest request) {
        List<String> headers = request.headers().getAll("Authorization");
        if (headers.isEmpty()) {
            return Future.failedFuture(unauthorized(
                    "Bearer", "Send your token: Authorization: Bearer …", "请在请求头中发送令牌：Authorization: Bearer …"));
        }
        Matcher bearer = BEARER.matcher(headers.get(0));
        if (headers.size() > 1 || !bearer.matches()) {
            return Future.failedFuture(unknown());
        }
        return authenticator
                .authenticate(bearer.group(1))
                .compose(caller -> caller.map(Future::succeededFuture).orElseGet(() -> Future.failedFuture(unknown())));
    }

    private static ApiProblem unknown() {
        return unauthorized(
                "Bearer error=\"invalid_token\"", "The token is not known here or no longer valid.", "令牌无效或已失效。");
    }

    private static ApiProblem unauthorized(String challenge, String detail, String detailZh) {
        return new ApiProblem(
                Problem.of(401, "unauthorized", detail, detailZh).withHeader("WWW-Authenticate", challenge));
    }
}
