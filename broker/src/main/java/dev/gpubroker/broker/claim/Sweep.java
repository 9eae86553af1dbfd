package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.platform.Operation;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.schedule.DueHandler;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.task.Tasks;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares what a platform holds with our ledger. Gives back only what our ledger says has ended; a machine with our mark
 * that the ledger does not know means that the ledger is older than the machine, and then buying and sweeping on the account
 * stop until a person has looked. Foreign machines are never touched: only our installation's are listed.
 */
public final class Sweep implements DueHandler {
    public static final String KIND = "sweep";

    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);
    private static final Duration EVERY = Duration.ofHours(1);

    private final Database database;
    private final ClaimStore claims;
    private final Platforms platforms;
    private final DueWork due;
    private final Tasks tasks;
    private final String installation;
    private final InstantSource clock;

    public Sweep(
            Database database,
            ClaimStore claims,
            Platforms platforms,
            DueWork due,
            Tasks tasks,
            String installation,
            InstantSource clock) {
        this.database = database;
        this.claims = claims;
        this.platforms = platforms;
        this.due = due;
        this.tasks = tasks;
        this.installation = installation;
        this.clock = clock;
    }

    /** Puts every account's sweep on the list, where it is not yet. */
    public Future<Void> begin() {
        Instant first = clock.instant().plus(EVERY);
        return database.inTransaction(connection -> {
            Future<Void> all = Future.succeededFuture();
            for (var account : platforms.accounts()) {
                all = all.compose(done -> due.schedule(connection, KIND, account.id(), first, true));
            }
            return all;
        });
    }

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        String account = hold.item().subject();
        Optional<Next> next = Next.periodic(clock.instant().plus(EVERY));
        if (platforms.account(account).isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        return isStopped(account)
                .compose(stopped ->
                        stopped ? Future.succeededFuture(next) : sweep(account).map(next));
    }

    private Future<Boolean> isStopped(String account) {
        return database.pool()
                .preparedQuery("-- sweep.stopped\nSELECT stopped_why FROM account WHERE account_id = $1")
                .execute(Tuple.of(account))
                .map(rows -> rows.size() == 0 || rows.iterator().next().getString("stopped_why") != null);
    }

    private Future<Void> sweep(String account) {
        Future<Void> all = Future.succeededFuture();
        for (String region : platforms.regions(account)) {
            all = all.compose(done -> platforms
                    .call(account, region, Operation.LIST, adapter -> adapter.list(installation))
                    .compose(held -> eachOf(account, held), fault -> {
                        LOG.warn("the sweep of {} in {} brought nothing: {}", account, region, fault.getMessage());
                        return Future.succeededFuture();
                    }));
        }
        return all;
    }

    private Future<Void> eachOf(String account, List<Holding> held) {
        Future<Void> all = Future.succeededFuture();
        for (Holding holding : held) {
            all = all.compose(done -> one(account, holding));
        }
        return all;
    }

    private Future<Void> one(String account, Holding holding) {
        ClaimKey key = holding.key();
        if (key == null) {
            return stop(account, holding);
        }
        return claims.read(key)
                .compose(found -> found.isEmpty() ? stop(account, holding) : known(found.get(), holding));
    }

    /** Open claims are followed by their own step; only what has ended in our ledger is given back here. */
    private Future<Void> known(Claim claim, Holding holding) {
        boolean ended = claim.state() == ClaimState.RELEASED
                || claim.state() == ClaimState.REFUSED
                || claim.state() == ClaimState.ABSENT;
        if (!ended || isABoughtWindow(claim, holding)) {
            return Future.succeededFuture();
        }
        return tasks.isAnsweredForGood(Contradiction.KIND, claim.key().text())
                .compose(gone -> gone ? Future.succeededFuture() : giveBackAgain(claim, holding));
    }

    private Future<Void> giveBackAgain(Claim claim, Holding holding) {
        LOG.warn(
                "{} still exists on {} although its claim is {}; it is given back",
                claim.key(),
                claim.platform(),
                claim.state());
        return database.inTransaction(connection -> claims.lock(connection, claim.key())
                        .compose(current -> reopen(connection, current.orElseThrow(), holding)))
                .onSuccess(done -> due.lookNow());
    }

    /** A window that cannot be given back and holds no machines stays on the platform's list until it ends by itself. */
    private boolean isABoughtWindow(Claim claim, Holding holding) {
        return holding.phase() == ClaimStatus.Phase.SECURED
                && platforms
                        .account(claim.account())
                        .map(account -> account.capabilities().forward())
                        .map(forward -> !forward.cancellable())
                        .orElse(false);
    }

    private Future<Void> reopen(SqlConnection connection, Claim current, Holding holding) {
        Claim releasing = current.edit()
                .ref(holding.ref())
                .unwanted()
                .state(ClaimState.RELEASING)
                .done();
        Future<Void> asked = current.state() == ClaimState.RELEASED
                ? tasks.open(connection, Contradiction.about(current, holding), clock.instant())
                : Future.succeededFuture();
        return asked.compose(done -> claims.update(connection, current, releasing))
                .compose(done ->
                        due.poke(connection, ClaimStep.KIND, current.key().text()));
    }

    /** Unless a person has said that the machine stays. */
    private Future<Void> stop(String account, Holding holding) {
        Tasks.Draft task = UnknownMachine.about(account, holding);
        return tasks.isAnsweredForGood(UnknownMachine.KIND, task.subject())
                .compose(stays -> stays ? Future.succeededFuture() : stop(account, task));
    }

    private Future<Void> stop(String account, Tasks.Draft task) {
        LOG.error("account {} is stopped: {}", account, task.detail());
        return database.inTransaction(connection -> connection
                .preparedQuery(
                        "-- sweep.stop\nUPDATE account SET stopped_why = $2 WHERE account_id = $1 AND stopped_why IS NULL")
                .execute(Tuple.of(account, task.detail()))
                .compose(done -> tasks.open(connection, task, clock.instant())));
    }
}
