package dev.gpubroker.verification.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.verification.lab.Api;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Everything that lives for one seed: a database, platforms, brokers, a receiver of news, and what the callers know. */
final class World implements AutoCloseable {
    /** In which the first day of every world lies; a seed moves it. */
    private static final Instant FIRST_DAY = Instant.parse("2027-01-04T02:00:00Z");

    private static final int MOST_BROKERS = 2;

    final Server server;
    final Ledger ledger;
    final Sql sql;
    final Wire wire;
    final Platforms platforms;
    final Receiver receiver;
    final Outside outside;
    final Journal journal = new Journal();
    final Character character;
    final Callers callers;
    final Newcomers newcomers;

    private final String database;
    private final Vertx vertx;
    private final Path folder;
    private final Sql clockSql;
    private final Sql wireSql;
    private final List<LiveBroker> brokers = new CopyOnWriteArrayList<>();
    private int started;
    private Instant planned;

    private World(Server server, String database, Path folder, long seed, Character character) {
        this.server = server;
        this.database = database;
        this.folder = folder;
        this.character = character;
        this.vertx = Vertx.vertx();
        this.sql = new Sql(server.jdbc(database), Server.SUPERUSER);
        this.clockSql = new Sql(server.jdbc(database), Server.SUPERUSER);
        this.wireSql = new Sql(server.jdbc(database), Server.SUPERUSER);
        this.ledger = new Ledger(sql);
        this.wire = new Wire(wireSql);
        this.receiver = new Receiver();
        this.planned = FIRST_DAY.plus(Math.floorMod(seed, 300L), ChronoUnit.DAYS);
        sql.run(
                "UPDATE demo_clock SET offset_micros ="
                        + " (extract(epoch FROM ?::timestamptz - clock_timestamp()) * 1000000)::bigint",
                planned.toString());
        // Read anew for each question, since a broker's walk moves it under the platforms' feet.
        InstantSource businessTime = () -> new Ledger(clockSql).now();
        this.platforms = Platforms.start(vertx, businessTime, character.platforms(), wire);
        this.callers = new Callers(this);
        this.newcomers = new Newcomers(this);
        this.outside = new Outside(platforms, businessTime, wire);
    }

    static World begin(Server server, String database, Path folder, long seed, Character character) {
        server.create(database);
        World world = new World(server, database, folder, seed, character);
        world.addBroker();
        world.askForNews();
        return world;
    }

    ZoneId zone() {
        return ZoneId.of(character.timeZone());
    }

    // ---- brokers ----------------------------------------------------------------------------------------------

    void addBroker() {
        int number = ++started;
        brokers.add(LiveBroker.start(
                server,
                database,
                role(number),
                platforms.control(),
                folder.resolve(database + "-" + number),
                character.timeZone()));
    }

