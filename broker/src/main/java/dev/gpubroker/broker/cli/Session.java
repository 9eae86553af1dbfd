package dev.gpubroker.broker.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gpubroker.broker.config.AdminToken;
import dev.gpubroker.client.ApiClient;
import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.api.CatalogueApi;
import dev.gpubroker.client.api.OperationApi;
import dev.gpubroker.client.api.PlanningApi;
import dev.gpubroker.client.api.PoolsApi;
import dev.gpubroker.client.api.ReservationsApi;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One run of a command: the broker it talks to, and how it answers. */
final class Session {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    /** Booking asks every platform under a deadline of seconds. */
    private static final Duration READ = Duration.ofSeconds(60);
    /** A jump of the demo clock visits every due instant, up to seconds each. */
    private static final Duration WALK = Duration.ofMinutes(30);

    private static final int TRIES = 5;
    /** A fault of the broker seldom goes away by itself. */
    private static final int TRIES_OF_A_FAULT = 2;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");
    /** Answers that only say "not now": the same call with the same key is safe and may get further. */
    private static final Set<Integer> NOT_NOW = Set.of(429, 503);

    private static final int INTERNAL_ERROR = 500;

    private final Globals globals;
    private final Terminal terminal;
    private final Lang lang;
    private final ObjectMapper mapper = ApiClient.createDefaultObjectMapper();

    Session(Globals globals, Terminal terminal) {
        this.globals = globals;
        this.terminal = terminal;
        this.lang = Lang.of(globals.lang, terminal.environment());
    }

    // ---- the broker ---------------------------------------------------------------------------------------

