package dev.gpubroker.broker.schedule.quartz;

import dev.gpubroker.broker.time.BusinessClock;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobKey;
import org.quartz.ObjectAlreadyExistsException;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.DirectSchedulerFactory;
import org.quartz.impl.SchedulerRepository;
import org.quartz.impl.matchers.GroupMatcher;
import org.quartz.simpl.SimpleThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says "look now" when work may be due: at each due minute that somebody asked for, on one broker of the installation, and
 * every 15 s on every broker whatever happens. The database alone knows what is due, so a wake-up that is lost or doubled
 * costs nothing but those seconds. All calls of the callback come on one Vert.x context, never two at a time.
 */
public final class WakeUps implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WakeUps.class);
    private static final Duration SCAN_EVERY = Duration.ofSeconds(15);
    private static final String GROUP = "due";
    private static final JobKey JOB = JobKey.jobKey("wake-up");
    /** The callback only leaves a message, so few threads serve any number of triggers. */
    private static final int THREADS = 2;
    /** How soon a trigger that another broker made is seen at the latest; within the scan's interval. */
    private static final long IDLE_WAIT_MILLIS = 10_000;

    private static final long RETRY_MILLIS = 1_000;

    private final Vertx vertx;
    private final BusinessClock clock;
    private final Scheduler scheduler;
    private final Context context;
    private final Runnable onWake;
    /** Minutes to come that this broker has asked for: thousands of leases ask for the same few over and over. */
    private final Set<Instant> asked = ConcurrentHashMap.newKeySet();

    private final long scanTimer;

    private WakeUps(Vertx vertx, BusinessClock clock, Scheduler scheduler, Runnable onWake, Duration scanEvery) {
        this.vertx = vertx;
        this.clock = clock;
        this.scheduler = scheduler;
        this.context = vertx.getOrCreateContext();
        this.onWake = onWake;
        this.scanTimer = vertx.setPeriodic(scanEvery.toMillis(), id -> wake());
    }

    /**
     * Starts waking; blocks shortly.
     *
     * @param source connections for Quartz, at least four
     * @param onWake looks what is due; must not block
     */
    public static WakeUps start(Vertx vertx, DataSource source, BusinessClock clock, Runnable onWake) {
        return start(vertx, source, clock, onWake, SCAN_EVERY);
    }

    static WakeUps start(Vertx vertx, DataSource source, BusinessClock clock, Runnable onWake, Duration scanEvery) {
        try {
            Scheduler scheduler = scheduler("gpu-broker-" + UUID.randomUUID(), source);
            WakeUps wakeUps = new WakeUps(vertx, clock, scheduler, onWake, scanEvery);
            try {
                scheduler.setJobFactory((bundle, unused) -> new WakeUpJob(wakeUps::wake));
                scheduler.addJob(job(), true);
                scheduler.start();
                return wakeUps;
            } catch (SchedulerException e) {
                wakeUps.close();
                throw e;
            }
        } catch (SchedulerException e) {
            throw new IllegalStateException("Quartz does not start", e);
        }
    }

    /**
     * Wakes one broker at {@code due} in business time, rounded up to the minute; at once, and this broker, if that has
     * passed. Asking again for the same minute changes nothing. Call it after the due row is committed. The future succeeds
     * even if the database refuses, since the scan will find the row.
     */
    public Future<Void> wakeAt(Instant due) {
        if (!due.isAfter(clock.instant())) {
            wake();
            return Future.succeededFuture();
        }
        Instant minute = roundedUp(due);
        if (!asked.add(minute)) {
            return Future.succeededFuture();
        }
        asked.removeIf(each -> each.isBefore(clock.instant()));
        return blocking("wake-up at " + minute, () -> {
            try {
                scheduler.scheduleJob(trigger(minute));
            } catch (ObjectAlreadyExistsException e) {
                LOG.trace("{} is already asked for", minute);
            } catch (SchedulerException e) {
                asked.remove(minute);
                throw e;
            }
        });
    }

    /** Sets all triggers anew after business time was moved, and wakes this broker at once. */
    public Future<Void> rescheduleAll() {
        asked.clear();
        wake();
        return blocking("moving all wake-ups", () -> {
            Set<TriggerKey> keys = scheduler.getTriggerKeys(GroupMatcher.triggerGroupEquals(GROUP));
            for (TriggerKey key : keys) {
                Instant minute = Instant.parse(key.getName());
                if (minute.isAfter(clock.instant())) {
                    scheduler.rescheduleJob(key, trigger(minute));
                } else {
                    scheduler.unscheduleJob(key);
                }
            }
        });
    }

    /** Stops waking; what is asked for stays in the database. Blocks until a callback under way is done. */
    @Override
    public void close() {
        vertx.cancelTimer(scanTimer);
        try {
            scheduler.shutdown(true);
        } catch (SchedulerException e) {
            LOG.warn("Quartz does not stop in order", e);
        }
    }

    static Instant roundedUp(Instant due) {
        Instant minute = due.truncatedTo(ChronoUnit.MINUTES);
        return minute.equals(due) ? minute : minute.plus(1, ChronoUnit.MINUTES);
    }

    private void wake() {
        context.runOnContext(now -> {
            try {
                onWake.run();
            } catch (RuntimeException e) {
                LOG.error("Looking for due work failed; the next scan tries again", e);
            }
        });
    }

    private Future<Void> blocking(String what, SchedulerWork work) {
        return vertx.<Void>executeBlocking(
                        () -> {
                            work.run();
                            return null;
                        },
                        false)
                .recover(fault -> {
                    LOG.warn("Quartz: {} failed, the scan will do: {}", what, fault.toString());
                    return Future.succeededFuture();
                });
    }

    /** The name is the due minute in business time, so there is one trigger per minute whoever asks. */
    private Trigger trigger(Instant minute) {
        return TriggerBuilder.newTrigger()
                .withIdentity(minute.toString(), GROUP)
                .forJob(JOB)
                .startAt(Date.from(clock.wallTimeOf(minute)))
                .withSchedule(SimpleScheduleBuilder.simpleSchedule().withMisfireHandlingInstructionFireNow())
                .build();
    }

    private static JobDetail job() {
        return JobBuilder.newJob(WakeUpJob.class)
                .withIdentity(JOB)
                .storeDurably()
                .build();
    }

    private static Scheduler scheduler(String name, DataSource source) throws SchedulerException {
        SimpleThreadPool threads = new SimpleThreadPool(THREADS, Thread.NORM_PRIORITY);
        threads.setMakeThreadsDaemons(true);
        threads.setThreadNamePrefix("quartz-worker");
        DirectSchedulerFactory.getInstance()
                .createScheduler(
                        name, name, threads, new ClusterStore(name, source), null, 0, IDLE_WAIT_MILLIS, RETRY_MILLIS);
        return SchedulerRepository.getInstance().lookup(name);
    }

    @FunctionalInterface
    private interface SchedulerWork {
        void run() throws SchedulerException;
    }
}
