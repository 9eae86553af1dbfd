package dev.gpubroker.broker.access;

import dev.gpubroker.broker.access.Machine.State;
import dev.gpubroker.broker.access.PgMachines.Asked;
import dev.gpubroker.broker.booking.Why;
import dev.gpubroker.broker.config.MachineSettings;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.schedule.DueHandler;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.sqlclient.SqlConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks one machine whether it can be used, again and again until it answers or nobody waits for it any more. Only reads, so
 * it may be repeated by anybody at any time.
 */
public final class MachineCheck implements DueHandler {
    public static final String KIND = "machine";

    /** Longest wait for a connection, and for each answer on it. */
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);
    /**
     * So long a machine is asked that may be out of the broker's reach: an own one, or one with nothing but an address inside
     * some network. Then it counts as unverified, since nothing says that it is not there.
     */
    static final Duration DOUBTFUL = Duration.ofMinutes(5);

    private static final int AT_ONCE = 8;

    private final Database database;
    private final PgMachines machines;
    private final MachineReadiness readiness;
    private final DueWork due;
    private final InstantSource clock;
    private final WorkerExecutor workers;
    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(PATIENCE)
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    MachineCheck(
            Vertx vertx,
            Database database,
            PgMachines machines,
            MachineReadiness readiness,
            DueWork due,
            InstantSource clock) {
        this.database = database;
        this.machines = machines;
        this.readiness = readiness;
        this.due = due;
        this.clock = clock;
        this.workers = vertx.createSharedWorkerExecutor("machines", AT_ONCE);
    }

    static String subject(String reservationId, String nodeId) {
        return reservationId + "/" + nodeId;
    }

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        String subject = hold.item().subject();
        int slash = subject.indexOf('/');
        String reservation = subject.substring(0, slash);
        return machines.asked(reservation, subject.substring(slash + 1))
                .compose(found -> found.isEmpty() || !found.get().waitedFor()
                        ? Future.succeededFuture(Optional.<Next>empty())
                        : ask(reservation, found.get(), hold));
    }

    /**
     * What came of one look.
     *
     * @param doubtful whether silence may mean that there is no way from here
     */
    private record Look(
            boolean ready, String detail, @Nullable String hostKey, boolean doubtful) {}

    private Future<Optional<Next>> ask(String reservation, Asked asked, Hold hold) {
        Set<Ways> ways = readiness.waysOf(asked.machine());
        if (ways.isEmpty()) { // Its settings changed meanwhile.
            return settle(reservation, asked, State.UNVERIFIED, "there is no way to ask it", null, hold);
        }
        return workers.executeBlocking(() -> look(asked.machine(), ways), false)
                .compose(look -> look.ready()
                        ? settle(reservation, asked, State.READY, look.detail(), look.hostKey(), hold)
                        : notYet(reservation, asked, look, hold));
    }

    private Look look(Machine machine, Set<Ways> ways) {
        Look seen = ways.contains(Ways.HEALTH)
                ? health(machine)
                : ways.contains(Ways.SSH) ? ssh(machine) : new Look(false, "it has not called home", null, false);
        if (machine.calledHome()) {
            String key = seen.hostKey() == null && machine.login().port() != null
                    ? ssh(machine).hostKey()
                    : seen.hostKey();
            return new Look(true, "it called home", key, false);
        }
        return seen;
    }

    private Look ssh(Machine machine) {
        String host = machine.login().host();
        Integer port = machine.login().port();
        if (host == null || port == null) {
            return new Look(false, "it has no address", null, true);
        }
        try {
            InetAddress address = readiness.reachOf(machine).resolve(host);
            SshGreeting.Heard heard = SshGreeting.from(new InetSocketAddress(address, port), PATIENCE);
            return heard.server() == null
                    ? new Look(
                            false,
                            host + " port " + port + ": " + heard.detail(),
                            null,
                            machine.isOwn() || (Reach.isPrivate(address) && !heard.reached()))
                    : new Look(true, "SSH answers: " + heard.server(), heard.hostKey(), false);
        } catch (UnknownHostException unknown) {
            return new Look(false, host + " is not known", null, machine.isOwn());
        } catch (IllegalArgumentException refused) {
            return new Look(false, String.valueOf(refused.getMessage()), null, true);
        }
    }

    /** The host key comes along where SSH answers by then. */
    private Look health(Machine machine) {
        MachineSettings settings = readiness.settings(machine);
        MachineSettings.Health health = settings == null ? null : settings.health();
        String host = machine.login().host();
        if (health == null || host == null) {
            return new Look(false, "it has no health address", null, true);
        }
        String shown = "health address " + host + ":" + health.port() + health.path();
        try {
            InetAddress address = readiness.reachOf(machine).resolve(host);
            URI url = new URI("http", null, address.getHostAddress(), health.port(), "/", null, null)
                    .resolve(health.path());
            int status = http.send(
                            HttpRequest.newBuilder(url).timeout(PATIENCE).build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
            return status / 100 == 2
                    ? new Look(true, shown + " answers", ssh(machine).hostKey(), false)
                    : new Look(false, shown + " answers " + status, null, false);
        } catch (UnknownHostException unknown) {
            return new Look(false, host + " is not known", null, false);
        } catch (IOException silent) {
            return new Look(false, shown + " does not answer", null, false);
        } catch (IllegalArgumentException | URISyntaxException refused) {
            return new Look(false, String.valueOf(refused.getMessage()), null, true);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return new Look(false, "the broker stops", null, false);
        }
    }

    private Future<Optional<Next>> notYet(String reservation, Asked asked, Look look, Hold hold) {
        Instant now = clock.instant();
        if (look.doubtful() && !now.isBefore(asked.since().plus(DOUBTFUL))) {
            return settle(reservation, asked, State.UNVERIFIED, "no way from here: " + look.detail(), null, hold);
        }
        boolean first = asked.tries() == 0;
        return inHand(
                        hold,
                        connection -> machines.tried(
                                        connection, reservation, asked.machine().nodeId(), look.detail())
                                .compose(done -> first
                                        ? event(connection, reservation, asked, State.PENDING, look.detail(), now)
                                        : Future.succeededFuture()))
                .map(done -> Next.at(now.plus(pause(asked.tries()))));
    }

    private static Duration pause(int tries) {
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(tries, 5));
        return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }

    private Future<Optional<Next>> settle(
            String reservation, Asked asked, State state, String detail, @Nullable String hostKey, Hold hold) {
        Instant now = clock.instant();
        String node = asked.machine().nodeId();
        return inHand(
                        hold,
                        connection -> machines.settle(connection, reservation, node, state, detail, hostKey, now)
                                .compose(mine -> !mine || state == State.READY
                                        ? Future.succeededFuture()
                                        : event(connection, reservation, asked, state, detail, now))
                                .compose(done -> due.poke(connection, "reservation", reservation)))
                .onSuccess(done -> due.lookNow())
                .map(done -> Optional.empty());
    }

    private Future<Void> event(
            SqlConnection connection, String reservation, Asked asked, State state, String detail, Instant now) {
        return machines.event(
                connection,
                reservation,
                asked.team(),
                "broker",
                "readiness",
                Map.of("node", asked.machine().name(), "readiness", state.wireName()),
                new Why(
                        asked.machine().name() + ": " + detail,
                        asked.machine().name() + (state == State.PENDING ? "：尚未应答（" : "：未经检查（") + detail + "）"),
                now);
    }

    @FunctionalInterface
    private interface Write {
        Future<Void> in(SqlConnection connection);
    }

    private Future<Void> inHand(Hold hold, Write write) {
        return database.inTransaction(connection ->
                hold.stands(connection).compose(stands -> stands ? write.in(connection) : Future.succeededFuture()));
    }
}
