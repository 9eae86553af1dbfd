package dev.gpubroker.adapter.zhixingyun;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformFault.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The wire: one signed form, one answer. Throws {@link Kind#UNREACHABLE} only when nothing was sent, and
 * {@link Kind#THROTTLED} only for HTTP 429; every other fault leaves open whether the call had an effect. Passwords, which the
 * platform puts into its answers, are dropped here, so that nothing behind this class can log them.
 */
final class ZhixingyunClient {
    static final URI REAL = URI.create("https://app.ai-galaxy.cn");

    /** A page of 100 machines is about 200 kB; what is longer is not read to its end and so counts as unreadable. */
    private static final int MOST_BYTES = 8 << 20;

    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final HttpClient http;
    private final URI base;
    private final FormSigner signer;
    private final InstantSource wallTime;

    ZhixingyunClient(URI base, FormSigner signer, Duration connectTimeout, InstantSource wallTime) {
        this.base = base;
        this.signer = signer;
        this.wallTime = wallTime;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(connectTimeout)
                .build();
    }

    static ZhixingyunClient of(AccountSettings settings) {
        URI endpoint = settings.endpoint();
        return new ZhixingyunClient(
                endpoint == null ? REAL : endpoint,
                new FormSigner(settings.credential("access_key"), settings.credential("secret_key")),
                settings.queryTimeout(),
                InstantSource.system());
    }

    /** @param operation such as {@code instance/get_instance_list} */
    Answer call(String operation, Map<String, String> fields, Duration timeout) {
        Answer answer = callWithPasswords(operation, fields, timeout);
        return new Answer(answer.code(), answer.message(), withoutPasswords(answer.data()));
    }

    /** For the one question that is about a password; its answer goes no further than needed. */
    Answer callWithPasswords(String operation, Map<String, String> fields, Duration timeout) {
        HttpRequest request = HttpRequest.newBuilder(base.resolve("/openapi/v2/" + operation))
                .timeout(timeout)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(signer.body(fields, wallTime.instant())))
                .build();
        CompletableFuture<HttpResponse<byte[]>> exchange = http.sendAsync(request, bounded());
        try {
            // The request's own time-out ends with the headers; this one covers the body too.
            return read(operation, exchange.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException slow) {
            exchange.cancel(true);
            throw new PlatformFault(Kind.TIMED_OUT, operation + " took longer than " + timeout, slow);
        } catch (InterruptedException stopped) {
            exchange.cancel(true);
            Thread.currentThread().interrupt();
            throw new PlatformFault(Kind.TIMED_OUT, operation + " was interrupted", stopped);
        } catch (ExecutionException broken) {
            throw fault(operation, broken.getCause() == null ? broken : broken.getCause());
        }
    }

    private static PlatformFault fault(String operation, Throwable cause) {
        if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
            return new PlatformFault(Kind.UNREACHABLE, operation + ": no connection", cause);
        }
        if (cause instanceof HttpTimeoutException) {
            return new PlatformFault(Kind.TIMED_OUT, operation + " was not answered in time", cause);
        }
        return new PlatformFault(Kind.PLATFORM_ERROR, operation + ": the connection broke", cause);
    }

    private static Answer read(String operation, HttpResponse<byte[]> response) {
        if (response.statusCode() == 429) {
            throw PlatformFault.throttled(operation + ": HTTP 429", retryAfter(response));
        }
        if (response.statusCode() != 200) {
            throw new PlatformFault(Kind.PLATFORM_ERROR, operation + ": HTTP " + response.statusCode());
        }
        try {
            return answer(JSON.readTree(response.body()))
                    .orElseThrow(() ->
                            new PlatformFault(Kind.PLATFORM_ERROR, operation + ": the answer has no clear outcome"));
        } catch (JsonProcessingException unreadable) {
            // Without its cause, which quotes the answer.
            throw new PlatformFault(Kind.PLATFORM_ERROR, operation + ": the answer is no JSON");
        } catch (IOException impossible) {
            throw new IllegalStateException("reading from memory", impossible);
        }
    }

    /** Empty unless {@code success} and {@code code} are both there and agree. */
    private static java.util.Optional<Answer> answer(@Nullable JsonNode envelope) {
        if (envelope == null || !envelope.path("success").isBoolean()) {
            return java.util.Optional.empty();
        }
        String code = envelope.path("code").asText("");
        if (code.isEmpty() || envelope.path("success").asBoolean() != code.equals("2000")) {
            return java.util.Optional.empty();
        }
        return java.util.Optional.of(new Answer(code, envelope.path("message").asText(""), envelope.path("data")));
    }

    private static JsonNode withoutPasswords(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.properties().removeIf(field -> isSecret(field.getKey()));
        }
        node.forEach(ZhixingyunClient::withoutPasswords);
        return node;
    }

    private static boolean isSecret(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.contains("passwd") || lower.contains("password") || lower.contains("secret");
    }

    private static @Nullable Duration retryAfter(HttpResponse<?> response) {
        return response.headers()
                .firstValue("retry-after")
                .filter(value -> value.matches("\\d{1,6}"))
                .map(value -> Duration.ofSeconds(Long.parseLong(value)))
                .orElse(null);
    }

    private static HttpResponse.BodyHandler<byte[]> bounded() {
        return head -> {
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            AtomicBoolean full = new AtomicBoolean();
            return BodySubscribers.mapping(
                    BodySubscribers.ofByteArrayConsumer(part -> part.ifPresent(bytes -> {
                        if (read.size() + bytes.length > MOST_BYTES) {
                            full.set(true);
                        }
                        if (!full.get()) {
                            read.write(bytes, 0, bytes.length);
                        }
                    })),
                    end -> read.toByteArray());
        };
    }

    /** Leaves the credentials out. */
    @Override
    public String toString() {
        return "client of " + base;
    }
}
