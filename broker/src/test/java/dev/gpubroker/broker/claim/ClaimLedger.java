package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.schedule.DueHandler;
import dev.gpubroker.broker.schedule.DueItem;
import dev.gpubroker.broker.schedule.PgDueWork;
import dev.gpubroker.broker.task.PgTasks;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;

/** The ledger of claims on a real database, one platform that a test scripts, and a clock that the test moves. */
final class ClaimLedger {
    static final Instant START = Instant.parse("2026-11-20T00:00:00Z");
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final ScriptedPlatform platform;
    final PgClaimStore claims;
    final Sweep sweep;
    private final TestDatabase database;
    private final ClaimStep step;
    private Instant now = START;
    private boolean fenceStands = true;

    ClaimLedger(TestDatabase database, ScriptedPlatform platform) {
        this.database = database;
        this.platform = platform;
        this.claims = new PgClaimStore(database.database());
        PgDueWork due = new PgDueWork(database.database());
        PgTasks tasks = new PgTasks(database.database());
        InstantSource clock = () -> now;
        this.step = new ClaimStep(database.database(), claims, platform, new MoneyGuard(tasks), due, tasks, clock);
        this.sweep = new Sweep(database.database(), claims, platform, due, tasks, "inst", clock);
        database.execute(
                "INSERT INTO account (account_id, platform, purchases, simulated, currency)"
                        + " VALUES ('scripted', 'scripted', 'auto', true, 'CNY') ON CONFLICT (account_id) DO UPDATE"
                        + " SET stopped_why = NULL, purchases = 'auto', per_booking = NULL, per_day = NULL, open_claims = NULL");
    }

    /** A claim that was intended and not yet sent, of a reservation of its own. */
    Claim intended() {
        return intended("100.00");
    }

    Claim intended(String amount) {
        int number = NUMBER.incrementAndGet();
        String reservation = "rsv_claim" + number;
        database.execute(
                "INSERT INTO reservation (reservation_id, team_id, owner, labels, state, request, model, gpu_count,"
                        + " during, terms, explanation, created_at, updated_at) VALUES ('" + reservation
                        + "', 'default', 'me', '{}', 'ordering', '{}', 'A100', 8,"
                        + " tstzrange('2026-11-20T00:00Z', '2026-11-25T00:00Z'), '{}', '[]', now(), now())");
        ClaimKey key = new ClaimKey("gb-inst-" + number + "-1-0-x");
        Offer offer = Offer.now("sku", new Flavor("A100-SXM4-80GB", 8), ScriptedPlatform.REGION, "z1", Stock.of(8));
        ClaimRequest request = new ClaimRequest(
                key,
                "inst",
                offer,
                1,
                Window.of(START, Duration.ofDays(5)),
                "hour",
                null,
                MachineSpec.standard(),
                null);
        Claim claim = new Claim.Intent(
                        key, reservation, 1, 0, ScriptedPlatform.ACCOUNT, "scripted", request, Money.of(amount, "CNY"))
                .at(now);
        database.database()
                .inTransaction(connection -> claims.insert(connection, claim))
                .await();
        return claim;
    }

    /** As it is written now. */
    Claim read(Claim claim) {
        return claims.read(claim.key()).await().orElseThrow();
    }

    void pass(Duration time) {
        now = now.plus(time);
    }

    /** Somebody else has taken the work over. */
    void fenceIsLost() {
        fenceStands = false;
    }

    /** One step of the claim's work; the instant at which it wants to be looked at again, if any. */
    Optional<Instant> step(Claim claim) {
        return step.handle(hold(ClaimStep.KIND, claim.key().text())).await().map(DueHandler.Next::at);
    }

    /** Steps, and lets time pass to the next look, until the claim is in this state or so many steps were made. */
    Claim stepUntil(Claim claim, ClaimState state, int most) {
        for (int i = 0; i < most && read(claim).state() != state; i++) {
            step(claim).filter(next -> next.isAfter(now)).ifPresent(next -> now = next);
        }
        return read(claim);
    }

    void sweep() {
        sweep.handle(hold(Sweep.KIND, ScriptedPlatform.ACCOUNT)).await();
    }

    void unwant(Claim claim) {
        database.database()
                .inTransaction(connection -> claims.unwant(connection, claim.reservationId()))
                .await();
    }

    List<String> openTasks() {
        return StreamSupport.stream(
                        database.database()
                                .pool()
                                .query("SELECT kind FROM task WHERE done_at IS NULL ORDER BY kind")
                                .execute()
                                .await()
                                .spliterator(),
                        false)
                .map(row -> row.getString("kind"))
                .toList();
    }

    Optional<String> stopped() {
        return Optional.ofNullable(database.database()
                .pool()
                .preparedQuery("SELECT stopped_why FROM account WHERE account_id = $1")
                .execute(Tuple.of(ScriptedPlatform.ACCOUNT))
                .await()
                .iterator()
                .next()
                .getString("stopped_why"));
    }

    private DueHandler.Hold hold(String kind, String subject) {
        return new DueHandler.Hold() {
            @Override
            public DueItem item() {
                return new DueItem(kind, subject, now, 1, 0, 0);
            }

            @Override
            public Future<Boolean> mayStillSend() {
                return Future.succeededFuture(fenceStands);
            }

            @Override
            public Future<Boolean> stands(SqlConnection connection) {
                return Future.succeededFuture(fenceStands);
            }
        };
    }
}
