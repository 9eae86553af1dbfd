package dev.gpubroker.adapter.aliyun;

import com.aliyun.teaopenapi.Client;
import com.aliyun.teaopenapi.models.Config;
import com.aliyun.teaopenapi.models.OpenApiRequest;
import com.aliyun.teaopenapi.models.Params;
import com.aliyun.teautil.models.RuntimeOptions;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.gpubroker.adapter.spi.AccountSettings;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The wire: one signed POST per call, all parameters in the query string, through the vendor's generic client. Its retries
 * are off (a read time-out would otherwise send the call again) and its HTTP client does not reconnect behind our back.
 * Replies are read here and not by the client, which holds money as floating point and loses the status of what it cannot
 * read. Safe for many threads.
 */
final class AliyunClient {
    /** An API product with the version that we speak. */
    enum Product {
        ECS("2014-05-26"),
        BSS("2017-12-14");

        private final String version;

        Product(String version) {
            this.version = version;
        }
    }

    /** Which of the account's two time-outs bounds the call. */
    enum Patience {
        QUERY,
        CLAIM
    }

    /** Decimals exactly as they were sent, to the last zero. */
    static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    /** The client's own formatter follows the JVM's language, and with some languages its calendar and digits. */
    private static final DateTimeFormatter SIGNED_DATE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final int LONGEST_TEXT = 300;

    private final AccountSettings settings;
    private final AliyunOptions options;
    private final InstantSource wallTime;
    private final String accessKeyId;
    private final String accessKeySecret;
    private final @Nullable String securityToken;
    private final Map<String, Client> clients = new ConcurrentHashMap<>();

    AliyunClient(AccountSettings settings, AliyunOptions options, InstantSource wallTime) {
        this.settings = settings;
        this.options = options;
        this.wallTime = wallTime;
        this.accessKeyId = settings.credential(AliyunAdapterFactory.KEY_ID);
        this.accessKeySecret = settings.credential(AliyunAdapterFactory.KEY_SECRET);
        this.securityToken = settings.credentials().get(AliyunAdapterFactory.SECURITY_TOKEN);
    }

    /** Sends once and says what came back; throws nothing that the network or the platform causes. */
    Answer call(Product product, String region, String action, Map<String, String> query, Patience patience) {
        Params params = new Params()
                .setAction(action)
                .setVersion(product.version)
                .setProtocol(isPlain() ? "HTTP" : "HTTPS")
                .setPathname("/")
                .setMethod("POST")
                .setAuthType("AK")
                .setStyle("RPC")
                .setReqBodyType("formData")
                .setBodyType("string");
        OpenApiRequest request = new OpenApiRequest()
                .setQuery(query)
                .setHeaders(Map.of("x-acs-date", SIGNED_DATE.format(wallTime.instant())));
        RuntimeOptions runtime = new RuntimeOptions();
        runtime.autoretry = false;
        runtime.maxAttempts = 1;
        runtime.returnErrorResponse = true; // Errors come back as status and body, to be read below.
        try {
            return read(client(product, region, patience).callApi(params, request, runtime));
        } catch (Exception fault) { // The client declares Exception.
            return lost(fault);
        }
    }

    private Client client(Product product, String region, Patience patience) throws Exception {
        String endpoint = endpoint(product, region);
        String key = endpoint + " " + patience;
        Client known = clients.get(key);
        if (known != null) {
            return known;
        }
        Duration timeout = patience == Patience.CLAIM ? settings.claimTimeout() : settings.queryTimeout();
        int millis = Math.toIntExact(Math.max(1, timeout.toMillis()));
        Config config = new Config()
                .setEndpoint(endpoint)
                .setRegionId(region)
                .setProtocol(isPlain() ? "HTTP" : "HTTPS")
                .setAccessKeyId(accessKeyId)
                .setAccessKeySecret(accessKeySecret)
                .setConnectTimeout(millis)
                .setReadTimeout(millis);
        config.callTimeout = millis; // Bounds the whole exchange: a body that drips would never hit the read time-out.
        if (securityToken != null && !securityToken.isBlank()) {
            config.setSecurityToken(securityToken);
        }
        Client made = new Client(config);
        Client first = clients.putIfAbsent(key, made);
        return first == null ? made : first;
    }

    private boolean isPlain() {
        URI endpoint = settings.endpoint();
        return endpoint != null && "http".equalsIgnoreCase(endpoint.getScheme());
    }

    private String endpoint(Product product, String region) {
        URI endpoint = settings.endpoint();
        if (endpoint != null) {
            return endpoint.getAuthority();
        }
        return product == Product.ECS ? options.ecsEndpoint(region) : options.bssEndpoint();
    }

    private Answer read(Map<String, ?> reply) {
        int status = reply.get("statusCode") instanceof Number number ? number.intValue() : 0;
        String body = reply.get("body") instanceof String text ? text : "";
        JsonNode json;
        try {
            json = JSON.readTree(body);
        } catch (JsonProcessingException unreadable) {
            return new Answer.Lost("HTTP " + status + " with a body that is no JSON", false);
        }
        if (!json.isObject()) {
            return new Answer.Lost("HTTP " + status + " with an empty or odd body", false);
        }
        if (status >= 200 && status < 300) {
            return new Answer.Body(json);
        }
        String code = json.path("Code").asText("");
        if (status < 400 || code.isEmpty()) {
            return new Answer.Lost("HTTP " + status + " without an error code", false);
        }
        return new Answer.Refusal(
                status, clean(code), clean(json.path("Message").asText("")), retryAfter(reply));
    }

    private static @Nullable Duration retryAfter(Map<String, ?> reply) {
        if (reply.get("headers") instanceof Map<?, ?> headers
                && headers.get("retry-after") instanceof String seconds
                && seconds.matches("[0-9]{1,5}")) {
            return Duration.ofSeconds(Long.parseLong(seconds));
        }
        return null;
    }

    private Answer lost(Exception fault) {
        for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException
                    || cause instanceof UnknownHostException
                    || cause instanceof NoRouteToHostException) {
                return new Answer.NotSent(text(cause));
            }
            if (cause instanceof InterruptedIOException) { // Read, write and whole-call time-outs alike.
                return new Answer.Lost(text(cause), true);
            }
        }
        return new Answer.Lost(text(root(fault)), false);
    }

    private static Throwable root(Throwable fault) {
        Throwable root = fault;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private String text(Throwable fault) {
        return clean(fault.getClass().getSimpleName() + ": " + fault.getMessage());
    }

    /** One short line without credentials: what the platform or the client says may end in a log. */
    String clean(String text) {
        String line = text.replaceAll("\\s+", " ").strip();
        for (String secret : new String[] {accessKeySecret, accessKeyId, securityToken == null ? "" : securityToken}) {
            if (!secret.isEmpty()) {
                line = line.replace(secret, "***");
            }
        }
        return line.length() > LONGEST_TEXT ? line.substring(0, LONGEST_TEXT) + "…" : line;
    }
}
