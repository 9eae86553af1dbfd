package dev.gpubroker.verification.crash;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One client's calls. Each goes to a random broker; while its outcome is not known it is sent again, unchanged and with the
 * same idempotency key, to another.
 */
final class Calls {
    /** Longer than a booking takes on two busy cores, shorter than the broker's lock on the key. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final List<BrokerProcess> brokers;
    private final Random random;
    private final Journal journal;
    private final BooleanSupplier givesUp;

    /** @param givesUp when to stop repeating: long after everything runs again */
    Calls(List<BrokerProcess> brokers, Random random, Journal journal, BooleanSupplier givesUp) {
        this.brokers = brokers;
        this.random = random;
        this.journal = journal;
        this.givesUp = givesUp;
    }

    /**
     * @param operation for the journal
     * @param version for {@code If-Match}; empty where the call needs none
     */
    record Call(
            String operation,
            String method,
            String path,
            @Nullable JsonNode body,
            String key,
            String version) {
        static Call read(String path) {
            return new Call("read", "GET", path, null, "", "");
        }

        static Call post(String operation, String path, JsonNode body, String key) {
            return new Call(operation, "POST", path, body, key, "");
        }

        Map<String, String> headers() {
            Map<String, String> headers = new HashMap<>();
            if (!key.isEmpty()) {
                headers.put("Idempotency-Key", key);
            }
            if (!version.isEmpty()) {
                headers.put("If-Match", version);
            }
            return headers;
        }
    }

    /** The answer once it is known; empty if it never became known. */
    Optional<Api.Answer> make(Call call) throws InterruptedException {
        while (true) {
            BrokerProcess broker = brokers.get(random.nextInt(brokers.size()));
            Optional<Api.Answer> answer = once(broker, call);
            if (answer.isPresent()) {
                return answer;
            }
            if (givesUp.getAsBoolean()) {
                journal.write("never answered", call.operation() + " " + call.path() + " " + call.key());
                return Optional.empty();
            }
            TimeUnit.MILLISECONDS.sleep(50 + random.nextInt(400));
        }
    }

    private Optional<Api.Answer> once(BrokerProcess broker, Call call) throws InterruptedException {
        try {
            Api.Answer answer = broker.api(PATIENCE).call(call.method(), call.path(), call.body(), call.headers());
            boolean known = answer.status() < 500
                    && answer.status() != 429
                    && !answer.code().equals("idempotency_in_progress");
            if (known && call.key().isEmpty()) {
                return Optional.of(answer); // Reads change nothing and would fill the journal.
            }
            write(known ? "answered" : "put off", broker, call, answer);
            return known ? Optional.of(answer) : Optional.empty();
        } catch (IOException lost) {
            if (!call.key().isEmpty()) {
                journal.write("lost", details(broker, call).put("fault", String.valueOf(lost)));
            }
            return Optional.empty();
        }
    }

    private void write(String what, BrokerProcess broker, Call call, Api.Answer answer) {
        ObjectNode line = details(broker, call).put("status", answer.status());
        if (answer.isOk()) {
            line.put("id", answer.body().path("id").asText());
            line.put("state", answer.body().path("state").asText());
        } else {
            line.put("code", answer.code());
        }
        journal.write(what, line);
    }

    private static ObjectNode details(BrokerProcess broker, Call call) {
        ObjectNode line = Api.JSON.createObjectNode();
        line.put("operation", call.operation()).put("key", call.key()).put("broker", broker.name());
        line.put("path", call.path());
        return line;
    }
}
