package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.net.Outbound.Answer;
import dev.gpubroker.broker.net.Outbound.Call;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Any address: a POST with the run id as {@code Idempotency-Key}, by which the target drops a repeat. */
final class GenericStart implements Start {
    private final Trigger trigger;
    private final @Nullable String token;

    GenericStart(Trigger trigger, @Nullable String token) {
        this.trigger = trigger;
        this.token = token;
    }

    @Override
    public Call start(Firing firing) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Idempotency-Key", firing.run());
        if (token != null) {
            headers.put("Authorization", "Bearer " + token);
        }
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("run", firing.run());
        ObjectNode inputs = body.putObject("inputs");
        new TreeMap<>(trigger.target().inputs()).forEach(inputs::put);
        body.set("reservation", firing.state());
        return Calls.json(trigger.target().server(), headers, body);
    }

    @Override
    public Optional<String> seenAt(Answer answer) {
        return Optional.empty();
    }

    @Override
    public Optional<Call> look() {
        return Optional.empty();
    }

    @Override
    public Seen seen(Answer answer, Firing firing) {
        return Seen.NEVER_SHOWN;
    }
}
