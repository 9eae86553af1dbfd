package dev.gpubroker.broker.trigger;

import dev.gpubroker.broker.delivery.Delivery;
import dev.gpubroker.broker.delivery.Outcome;
import dev.gpubroker.broker.delivery.Receivers;
import dev.gpubroker.broker.net.CallFault;
import dev.gpubroker.broker.net.RefusedAddress;
import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/**
 * Ends the runners of a reservation that has ended: what it left running on an own machine would work on with GPUs that are
 * somebody else's by then. Tried again for as long as any delivery.
 */
final class RunnerEnd implements Receivers {
    /** The first of them is news as soon as nobody may use the machines any more. */
    private static final Set<String> OVER = Set.of(
            "reservation.releasing",
            "reservation.completed",
            "reservation.cancelled",
            "reservation.failed",
            "reservation.no_show",
            "reservation.expired");

    private final TriggerStore triggers;
    private final Runners runners;
    private final RunnerStarts starts;
    private final RunnerHost host;
    private final InstantSource clock;

    RunnerEnd(TriggerStore triggers, Runners runners, RunnerStarts starts, RunnerHost host, InstantSource clock) {
        this.triggers = triggers;
        this.runners = runners;
        this.starts = starts;
        this.host = host;
        this.clock = clock;
    }

    @Override
    public String kind() {
        return "runner_end";
    }

    /** A lane is one run. */
    @Override
    public Future<List<String>> wanting(Message message) {
        String reservation = message.subject();
        return reservation == null || !OVER.contains(message.topic())
                ? Future.succeededFuture(List.of())
                : runners.of(message.team(), reservation)
                        .map(all -> all.stream().map(Runners.Put::run).toList());
    }

    @Override
    public Future<Outcome> send(Delivery delivery, Message message) {
        return runners.read(delivery.lane())
                .compose(found -> found.map(this::end).orElseGet(Future::succeededFuture))
                .<Outcome>map(done -> Outcome.delivered(null))
                .recover(fault -> fault instanceof RunnerFault
                        ? Future.succeededFuture(Outcome.again(String.valueOf(fault.getMessage())))
                        : Future.failedFuture(fault));
    }

    /** The machine first: a runner that is at work cannot be removed from its server. */
    private Future<Void> end(Runners.Put runner) {
        String node = runner.node();
        Future<Void> ended = node == null
                ? Future.succeededFuture()
                : host.runOn(node, RunnerScript.end(RunnerStarts.name(runner.run())))
                        .recover(fault -> Future.failedFuture(
                                new RunnerFault("the runner is not known to have ended: " + fault.getMessage())));
        return ended.compose(done -> triggers.read(runner.trigger()))
                .compose(found -> found.map(trigger -> starts.forget(trigger, runner.run()))
                        .orElseGet(Future::succeededFuture))
                .recover(fault -> fault instanceof CallFault || fault instanceof RefusedAddress
                        ? Future.failedFuture(new RunnerFault("its server still lists it: " + fault.getMessage()))
                        : Future.failedFuture(fault))
                .compose(forgotten -> runners.ended(runner.run(), clock.instant()));
    }
}
