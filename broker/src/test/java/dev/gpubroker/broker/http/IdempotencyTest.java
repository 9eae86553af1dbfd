package dev.gpubroker.broker.http;

import static dev.gpubroker.broker.http.TestServer.BOOKING;
import static dev.gpubroker.broker.http.TestServer.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.http.Contract.KeyRule;
import dev.gpubroker.broker.http.TestServer.Answer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Keys against a real database and over real HTTP. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // All is made before the first test.
class IdempotencyTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private final AtomicInteger calls = new AtomicInteger();
    private Pool pool;
    private TestServer server;

    @BeforeAll
    void start() {
        DATABASE.execute("CREATE TABLE booked (title text NOT NULL)");
        pool = DATABASE.database().pool();
        server = new TestServer(new PgIdempotencyStore(pool), List.of());
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        await(pool.query("TRUNCATE idempotency_key, booked").execute());
        server.handlers.clear();
        calls.set(0);
        server.handlers.put(
                "bookReservation",
                request -> Future.succeededFuture(
                        ApiReply.created("/v1/reservations/r", Map.of("number", calls.incrementAndGet()))));
    }

    @Test
    void aCallThatSpendsNeedsAKey() {
        for (String path : List.of("/v1/reservations", "/v1/reservations/r/accept")) {
            Answer answer = server.post(path, path.endsWith("accept") ? "" : BOOKING);

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.code()).isEqualTo("idempotency_key_missing");
        }
        assertThat(calls).hasValue(0);
    }

    @Test
    void aKeyIsPrintableAndOfSomeLength() {
        assertThat(book("k".repeat(255), BOOKING).status()).isEqualTo(201);
        Answer tooLong = book("k".repeat(256), BOOKING);
        assertThat(tooLong.status()).isEqualTo(400);
        assertThat(tooLong.errors()).containsExactly("Idempotency-Key format");
        for (String key : List.of("café", "a\tb", "\u007f")) {
            assertThatThrownBy(() -> Idempotency.key(key, KeyRule.OPTIONAL)).isInstanceOf(ApiProblem.class);
        }
    }

    @Test
    void theSameKeyAndBodyGetTheStoredAnswer() {
        Answer first = book("k", BOOKING);
        Answer again = book("k", " " + BOOKING.replace("\"start\"", " \"start\""));

        assertThat(calls).hasValue(1);
        assertThat(first.header("Idempotency-Replayed")).isEmpty();
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.header("Location")).isEqualTo("/v1/reservations/r");
        assertThat(again.header("Content-Type")).isEqualTo("application/json");
    }

    @Test
    void membersInAnotherOrderAreTheSameBody() {
        book("k", BOOKING);
        Answer again = book("k", """
                {"start": "2026-12-20T00:00:00+08:00", "duration": "P5D", "gpu": {"count": 8, "model": "A100"}}""");

        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
    }

    @Test
    void theSameKeyWithAnotherBodyIsRefused() {
        book("k", BOOKING);
        Answer other = book("k", BOOKING.replace("8}", "4}"));

        assertThat(other.status()).isEqualTo(422);
        assertThat(other.code()).isEqualTo("idempotency_key_reused");
        assertThat(server.post("/v1/reservations/r/accept", "", "Idempotency-Key", "k")
                        .code())
                .isEqualTo("idempotency_key_reused");
        assertThat(calls).hasValue(1);
    }

    @Test
    void anotherTeamsKeyIsAnotherKey() {
        book("k", BOOKING);
        Answer other =
                server.post("/v1/reservations", BOOKING, "Idempotency-Key", "k", "Authorization", "Bearer other");

        assertThat(other.status()).isEqualTo(201);
        assertThat(other.header("Idempotency-Replayed")).isEmpty();
        assertThat(calls).hasValue(2);
    }

    @Test
    void theSameKeyWhileTheFirstRunsIsRefusedForNow() throws InterruptedException {
        CountDownLatch reached = new CountDownLatch(1);
        Promise<ApiReply> reply = Promise.promise();
        server.handlers.put("bookReservation", request -> {
            reached.countDown();
            return reply.future();
        });
        ExecutorService clients = Executors.newSingleThreadExecutor();
        try {
            var first = clients.submit(() -> book("k", BOOKING));
            assertThat(reached.await(30, TimeUnit.SECONDS)).isTrue();

            Answer second = book("k", BOOKING);

            assertThat(second.status()).isEqualTo(409);
            assertThat(second.code()).isEqualTo("idempotency_in_progress");
            assertThat(second.header("Retry-After")).isEqualTo("2");
            reply.complete(ApiReply.created("/v1/reservations/r", Map.of()));
            assertThat(first)
                    .succeedsWithin(Duration.ofSeconds(30))
                    .extracting(Answer::status)
                    .isEqualTo(201);
        } finally {
            clients.shutdownNow();
        }
        assertThat(book("k", BOOKING).header("Idempotency-Replayed")).isEqualTo("true");
    }

    @Test
    void twentyParallelPostsWithOneKeyBookOnce() throws Exception {
        server.handlers.put("bookReservation", request -> {
            calls.incrementAndGet();
            return bookInTransaction(request, "one");
        });
        ExecutorService clients = Executors.newFixedThreadPool(20);
        try {
            CountDownLatch go = new CountDownLatch(1);
            var answers = IntStream.range(0, 20)
                    .mapToObj(i -> clients.submit(() -> {
                        assertThat(go.await(30, TimeUnit.SECONDS)).isTrue();
                        return book("k", BOOKING);
                    }))
                    .toList();
            go.countDown();
            List<Integer> statuses = new ArrayList<>();
            for (var answer : answers) {
                statuses.add(answer.get(60, TimeUnit.SECONDS).status());
            }
            assertThat(statuses)
                    .contains(201)
                    .containsAnyOf(201, 409)
                    .allMatch(status -> status == 201 || status == 409);
        } finally {
            clients.shutdownNow();
        }
        assertThat(calls).hasValue(1);
        assertThat(booked()).containsExactly("one");
        assertThat(book("k", BOOKING).header("Idempotency-Replayed")).isEqualTo("true");
    }

    @Test
    void refusalsThatDependOnTheBodyAreKept() {
        refuse(Problem.of(400, "no_such_date", "No.", "无。"));

        assertThat(book("k", BOOKING).code()).isEqualTo("no_such_date");
        Answer again = book("k", BOOKING);

        assertThat(again.code()).isEqualTo("no_such_date");
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(again.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(calls).hasValue(1);
    }

    @Test
    void aBodyThatBreaksTheContractIsKeptToo() {
        String bad = BOOKING.replace("8}", "0}");

        assertThat(book("k", bad).errors()).containsExactly("gpu.count minimum");
        assertThat(book("k", bad).header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(book("k", BOOKING).code()).isEqualTo("idempotency_key_reused");
    }

    @Test
    void refusalsThatMayPassAreNotKept() {
        for (Problem problem : List.of(
                Problem.of(409, "no_capacity", "No.", "无。"),
                Problem.of(422, "needs_confirmation", "No.", "无。"),
                Problem.of(400, "in_the_past", "No.", "无。"),
                Problem.of(429, "too_many_requests", "No.", "无。"),
                Faults.unavailable(),
                Faults.internalError("req"))) {
            calls.set(0);
            refuse(problem);
            assertThat(book("k", BOOKING).code()).isEqualTo(problem.code());
            assertThat(book("k", BOOKING).header("Idempotency-Replayed")).isEmpty();
            assertThat(calls).as(problem.code()).hasValue(2);
            assertThat(rows()).isZero();
        }
    }

    @Test
    void aRefusedTokenLeavesNoKey() {
        assertThat(server.post("/v1/reservations", BOOKING, "Idempotency-Key", "k", "Authorization", "Bearer wrong")
                        .status())
                .isEqualTo(401);
        assertThat(rows()).isZero();
    }

    @Test
    void aFaultOfOursFreesTheKey() {
        server.handlers.put("bookReservation", request -> {
            throw new IllegalStateException("on purpose");
        });
        assertThat(book("k", BOOKING).status()).isEqualTo(500);
        assertThat(rows()).isZero();
    }

    @Test
    void workThatMayStillGoOnKeepsItsKey() {
        MemoryIdempotencyStore keys = new MemoryIdempotencyStore();
        Idempotency.Answer late =
                new Idempotency.Answer(ApiReply.problem(Faults.unavailable(), "r"), Faults.unavailable(), true);

        await(new Idempotency(keys).once("team", "k", new byte[] {1}, ticket -> Future.succeededFuture(late)));

        assertThat(keys.entries).containsOnlyKeys("team/k");
    }

    @Test
    void whereAKeyIsOptionalItWorksAllTheSame() {
        server.handlers.put(
                "changeReservation",
                request -> Future.succeededFuture(
                        ApiReply.ok(Map.of("number", calls.incrementAndGet(), "keyed", request.ticket() != null))));
        String[] plain = {"Content-Type", "application/merge-patch+json"};
        String[] keyed = {"Content-Type", "application/merge-patch+json", "Idempotency-Key", "k"};

        assertThat(server.send("PATCH", "/v1/reservations/r", "{\"title\":\"a\"}", plain)
                        .json()
                        .path("keyed")
                        .asBoolean())
                .isFalse();
        assertThat(server.send("PATCH", "/v1/reservations/r", "{\"title\":\"a\"}", keyed)
                        .json()
                        .path("keyed")
                        .asBoolean())
                .isTrue();
        assertThat(server.send("PATCH", "/v1/reservations/r", "{\"title\":\"a\"}", keyed)
                        .header("Idempotency-Replayed"))
                .isEqualTo("true");
        assertThat(calls).hasValue(2);
    }

    @Test
    void anAnswerStoredInTheTransactionIsThatOfTheReplay() {
        server.handlers.put("bookReservation", request -> bookInTransaction(request, "two"));

        assertThat(book("k", BOOKING).status()).isEqualTo(201);
        assertThat(book("k", BOOKING).json().path("title").asText()).isEqualTo("two");
        assertThat(booked()).containsExactly("two");
    }

    @Test
    void aTransactionThatRollsBackTakesItsAnswerWithIt() {
        server.handlers.put(
                "bookReservation",
                request -> pool.withTransaction(connection -> insert(connection, "three")
                        .compose(done -> ticket(request).answerIn(connection, ApiReply.ok(Map.of())))
                        .compose(done -> Future.failedFuture(new ApiProblem(409, "no_capacity", "Lost.", "失败。")))));

        assertThat(book("k", BOOKING).code()).isEqualTo("no_capacity");
        assertThat(booked()).isEmpty();
        assertThat(rows()).isZero();
    }

    @Test
    void anAnswerIsForgottenAfterADay() {
        book("k", BOOKING);
        await(pool.query("UPDATE idempotency_key SET created_at = created_at - interval '24 hours 1 second',"
                        + " locked_until = locked_until - interval '24 hours 1 second'")
                .execute());

        assertThat(book("k", BOOKING.replace("8}", "4}")).status()).isEqualTo(201);
        assertThat(calls).hasValue(2);
        assertThat(book("k", BOOKING.replace("8}", "4}")).header("Idempotency-Replayed"))
                .isEqualTo("true");
    }

    private Answer book(String key, String body) {
        return server.post("/v1/reservations", body, "Idempotency-Key", key);
    }

    private void refuse(Problem problem) {
        server.handlers.put("bookReservation", request -> {
            calls.incrementAndGet();
            return Future.failedFuture(new ApiProblem(problem));
        });
    }

    private Future<ApiReply> bookInTransaction(ApiRequest request, String title) {
        ApiReply reply = ApiReply.created("/v1/reservations/r", Map.of("title", title));
        return pool.withTransaction(connection -> ticket(request)
                .lockIn(connection)
                .compose(locked -> insert(connection, title))
                .compose(done -> ticket(request).answerIn(connection, reply))
                .map(reply));
    }

    private static IdempotencyTicket ticket(ApiRequest request) {
        return Objects.requireNonNull(request.ticket());
    }

    private static Future<Void> insert(SqlConnection connection, String title) {
        return connection
                .preparedQuery("INSERT INTO booked (title) VALUES ($1)")
                .execute(Tuple.of(title))
                .mapEmpty();
    }

    private List<String> booked() {
        List<String> titles = new ArrayList<>();
        await(pool.query("SELECT title FROM booked").execute()).forEach(row -> titles.add(row.getString("title")));
        return titles;
    }

    private long rows() {
        return await(pool.query("SELECT count(*) AS rows FROM idempotency_key").execute())
                .iterator()
                .next()
                .getLong("rows");
    }
}
