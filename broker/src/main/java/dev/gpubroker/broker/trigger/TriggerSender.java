package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.delivery.Delivery;
import dev.gpubroker.broker.delivery.Outcome;
import dev.gpubroker.broker.delivery.Receivers;
import dev.gpubroker.broker.net.CallFault;
import dev.gpubroker.broker.net.Outbound;
import dev.gpubroker.broker.net.Outbound.Answer;
import dev.gpubroker.broker.net.Outbound.Call;
import dev.gpubroker.broker.net.RefusedAddress;
import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Starts pipelines, each once for a reservation. A start whose reply was lost may have taken effect: the target is then asked
 * whether it shows the run id, and only if it does not is the start sent again. Where nothing can be asked it is sent again with
 * the same run id, by which the target can drop it.
 */
final class TriggerSender implements Receivers {
    private static final String TOPIC = "reservation.";
    /** The first look comes seconds after the start, when a list may not show it yet; from the second one on minutes have passed. */
    private static final int CONCLUSIVE_STEP = 2;

    private static final String ACTIVE = "active";

    private final TriggerStore triggers;
    private final Starts starts;
    private final Outbound outbound;
    private final RunnerStarts runners;

    TriggerSender(TriggerStore triggers, Starts starts, Outbound outbound, RunnerStarts runners) {
        this.triggers = triggers;
        this.starts = starts;
        this.outbound = outbound;
        this.runners = runners;
    }

    @Override
    public String kind() {
        return "trigger";
    }

    @Override
    public Future<List<String>> wanting(Message message) {
        String id = message.subject();
        if (id == null || !message.topic().startsWith(TOPIC)) {
            return Future.succeededFuture(List.of());
        }
        Map<String, String> labels = new HashMap<>();
        message.body()
                .path("full")
                .path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return triggers.on(message.team(), message.topic().substring(TOPIC.length()))
                .map(all -> all.stream()
                        .filter(trigger -> trigger.match().fits(id, labels))
                        .map(Trigger::id)
                        .toList());
    }

    @Override
    public Future<Outcome> send(Delivery delivery, Message message) {
        String reservation = String.valueOf(message.subject());
        JsonNode state = message.body().path("full");
        Firing firing = new Firing(delivery.id(), reservation, state);
        return triggers.read(delivery.lane())
                .compose(found -> found.isEmpty()
                        ? Future.succeededFuture(Outcome.gone())
                        : triggers.stateOf(message.team(), reservation)
                                .compose(now -> fire(found.get(), delivery, firing, now)));
    }

    private Future<Outcome> fire(Trigger trigger, Delivery delivery, Firing firing, Optional<String> now) {
        Start start = starts.of(trigger);
        if (delivery.inDoubt()) {
            return look(start, firing, delivery.tries()).compose(seen -> switch (seen) {
                case YES -> Future.succeededFuture(Outcome.delivered(null));
                case CANNOT_TELL ->
                    Future.succeededFuture(Outcome.inDoubt("a reply was lost, and the target cannot be asked now"));
                case NEVER_SHOWN -> begin(trigger, start, delivery, firing, now);
                case NO ->
                    delivery.step() < CONCLUSIVE_STEP
                            ? Future.succeededFuture(
                                    Outcome.inDoubt("a reply was lost; the pipeline is not to be seen yet"))
                            : begin(trigger, start, delivery, firing, now);
            });
        }
        return begin(trigger, start, delivery, firing, now);
    }

    private Future<Outcome> begin(
            Trigger trigger, Start start, Delivery delivery, Firing firing, Optional<String> now) {
        if (trigger.on().equals(ACTIVE) && !now.equals(Optional.of(ACTIVE))) {
            return Future.succeededFuture(
                    Outcome.never(null, "the reservation is " + now.orElse("gone") + " and no longer active"));
        }
        return runners.prepare(trigger, firing, delivery.tries())
                .compose(ready -> call(trigger, start.start(firing), delivery.tries()))
                .map(answer -> outcome(start, answer))
                .recover(TriggerSender::noAnswer);
    }

    private Future<Answer> call(Trigger trigger, Call call, int tries) {
        Call inTurn = call.inTurn(tries - 1);
        return trigger.kind() == TriggerKind.JENKINS_BUILD
                ? new JenkinsCrumb(outbound, trigger.target().server()).send(inTurn)
                : outbound.send(inTurn);
    }

    private Future<Start.Seen> look(Start start, Firing firing, int tries) {
        return start.look()
                .map(call -> outbound.send(call.inTurn(tries - 1))
                        .map(answer -> start.seen(answer, firing))
                        .recover(fault -> fault instanceof CallFault || fault instanceof RefusedAddress
                                ? Future.succeededFuture(Start.Seen.CANNOT_TELL)
                                : Future.failedFuture(fault)))
                .orElse(Future.succeededFuture(Start.Seen.NEVER_SHOWN));
    }

    private static Outcome outcome(Start start, Answer answer) {
        if (answer.isSuccess()) {
            return Outcome.delivered(answer.status(), start.seenAt(answer).orElse(null));
        }
        String why = "it answered " + answer.status();
        String said = answer.body().toString(StandardCharsets.UTF_8);
        // A gateway's 502 says nothing of what the server behind it did.
        Outcome failed = answer.status() >= 500
                ? Outcome.inDoubt(answer.status(), why, said)
                : Outcome.again(answer.status(), why, said);
        return failed.withRetryAfter(answer.headers().get("retry-after"));
    }

    private static Future<Outcome> noAnswer(Throwable fault) {
        String why = String.valueOf(fault.getMessage());
        if (fault instanceof CallFault lost) {
            return Future.succeededFuture(lost.maybeArrived() ? Outcome.inDoubt(why) : Outcome.again(why));
        }
        return fault instanceof RefusedAddress || fault instanceof RunnerFault
                ? Future.succeededFuture(Outcome.again(why))
                : Future.failedFuture(fault);
    }
}
