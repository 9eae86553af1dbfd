package dev.gpubroker.broker.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the body of a paused request, within bounds of size and time. */
final class BodyReader {
    /** Far more than any request needs; a start-up script may have 16 KB. */
    static final int MOST_BYTES = 256 * 1024;

    /** A body that comes in slower than this is an attack or a dead line. */
    private static final long MOST_SECONDS = 30;

    private static final Pattern CHARSET =
            Pattern.compile(";\\s*charset\\s*=\\s*[\"']?([^\"';\\s]*)", Pattern.CASE_INSENSITIVE);

    private BodyReader() {}

    /** The bytes, none if there is no body. Fails with an {@link ApiProblem}: 413, 415 or 408. */
    static Future<Buffer> read(HttpServerRequest request, Set<String> mediaTypes) {
        long announced = announced(request);
        boolean empty = announced == 0 || (announced < 0 && request.getHeader("Transfer-Encoding") == null);
        if (!empty && !mediaTypes.isEmpty() && !mediaTypes.contains(mediaType(request.getHeader("Content-Type")))) {
            request.resume();
            return Future.failedFuture(unsupported(mediaTypes));
        }
        if (!empty && !isUtf8(request.getHeader("Content-Type"))) {
            request.resume();
            return Future.failedFuture(notUtf8());
        }
        if (announced > MOST_BYTES) {
            request.resume();
            return Future.failedFuture(tooLarge());
        }
        Promise<Buffer> whole = Promise.promise();
        Buffer received = Buffer.buffer();
        request.exceptionHandler(whole::tryFail);
        request.endHandler(end -> whole.tryComplete(received));
        request.handler(chunk -> {
            if (received.length() + chunk.length() > MOST_BYTES) {
                whole.tryFail(tooLarge());
            } else {
                received.appendBuffer(chunk);
            }
        });
        request.resume();
        return whole.future()
                .timeout(MOST_SECONDS, TimeUnit.SECONDS)
                .recover(failure -> Future.failedFuture(Faults.isTimeout(failure) ? tooSlow() : failure));
    }

    private static long announced(HttpServerRequest request) {
        String length = request.getHeader("Content-Length");
        try {
            return length == null ? -1 : Long.parseLong(length);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static String mediaType(@Nullable String header) {
        return header == null ? "" : header.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT);
    }

    /** Whether the header names no charset but UTF-8, of which US-ASCII is a part. */
    private static boolean isUtf8(@Nullable String header) {
        Matcher named = CHARSET.matcher(header == null ? "" : header);
        return !named.find()
                || List.of("utf-8", "utf8", "us-ascii").contains(named.group(1).toLowerCase(Locale.ROOT));
    }

    private static ApiProblem notUtf8() {
        return new ApiProblem(Problem.of(
                415,
                "unsupported_media_type",
                "The body must be sent in UTF-8; leave the charset out of Content-Type, or say charset=utf-8.",
                "请求体必须是 UTF-8 编码；Content-Type 中不写 charset，或写 charset=utf-8。"));
    }

    private static ApiProblem unsupported(Set<String> mediaTypes) {
        String types = String.join(", ", mediaTypes);
        return new ApiProblem(Problem.of(
                        415,
                        "unsupported_media_type",
                        "The body must be sent with Content-Type " + types + ".",
                        "请求体的 Content-Type 必须是 " + types + "。")
                .withHeader("Accept", types));
    }

    private static ApiProblem tooLarge() {
        int kilobytes = MOST_BYTES / 1024;
        return new ApiProblem(Problem.of(
                        413,
                        "body_too_large",
                        "A request body may have at most " + kilobytes + " KB.",
                        "请求体最大为 " + kilobytes + " KB。")
                .withHeader("Connection", "close"));
    }

    private static ApiProblem tooSlow() {
        return new ApiProblem(Problem.of(
                        408,
                        "request_timeout",
                        "The request body did not arrive within " + MOST_SECONDS + " seconds.",
                        "请求体未在 " + MOST_SECONDS + " 秒内到达。")
                .withHeader("Connection", "close"));
    }
}
