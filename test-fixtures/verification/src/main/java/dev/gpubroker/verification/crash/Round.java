package dev.gpubroker.verification.crash;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import dev.gpubroker.verification.lab.Cluster;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One round: load and havoc at wall speed, then quiet, then the checks, then a walk past the last window and the checks of
 * the end. The next round goes on with the same installation.
 */
final class Round {
    private static final int CLIENTS = 6;
    /** Brokers start again within half a minute; after this long a call that has no answer will never have one. */
    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(120);

    private static final Duration SETTLES_WITHIN = Duration.ofSeconds(120);
    /** Late effects of lost calls come up to 8 s later; only then can be compared. */
    private static final Duration LATEST_EFFECT = Duration.ofSeconds(10);
    /** Past the last window: grace of the start, and the platforms' own timed ends. */
    private static final Duration AFTER_THE_LAST = Duration.ofHours(3);

    private final Cluster cluster;
    private final Journal journal;
    private final Random random;
    private final String name;
    private final Duration length;
    private final @Nullable Duration databaseGone;
    private final AtomicLong loadEnds = new AtomicLong(Long.MAX_VALUE);
    private final List<Client> clients = new ArrayList<>();

    /**
     * @param name begins the keys of its bookings
     * @param databaseGone instead of killing brokers, take their database away for so long; null for the usual havoc
     */
    Round(Cluster cluster, Journal journal, long seed, String name, Duration length, @Nullable Duration databaseGone) {
        this.cluster = cluster;
        this.journal = journal;
        this.random = new Random(seed);
        this.name = name;
        this.length = length;
        this.databaseGone = databaseGone;
    }

    /** Plays it; what must hold and does not. */
    List<String> play() throws IOException, InterruptedException, SQLException, ExecutionException, TimeoutException {
        ZonedDateTime hour = toTheNextHour();
        load(hour);
        Verdict verdict = new Verdict(
                new Ledger(cluster.database().dataSource()),
                cluster.simulators().control());
        journal.write("settles", name);
        if (!settles(verdict)) {
            verdict.unsettled();
        }
        journal.write("compares", name);
        for (Client client : clients) {
            client.repeatBookings();
        }
        verdict.checkAnswers(clients);
        verdict.checkAcknowledged(clients);
        verdict.checkOwnCapacity();
        verdict.checkMachines();
        if (!verdict.violations().isEmpty()) {
            return verdict.violations(); // The walk would wash the traces away.
        }
        journal.write("walks to the end", name);
        cluster.walkTo(lastEnd().plus(AFTER_THE_LAST));
        journal.write("settles at the end", name);
        settles(verdict);
        verdict.checkAcknowledged(clients);
        verdict.checkOver();
        return verdict.violations();
    }

    /** A start at this hour counts as now for five minutes, which bounds a round's length. */
    private ZonedDateTime toTheNextHour() throws IOException, InterruptedException {
        ZonedDateTime hour = cluster.now().truncatedTo(ChronoUnit.HOURS).plusHours(1);
        cluster.walkTo(hour.plusSeconds(2).toInstant());
        return hour;
    }

    private Instant lastEnd() throws SQLException {
        long epoch = new Ledger(cluster.database().dataSource())
                .number(
                        "SELECT extract(epoch FROM greatest(max(upper(during)), business_now()))::bigint FROM reservation");
        return Instant.ofEpochSecond(epoch);
    }

    // ---- load and havoc -------------------------------------------------------------------------------------

    private void load(ZonedDateTime hour)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        long begun = System.nanoTime();
        loadEnds.set(begun + length.toNanos());
        Supervisor supervisor = new Supervisor(cluster.brokers(), journal);
        Havoc havoc = new Havoc(cluster, journal, this::isLoadOver);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> running = new ArrayList<>();
            Future<?> keeper = threads.submit(supervisor);
            for (int i = 0; i < CLIENTS; i++) {
                Client client = client(i, hour);
                clients.add(client);
                running.add(threads.submit(task(() -> client.run(this::isLoadOver))));
            }
            trouble(havoc).forEach(each -> running.add(threads.submit(each)));
            long patience = length.plus(ANSWERS_WITHIN).plusSeconds(60).toSeconds();
            for (Future<?> each : running) {
                each.get(patience, TimeUnit.SECONDS);
            }
            journal.write("load is over", name);
            havoc.end();
            for (BrokerProcess broker : cluster.brokers()) {
                broker.awaitReady();
            }
            supervisor.stop();
            keeper.get(10, TimeUnit.SECONDS);
        } finally {
            supervisor.stop();
            threads.shutdownNow();
        }
    }

    private Client client(int number, ZonedDateTime hour) {
        Random own = new Random(random.nextLong());
        Calls calls = new Calls(cluster.brokers(), own, journal, this::isTooLate);
        return new Client(name + "c" + number, calls, new Wishes(hour, own), own);
    }

    /** What goes wrong in this round, each on a thread of its own. */
    private List<Callable<Void>> trouble(Havoc havoc) {
        long[] seeds = random.longs(4).toArray();
        List<Callable<Void>> trouble = new ArrayList<>();
        trouble.add(task(() -> havoc.playFaults(new Random(seeds[0]))));
        Duration gone = databaseGone;
        if (gone == null) {
            trouble.add(task(() -> havoc.killBrokers(new Random(seeds[1]))));
            trouble.add(task(() -> havoc.freezeBrokers(new Random(seeds[2]))));
            trouble.add(task(() -> havoc.killDatabase(new Random(seeds[3]), length)));
        } else {
            trouble.add(task(() -> withoutDatabase(havoc, gone)));
        }
        return trouble;
    }

    /** The brokers live on and go on by themselves. */
    private void withoutDatabase(Havoc havoc, Duration gone) throws IOException, InterruptedException {
        TimeUnit.SECONDS.sleep(15);
        List<Long> before = cluster.brokers().stream().map(BrokerProcess::pid).toList();
        havoc.databaseGone(gone);
        long back = System.nanoTime();
        for (BrokerProcess broker : cluster.brokers()) {
            broker.awaitReady();
        }
        journal.write(
                "brokers ready again",
                Api.JSON.createObjectNode().put("afterMs", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - back)));
        if (!before.equals(cluster.brokers().stream().map(BrokerProcess::pid).toList())) {
            throw new IllegalStateException("a broker ended because its database was away");
        }
    }

    private boolean isLoadOver() {
        return System.nanoTime() - loadEnds.get() > 0;
    }

    private boolean isTooLate() {
        return System.nanoTime() - loadEnds.get() > ANSWERS_WITHIN.toNanos();
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private static Callable<Void> task(Task task) {
        return () -> {
            task.run();
            return null;
        };
    }

    // ---- quiet ----------------------------------------------------------------------------------------------

    private boolean settles(Verdict verdict) throws SQLException, InterruptedException {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < SETTLES_WITHIN.toNanos()) {
            if (System.nanoTime() - begun > LATEST_EFFECT.toNanos() && verdict.isSettled()) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        return false;
    }

    /** How many bookings were acknowledged and refused. */
    JsonNode tally() {
        return Api.JSON
                .createObjectNode()
                .put(
                        "acknowledged",
                        clients.stream()
                                .mapToInt(each -> each.bookings().size())
                                .sum())
                .put("cancelled", (int) clients.stream()
                        .flatMap(each -> each.bookings().stream())
                        .filter(Booked::isCancelled)
                        .count())
                .put(
                        "refused",
                        clients.stream().mapToInt(each -> each.refused().size()).sum());
    }
}