    /** The broker's address, without a slash at the end. */
    URI url() {
        String said = globals.url != null ? globals.url : terminal.variable("GPU_BROKER_URL");
        String text = (said == null ? "http://127.0.0.1:8080" : said.strip()).replaceAll("/+$", "");
        try {
            URI url = URI.create(text);
            if (url.getHost() != null && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))) {
                return url;
            }
        } catch (IllegalArgumentException unreadable) {
            // Said below, as for an address without a host.
        }
        throw new CliFailure(
                ExitCode.USAGE,
                lang.pick(
                        "'" + text + "' is no address of a broker, such as http://127.0.0.1:8080.",
                        "“" + text + "”不是 broker 的地址，例如 http://127.0.0.1:8080。"));
    }

    /** Where a broker on this machine keeps the token that nobody set. */
    Path tokenFile() {
        String data = terminal.variable("GPU_BROKER_DATA");
        String folder = data == null ? "~/.local/share/gpu-broker" : data;
        if (folder.startsWith("~/")) {
            folder = home() + folder.substring(1);
        }
        return AdminToken.file(Path.of(folder));
    }

    private String home() {
        return terminal.environment().getOrDefault("HOME", System.getProperty("user.home", "."));
    }

    /** As the XDG base directories say; what is in it may be deleted at any time. */
    Path cache() {
        String said = terminal.variable("XDG_CACHE_HOME");
        Path base = said != null && Path.of(said).isAbsolute() ? Path.of(said) : Path.of(home(), ".cache");
        return base.resolve("gpu-broker");
    }

    /** As set; else that of a broker on this machine, which is never sent to another one. */
    private @Nullable String token() {
        String said = terminal.variable("GPU_BROKER_TOKEN");
        if (said != null || !LOOPBACK.contains(url().getHost())) {
            return said;
        }
        try {
            return Files.readString(tokenFile(), StandardCharsets.UTF_8).strip();
        } catch (IOException none) {
            return null;
        }
    }

    private ApiClient client(Duration patience) {
        String token = token();
        ApiClient client = new ApiClient(
                ApiClient.createDefaultHttpClientBuilder().version(HttpClient.Version.HTTP_1_1),
                mapper,
                url().toString());
        return client.setConnectTimeout(CONNECT).setReadTimeout(patience).setRequestInterceptor(request -> {
            request.header("Accept-Language", lang.pick("en", "zh"));
            if (token != null) {
                request.header("Authorization", "Bearer " + token);
            }
        });
    }

    ReservationsApi reservations() {
        return new ReservationsApi(client(READ));
    }

    PlanningApi planning() {
        return new PlanningApi(client(READ));
    }

    CatalogueApi catalogue() {
        return new CatalogueApi(client(READ));
    }

    PoolsApi pools() {
        return new PoolsApi(client(READ));
    }

    OperationApi operation() {
        return new OperationApi(client(READ));
    }

    /** With the patience that a jump of the clock needs. */
    OperationApi clock() {
        return new OperationApi(client(WALK));
    }

    // ---- calls that may be repeated -------------------------------------------------------------------------

    /** A call of the API. */
    interface Call<T> {
        T run() throws ApiException;
    }

    static String newKey() {
        return "cli-" + UUID.randomUUID();
    }

    /**
     * Makes a call that carries an idempotency key, and makes it again where it is not known what became of it: the broker
     * answers the same key and body with the first call's answer.
     */
    <T> T spend(String key, Call<T> call) throws ApiException {
        for (int attempt = 1; ; attempt++) {
            try {
                return call.run();
            } catch (ApiException fault) {
                Duration wait = waitBeforeRepeating(fault, attempt);
                if (wait == null) {
                    throw fault;
                }
                if (attempt >= (fault.getCode() == INTERNAL_ERROR ? TRIES_OF_A_FAULT : TRIES)) {
                    note("gpu-broker: " + unknown(key));
                    throw fault;
                }
                pause(wait);
            }
        }
    }

    /** @return null where repeating cannot help */
    private static @Nullable Duration waitBeforeRepeating(ApiException fault, int attempt) {
        Duration usual = Duration.ofSeconds(1L << (attempt - 1));
        if (fault.getCode() == 0) {
            // Nothing listens there, so nothing was sent; later on it may be a broker that restarts.
            boolean neverSent = fault.getCause() instanceof ConnectException
                    || fault.getCause() instanceof HttpConnectTimeoutException;
            boolean helpsNot = !(fault.getCause() instanceof IOException) || (neverSent && attempt == 1);
            return helpsNot ? null : usual;
        }
        boolean stillRunning = fault.getCode() == 409
                && String.valueOf(fault.getResponseBody()).contains("idempotency_in_progress");
        if (stillRunning || NOT_NOW.contains(fault.getCode())) {
            return asTold(fault, usual);
        }
        return fault.getCode() == INTERNAL_ERROR ? usual : null;
    }

    private static Duration asTold(ApiException fault, Duration usual) {
        Duration told = fault.getResponseHeaders() == null
                ? usual
                : fault.getResponseHeaders()
                        .firstValue("Retry-After")
                        .filter(seconds -> seconds.matches("[0-9]{1,6}"))
                        .map(seconds -> Duration.ofSeconds(Long.parseLong(seconds)))
                        .orElse(usual);
        return told.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : told;
    }

    private void pause(Duration wait) {
        try {
            terminal.pause().sleep(wait);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new CliFailure(ExitCode.FAILED, lang.pick("Interrupted.", "已中断。"));
        }
    }

    private String unknown(String key) {
        return lang.pick(
                "It is not known whether this was done. Run the same command again with --key " + key
                        + " to learn it; nothing is done twice.",
                "不知道操作是否已完成。请加上 --key " + key + " 重新执行同一条命令，不会重复下单。");
    }

    // ---- answers --------------------------------------------------------------------------------------------

    Terminal terminal() {
        return terminal;
    }

    Lang lang() {
        return lang;
    }

    boolean json() {
        return globals.json;
    }

    ObjectMapper mapper() {
        return mapper;
    }

    /** Prints lines for a person. */
    void say(String text) {
        terminal.out().print(text.endsWith("\n") ? text : text + "\n");
        terminal.out().flush();
    }

    /** The same, in the language that the person reads. */
    void say(String english, String chinese) {
        say(lang.pick(english, chinese));
    }

    /** Prints what does not belong to the answer. */
    void note(String text) {
        terminal.err().print(text.endsWith("\n") ? text : text + "\n");
        terminal.err().flush();
    }

    /** Prints an answer as JSON. */
    void print(Object answer) {
        try {
            say(mapper.writerWithDefaultPrettyPrinter().writeValueAsString(answer));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer that was read cannot be written", e);
        }
    }

    /** Ends a command that went wrong, and says what a person can do. */
    int fail(Exception fault) {
        if (fault instanceof ApiException refused) {
            return new ProblemView(this).show(refused);
        }
        String message = fault instanceof CliFailure known
                ? String.valueOf(known.getMessage())
                : lang.pick("Unexpected: ", "意外错误：") + fault;
        note("gpu-broker: " + Width.clean(message));
        return fault instanceof CliFailure known ? known.exitCode() : ExitCode.FAILED;
    }
}