    private void askForNews() {
        try {
            Api.Answer answer = broker(0)
                    .api()
                    .post(
                            "/v1/webhooks",
                            Api.JSON
                                    .createObjectNode()
                                    .put("url", receiver.url().toString()));
            if (answer.status() != 201) {
                throw new IllegalStateException("no webhook: " + answer.body());
            }
        } catch (IOException fault) {
            throw new UncheckedIOException("no webhook", fault);
        } catch (InterruptedException fault) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("no webhook", fault);
        }
    }

    private String role(int number) {
        return "b_" + database + "_" + number;
    }

    boolean hasRoom() {
        return brokers.size() < MOST_BROKERS;
    }

    int size() {
        return brokers.size();
    }

    LiveBroker broker(int number) {
        return brokers.get(Math.floorMod(number, brokers.size()));
    }

    /** Ends one in order; it is not the last. */
    void stop(LiveBroker broker) {
        brokers.remove(broker);
        broker.stop();
    }

    /** From any thread. */
    void kill(LiveBroker broker) {
        if (brokers.remove(broker)) {
            broker.kill();
        }
    }

    void killAll() {
        brokers.forEach(this::kill);
    }

    /** After a crash somebody starts a broker again; by then what the dead one held has run out. */
    void revive() {
        if (brokers.isEmpty()) {
            wallTimePasses();
            addBroker();
        }
    }

    /** As if a minute of wall time had passed: holds and locks of those who are dead or stuck run out. */
    void wallTimePasses() {
        sql.run("UPDATE due_work SET claimed_until_wall = clock_timestamp() - interval '1 second'"
                + " WHERE claimed_until_wall IS NOT NULL");
        sql.run("UPDATE idempotency_key SET locked_until = clock_timestamp() - interval '1 second'"
                + " WHERE state = 'running'");
        sql.run("UPDATE outbox SET next_at_wall = clock_timestamp()"
                + " WHERE delivered_at IS NULL AND given_up_why IS NULL");
        // And no schedule comes to its end meanwhile.
        sql.run("UPDATE delivery SET next_at_wall = clock_timestamp(), step = 0 WHERE state = 'waiting'");
    }

    Sql anotherConnection() {
        return new Sql(server.jdbc(database), Server.SUPERUSER);
    }

    // ---- calls ------------------------------------------------------------------------------------------------

    /** Empty if the broker died before it answered. */
    Optional<Api.Answer> call(
            LiveBroker broker, String method, String path, @Nullable JsonNode body, Map<String, String> headers)
            throws InterruptedException {
        try {
            Api.Answer answer = broker.api().call(method, path, body, headers);
            if (!brokers.contains(broker)) {
                return Optional.empty(); // Its last words: whoever is killed says nothing.
            }
            if (answer.status() == 500) {
                throw new Broken(
                        "no call fails by the broker's own fault",
                        method + " " + path + ": " + answer.body() + "; its log says " + Alarms.lastError());
            }
            return Optional.of(answer);
        } catch (IOException lost) {
            if (brokers.contains(broker)) {
                throw new Broken("a living broker answers", method + " " + path + ": " + lost);
            }
            return Optional.empty();
        }
    }

    /** Asked again at whichever broker lives until an answer comes, with the same key. One throw, however often it is asked. */
    Api.Answer insist(Dice dice, String method, String path, @Nullable JsonNode body, Map<String, String> headers)
            throws InterruptedException {
        return insist(dice.between(0, MOST_BROKERS - 1), method, path, body, headers);
    }

    /** For calls of which nobody can say before how many there are: a throw for each would move all later ones. */
    Api.Answer insist(int first, String method, String path, @Nullable JsonNode body, Map<String, String> headers)
            throws InterruptedException {
        for (int tries = 0; tries < 20; tries++) {
            revive();
            Optional<Api.Answer> answer =
                    call(broker((first + tries) % MOST_BROKERS), method, path, body, new HashMap<>(headers));
            if (answer.isPresent() && !answer.get().code().equals("idempotency_in_progress")) {
                return answer.get();
            }
            wallTimePasses(); // The dead one's lock on the key.
        }
        throw new Broken("a repeated call is answered in the end", method + " " + path);
    }

    // ---- time -------------------------------------------------------------------------------------------------

    /** Where business time stands as far as the simulation moved it; in truth some seconds later. */
    Instant now() {
        return planned;
    }

    void advance(Duration by) throws InterruptedException {
        Instant now = ledger.now();
        Instant target = planned.plus(by);
        // Wall time ticks on meanwhile; whole minutes keep two runs of one seed together.
        planned = target.isAfter(now) ? target : now.plus(1, ChronoUnit.MINUTES).truncatedTo(ChronoUnit.MINUTES);
        walk(Api.JSON.createObjectNode().put("set", planned.toString()));
    }

    /** Until nothing is due any more; periodic looks are taken too. */
    void settle() throws InterruptedException {
        walk(Api.JSON.createObjectNode().put("advance", "PT0S"));
    }

    private void walk(JsonNode body) throws InterruptedException {
        for (int tries = 0; tries < 10; tries++) {
            revive();
            Optional<Api.Answer> answer = call(broker(0), "POST", "/v1/demo/clock", body, Map.of());
            if (answer.isPresent()) {
                // It had ticked past the target meanwhile.
                if (!answer.get().isOk() && !answer.get().code().equals("clock_backwards")) {
                    throw new Broken(
                            "the clock can be moved", answer.get().body().toString());
                }
                return;
            }
        }
        throw new Broken("the clock can be moved", "every broker died on the way");
    }

    @Override
    public void close() {
        new ArrayList<>(brokers).forEach(LiveBroker::kill);
        brokers.clear();
        outside.close();
        receiver.close();
        platforms.close();
        vertx.close().await();
        sql.close();
        clockSql.close();
        wireSql.close();
        server.drop(database);
        for (int number = 1; number <= started; number++) {
            server.dropRole(role(number));
        }
    }
}
