package dev.gpubroker.broker.delivery;

import dev.gpubroker.broker.delivery.Delivery.State;
import dev.gpubroker.broker.delivery.DeliveryStore.Taken;
import dev.gpubroker.broker.delivery.Outcome.Result;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what is due. Each receiver has a lane of its own, a few deliveries wide, so one that hangs or fails delays nobody else;
 * deliveries about one subject leave one after the other. At least once: a broker that dies leaves them to be sent again. Runs on
 * one event loop, so its own state needs no lock.
 */
public final class Deliveries implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    /** Receivers that are served at the same time by one broker. */
    private static final int MOST_LANES = 32;
    /** Deliveries that are in hand for one receiver. */
    private static final int LANE_WIDTH = 4;
    /** Longer than a lane full of deliveries that all run into their time limits one after the other. */
    private static final Duration HOLD = Duration.ofMinutes(3);
    /** At the stop; what is still under way then is sent again by the next broker. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Vertx vertx;
    private final Context context;
    private final DeliveryStore store;
    private final Map<String, Receivers> kinds;
    private final InstantSource wall;
    private final DoubleSupplier random;
    private final Map<String, Future<Void>> lanes = new HashMap<>();
    private boolean looking;
    private boolean stopped;
    private long timer;

    /** @param random 0 ≤ random < 1; spreads what failed together */
    public Deliveries(
            Vertx vertx, DeliveryStore store, List<Receivers> receivers, InstantSource wall, DoubleSupplier random) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.store = store;
        this.kinds = receivers.stream().collect(Collectors.toMap(Receivers::kind, Function.identity()));
        this.wall = wall;
        this.random = random;
    }

    public void start() {
        timer = vertx.setPeriodic(LOOK_EVERY.toMillis(), tick -> lookNow());
    }

    /** Takes nothing more, and waits a little for what is in hand. Blocks. */
    @Override
    public void close() {
        vertx.cancelTimer(timer);
        Future.<Void>future(done -> context.runOnContext(run -> {
                    stopped = true;
                    Future.join(List.copyOf(lanes.values())).<Void>mapEmpty().onComplete(done);
                }))
                .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .otherwiseEmpty()
                .await();
    }

    /** Looks for what is due, from any thread. */
    public void lookNow() {
        context.runOnContext(run -> look());
    }

    private Future<Void> look() {
        int room = MOST_LANES - lanes.size();
        if (looking || stopped || room <= 0) {
            return Future.succeededFuture();
        }
        looking = true;
        return onContext(store.due(lanes.keySet(), room, wall.instant()))
                .map(due -> {
                    due.forEach(this::open);
                    return (Void) null;
                })
                .onComplete(done -> {
                    looking = false;
                    if (done.failed()) {
                        LOG.warn("deliveries cannot be read; looked at again in a second", done.cause());
                    }
                });
    }

    private void open(String lane) {
        Future<Void> served = onContext(
                serve(lane).onFailure(fault -> LOG.warn("the lane {} broke off; it is looked at again", lane, fault)));
        lanes.put(lane, served.onComplete(done -> lanes.remove(lane)));
    }

    /** Sends until nothing more is due in the lane. */
    private Future<Void> serve(String lane) {
        Instant now = wall.instant();
        return store.take(lane, LANE_WIDTH, now, now.plus(HOLD)).compose(batch -> {
            Map<String, List<Taken>> subjects = batch.stream()
                    .collect(Collectors.groupingBy(Deliveries::subject, LinkedHashMap::new, Collectors.toList()));
            List<Future<Void>> sent = new ArrayList<>();
            subjects.values().forEach(row -> sent.add(inOrder(row)));
            return Future.join(sent)
                    .compose(done -> batch.size() == LANE_WIDTH && !stopped ? serve(lane) : Future.succeededFuture());
        });
    }

    private static String subject(Taken taken) {
        String subject = taken.delivery().subject();
        return subject == null ? "" : subject;
    }

    private Future<Void> inOrder(List<Taken> row) {
        Future<Void> all = Future.succeededFuture();
        for (Taken taken : row) {
            all = all.compose(done -> one(taken));
        }
        return all;
    }

    private Future<Void> one(Taken taken) {
        Receivers receivers = kinds.get(taken.delivery().kind());
        if (receivers == null) {
            return Future.succeededFuture(); // Of a newer broker beside this one, which will take it.
        }
        return receivers
                .send(taken.delivery(), taken.message())
                .otherwise(fault -> {
                    LOG.warn(
                            "delivery {} failed by a fault of ours",
                            taken.delivery().id(),
                            fault);
                    return Outcome.inDoubt("a fault of the broker's own");
                })
                .compose(outcome -> settle(taken.delivery(), outcome));
    }

    private Future<Void> settle(Delivery tried, Outcome outcome) {
        Instant now = wall.instant();
        if (outcome.result() == Result.DELIVERED) {
            return store.settle(tried, State.DELIVERED, tried.step(), null, outcome, now);
        }
        Duration asked =
                RetryAfter.of(outcome.status(), outcome.retryAfter(), now).orElse(Duration.ZERO);
        Optional<Duration> pause = outcome.result() == Result.AGAIN
                ? Schedule.after(tried.step(), asked, random.getAsDouble())
                : Optional.empty();
        LOG.info(
                "delivery {} of message {} to {} did not arrive, try {}{}: {}",
                tried.id(),
                tried.messageId(),
                tried.lane(),
                tried.tries(),
                pause.isPresent() ? "" : ", the last",
                outcome.why());
        Future<Void> settled = pause.isPresent()
                ? store.settle(tried, State.WAITING, tried.step() + 1, now.plus(pause.get()), outcome, now)
                : store.settle(tried, State.FAILED, tried.step(), null, outcome, now);
        // It asked for itself, not for one message: what else waits for it waits so long too.
        return asked.isZero() ? settled : settled.compose(done -> store.postpone(tried.lane(), now.plus(asked)));
    }

    private <T> Future<T> onContext(Future<T> future) {
        return Future.future(
                done -> future.onComplete((value, fault) -> context.runOnContext(run -> done.complete(value, fault))));
    }

    /** For tests: looks once, and ends when everything that was due has been tried. */
    Future<Void> round() {
        return Future.<Void>future(done -> context.runOnContext(run -> look().compose(
                        looked -> Future.join(List.copyOf(lanes.values())).<Void>mapEmpty())
                .onComplete(done)));
    }
}
