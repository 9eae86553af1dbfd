package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.SupportsLaunch;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.platform.Operation;
import dev.gpubroker.broker.platform.PlatformBusy;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.schedule.DueHandler;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.task.Tasks;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one claim on by one step: sends it, follows it, looks for it, gives it back. What to do is read from the row alone,
 * so any worker can go on where another stopped.
 */
public final class ClaimStep implements DueHandler {
    public static final String KIND = "claim";

    private static final Logger LOG = LoggerFactory.getLogger(ClaimStep.class);

    /** Answers "not listed", spread over the settle window, after which a claim is absent. */
    private static final int LOOKS = 3;
    /** A first look soon after silence finds most lost replies; it proves no absence. */
    private static final Duration FIRST_LOOK = Duration.ofSeconds(5);

    static final Duration WATCH = Duration.ofDays(7);
    /** What comes late mostly comes soon, and costs until it is found: looked for less and less often. */
    private static final Duration WATCH_FIRST = Duration.ofMinutes(5);

    private static final Duration WATCH_EVERY = Duration.ofHours(6);
    private static final Duration POLL = Duration.ofSeconds(10);
    private static final Duration SLOW_POLL = Duration.ofMinutes(1);
    private static final Duration HEALTH_POLL = Duration.ofMinutes(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    private final Database database;
    private final ClaimStore claims;
    private final Platforms platforms;
    private final MoneyGuard guard;
    private final DueWork due;
    private final Tasks tasks;
    private final InstantSource clock;
    private final Orders orders;

    public ClaimStep(
            Database database,
            ClaimStore claims,
            Platforms platforms,
            MoneyGuard guard,
            DueWork due,
            Tasks tasks,
            InstantSource clock) {
        this(database, claims, platforms, guard, due, tasks, clock, Orders.asWritten());
    }

    public ClaimStep(
            Database database,
            ClaimStore claims,
            Platforms platforms,
            MoneyGuard guard,
            DueWork due,
            Tasks tasks,
            InstantSource clock,
            Orders orders) {
        this.database = database;
        this.claims = claims;
        this.platforms = platforms;
        this.guard = guard;
        this.due = due;
        this.tasks = tasks;
        this.clock = clock;
        this.orders = orders;
    }

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        ClaimKey key = new ClaimKey(hold.item().subject());
        return claims.read(key)
                .compose(found -> found.isEmpty() ? Future.succeededFuture(Optional.empty()) : step(found.get(), hold));
    }

    private Future<Optional<Next>> step(Claim claim, Hold hold) {
        switch (claim.state()) {
            case INTENDED:
                return claim.wasNeverSent() ? send(claim, hold) : vanished(claim, hold);
            case UNKNOWN:
                return settle(claim, hold);
            case ACCEPTED:
            case CLAIMED:
                return claim.unwanted() ? release(claim, hold) : follow(claim, hold);
            case RELEASING:
                return release(claim, hold);
            case ABSENT:
                return watch(claim, hold);
            case REFUSED:
            case RELEASED:
                return Future.succeededFuture(Optional.empty());
        }
        throw new IllegalStateException("no such state: " + claim.state());
    }

    // ---- sending -----------------------------------------------------------------------------------------

    private Future<Optional<Next>> send(Claim claim, Hold hold) {
        return hold.mayStillSend().compose(may -> may ? admit(claim, hold) : again(Duration.ofSeconds(1)));
    }

    /** Marks the claim as sent, or refuses it, in one transaction: from here on it may exist on the platform. */
    private Future<Optional<Next>> admit(Claim claim, Hold hold) {
        Instant now = clock.instant();
        Duration longest = capabilities(claim).map(Capabilities::longestCall).orElse(Duration.ofMinutes(1));
        return change(claim, hold, (connection, current) -> {
                    if (current.state() != ClaimState.INTENDED || !current.wasNeverSent() || current.unwanted()) {
                        return Future.failedFuture(new NotOurs()); // Whoever set the mark sends, and nobody else.
                    }
                    return guard.look(connection, current, now)
                            .map(no -> no.isPresent()
                                    ? current.edit()
                                            .state(ClaimState.REFUSED)
                                            .why(no.get().reason(), no.get().detail())
                                            .settled(now)
                                            .done()
                                    : current.edit().sent(now.plus(longest)).done());
                })
                .compose(sent -> sent.isPresent() && sent.get().state() == ClaimState.INTENDED
                        ? sendIfStillHeld(sent.get(), hold)
                        : again(Duration.ZERO));
    }

    /** Asked again after the mark: a process may stand still at any instant, and another then goes on with the claim. */
    private Future<Optional<Next>> sendIfStillHeld(Claim claim, Hold hold) {
        return orders.of(claim)
                .compose(order ->
                        hold.mayStillSend().compose(may -> may ? call(claim, order, hold) : again(Duration.ZERO)));
    }

    private Future<Optional<Next>> call(Claim claim, ClaimRequest order, Hold hold) {
        return platforms
                .call(claim.account(), claim.region(), Operation.CLAIM, adapter -> adapter.claim(order))
                .recover(fault -> Future.succeededFuture(outcomeOf(fault, claim)))
                .compose(outcome -> record(claim, hold, outcome));
    }

    /** A platform's fault means that nothing was taken; any other fault of a claim means that nobody knows. */
    private static ClaimOutcome outcomeOf(Throwable fault, Claim claim) {
        if (fault instanceof PlatformFault refused) {
            return new ClaimOutcome.Refused(refused.reason(), String.valueOf(refused.getMessage()));
        }
        if (fault instanceof PlatformBusy busy) {
            return new ClaimOutcome.Refused(Reason.PLATFORM_UNAVAILABLE, String.valueOf(busy.getMessage()));
        }
        LOG.error("claim {} failed in our own code; it is looked for", claim.key(), fault);
        return new ClaimOutcome.Unknown(claim.key());
    }

    private Future<Optional<Next>> record(Claim claim, Hold hold, ClaimOutcome outcome) {
        Instant now = clock.instant();
        return change(
                        claim,
                        hold,
                        (connection, current) -> Future.succeededFuture(outcome.fold(new ClaimOutcome.Cases<>() {
                            @Override
                            public Claim claimed(ClaimOutcome.Claimed ours) {
                                return current.edit()
                                        .state(ClaimState.CLAIMED)
                                        .ref(ours.ref())
                                        .bought(ours.window())
                                        .settled(now)
                                        .done();
                            }

                            @Override
                            public Claim accepted(ClaimOutcome.Accepted later) {
                                return current.edit()
                                        .state(ClaimState.ACCEPTED)
                                        .ref(later.ref())
                                        .done();
                            }

                            @Override
                            public Claim refused(ClaimOutcome.Refused no) {
                                return current.edit()
                                        .state(ClaimState.REFUSED)
                                        .why(no.reason(), no.detail())
                                        .settled(now)
                                        .done();
                            }

                            @Override
                            public Claim unknown(ClaimOutcome.Unknown unknown) {
                                return current.edit()
                                        .state(ClaimState.UNKNOWN)
                                        .why(null, "no readable answer; it is being looked for")
                                        .done();
                            }
                        })))
                .compose(written -> again(FIRST_LOOK));
    }

    /** Sent, and no answer written: the worker died in between. Never sent again. */
    private Future<Optional<Next>> vanished(Claim claim, Hold hold) {
        return change(
                        claim,
                        hold,
                        (connection, current) -> Future.succeededFuture(
                                current.state() == ClaimState.INTENDED
                                        ? current.edit()
                                                .state(ClaimState.UNKNOWN)
                                                .vanished()
                                                .why(null, "the worker that sent it vanished; it is being looked for")
                                                .done()
                                        : current))
                .compose(written -> again(Duration.ZERO));
    }

    // ---- settling: only reads -------------------------------------------------------------------------

    private Future<Optional<Next>> settle(Claim claim, Hold hold) {
        return look(claim)
                .compose(finding -> finding.fold(new Finding.Cases<Future<Optional<Next>>>() {
                    @Override
                    public Future<Optional<Next>> found(Finding.Found found) {
                        return foundAt(claim, hold, found, false);
                    }

                    @Override
                    public Future<Optional<Next>> notListed(Finding.NotListed notListed) {
                        return countAbsence(claim, hold);
                    }

                    @Override
                    public Future<Optional<Next>> cannotTell(Finding.CannotTell cannotTell) {
                        LOG.warn("claim {} cannot be looked for: {}", claim.key(), cannotTell.detail());
                        return again(pause(hold.item().tries() + 1, POLL));
                    }
                }));
    }

    private Future<Finding> look(Claim claim) {
        return platforms
                .call(claim.account(), claim.region(), Operation.FIND, adapter -> adapter.find(claim.key()))
                .recover(fault -> Future.succeededFuture(new Finding.CannotTell(String.valueOf(fault.getMessage()))));
    }

    private Future<Optional<Next>> foundAt(Claim claim, Hold hold, Finding.Found found, boolean tooLate) {
        Instant now = clock.instant();
        boolean certain = found.status().phase() != ClaimStatus.Phase.PENDING;
        return change(claim, hold, (connection, current) -> {
                    if (current.state() != claim.state()) {
                        return Future.succeededFuture(current); // The sweep or a person was faster than the platform.
                    }
                    ClaimEdit edit = current.edit()
                            .state(certain ? ClaimState.CLAIMED : ClaimState.ACCEPTED)
                            .ref(found.ref())
                            .bought(found.status().window())
                            .phase(found.status().phase())
                            .why(null, "found by its key")
                            .settled(now);
                    return claims.saveMachines(
                                    connection, current, found.status().machines(), now)
                            .map(saved -> (tooLate ? edit.unwanted() : edit).done());
                })
                .compose(written -> again(Duration.ZERO));
    }

    /** Counts an answer only if it is far enough from the last one that counted. */
    private Future<Optional<Next>> countAbsence(Claim claim, Hold hold) {
        Instant now = clock.instant();
        Duration window = capabilities(claim).map(Capabilities::settleWindow).orElse(Duration.ofMinutes(10));
        Instant counts = nextCount(claim, window, claim.notListed());
        if (now.isBefore(counts)) {
            return Future.succeededFuture(Next.at(counts));
        }
        int times = claim.notListed() + 1;
        if (times < LOOKS) {
            return change(
                            claim,
                            hold,
                            (connection, current) -> Future.succeededFuture(
                                    current.edit().notListed(times).done()))
                    .map(written -> Next.at(nextCount(claim, window, times)));
        }
        return needsAPerson(claim) ? askAPerson(claim, hold) : absent(claim, hold, now);
    }

    private static Instant nextCount(Claim claim, Duration window, int counted) {
        Instant arrives = Objects.requireNonNull(claim.arrivesBy(), "a claim that was sent");
        return arrives.plus(window.multipliedBy(counted + 1L).dividedBy(LOOKS));
    }

    /** Neither token nor refund, and nobody knows what the dead worker's call did: not bought again by a machine. */
    private boolean needsAPerson(Claim claim) {
        return claim.vanished()
                && capabilities(claim)
                        .map(platform -> !platform.token() && platform.refund().rule() == RefundTerms.Rule.NONE)
                        .orElse(true);
    }

    private Future<Optional<Next>> askAPerson(Claim claim, Hold hold) {
        Instant now = clock.instant();
        return database.inTransaction(connection -> tasks.open(connection, VanishedClaim.about(claim), now))
                .compose(done -> Future.succeededFuture(Next.periodic(now.plus(WATCH_EVERY))));
    }

    private Future<Optional<Next>> absent(Claim claim, Hold hold, Instant now) {
        return change(
                        claim,
                        hold,
                        (connection, current) -> Future.succeededFuture(
                                current.state() != ClaimState.UNKNOWN ? current : absent(current, now)))
                .map(written -> Next.periodic(now.plus(WATCH_FIRST)));
    }

    private static Claim absent(Claim current, Instant now) {
        return current.edit()
                .state(ClaimState.ABSENT)
                .notListed(LOOKS)
                .why(Reason.PLATFORM_UNAVAILABLE, "never arrived: not listed " + LOOKS + " times")
                .settled(now)
                .watchUntil(now.plus(WATCH))
                .done();
    }

    /** What appears after it was written off is released: the reservation has moved on. */
    private Future<Optional<Next>> watch(Claim claim, Hold hold) {
        Instant now = clock.instant();
        Instant until = claim.watchUntil() == null ? now : claim.watchUntil();
        return look(claim).compose(finding -> {
            if (finding instanceof Finding.Found found) {
                LOG.warn("claim {} appeared after it was written off; it is released", claim.key());
                return foundAt(claim, hold, found, true);
            }
            if (!now.isBefore(until)) {
                return Future.succeededFuture(Optional.<Next>empty());
            }
            Instant next = now.plus(pause(claim, now));
            return Future.succeededFuture(next.isBefore(until) ? Next.periodic(next) : Next.at(until));
        });
    }

    private static Duration pause(Claim claim, Instant now) {
        Instant settled = claim.settledAt();
        Duration since = settled == null ? WATCH_EVERY : Duration.between(settled, now);
        return since.compareTo(WATCH_FIRST) < 0 ? WATCH_FIRST : since.compareTo(WATCH_EVERY) > 0 ? WATCH_EVERY : since;
    }

    // ---- following what is ours ---------------------------------------------------------------------------

    private Future<Optional<Next>> follow(Claim claim, Hold hold) {
        PlatformRef ref = Objects.requireNonNull(claim.ref(), "what was taken has a reference");
        return platforms
                .call(claim.account(), claim.region(), Operation.STATUS, adapter -> adapter.status(ref))
                .compose(
                        status -> seen(claim, hold, status),
                        fault -> again(pause(hold.item().tries() + 1, POLL)));
    }

    private Future<Optional<Next>> seen(Claim claim, Hold hold, ClaimStatus status) {
        Instant now = clock.instant();
        ClaimStatus.Phase phase = status.phase();
        if (phase == ClaimStatus.Phase.SECURED
                && !claim.launched()
                && !now.isBefore(claim.request().window().start())) {
            return launch(claim, hold);
        }
        if (phase == ClaimStatus.Phase.GONE && claim.phase() == null && isYoung(claim, now)) {
            return again(POLL); // Not shown yet is not gone yet.
        }
        return change(
                        claim,
                        hold,
                        (connection, current) -> claims.saveMachines(connection, current, status.machines(), now)
                                .map(saved -> follow(current, status, now)))
                .compose(written -> nextLook(claim, status, now));
    }

    private static Claim follow(Claim current, ClaimStatus status, Instant now) {
        ClaimEdit edit = current.edit().phase(status.phase()).bought(status.window());
        switch (status.phase()) {
            case SECURED:
            case STARTING:
            case RUNNING:
                return edit.state(ClaimState.CLAIMED).settled(now).done();
            case GONE:
                return edit.why(current.reason(), "ended on the platform: " + status.detail())
                        .released(now)
                        .done();
            case FAILED:
                Reason reason = status.machines().stream()
                        .map(ClaimStatus.Machine::failure)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(Reason.REFUSED_UNKNOWN);
                return edit.why(reason, status.detail())
                        .unwanted()
                        .state(ClaimState.RELEASING)
                        .done();
            default:
                return edit.done();
        }
    }

    private Future<Optional<Next>> nextLook(Claim claim, ClaimStatus status, Instant now) {
        switch (status.phase()) {
            case RUNNING:
                return Future.succeededFuture(Next.periodic(now.plus(HEALTH_POLL)));
            case SECURED:
                Instant start = claim.request().window().start();
                return Future.succeededFuture(now.isBefore(start) ? Next.at(start) : Next.at(now.plus(POLL)));
            case FAILED:
                return again(Duration.ZERO);
            case GONE:
                return Future.succeededFuture(Optional.empty());
            default:
                boolean fresh = isYoung(claim, now);
                return again(fresh ? POLL : SLOW_POLL);
        }
    }

    private boolean isYoung(Claim claim, Instant now) {
        Duration window = capabilities(claim).map(Capabilities::settleWindow).orElse(Duration.ofMinutes(10));
        return now.isBefore(claim.intendedAt().plus(window));
    }

    /** Safe to repeat: the launch carries the key's token. */
    private Future<Optional<Next>> launch(Claim claim, Hold hold) {
        PlatformRef ref = Objects.requireNonNull(claim.ref(), "what was taken has a reference");
        return hold.mayStillSend()
                .compose(may -> may
                        ? platforms
                                .call(
                                        claim.account(),
                                        claim.region(),
                                        Operation.LAUNCH,
                                        adapter -> adapter instanceof SupportsLaunch launcher
                                                ? launcher.launch(ref, claim.request())
                                                : new ClaimOutcome.Claimed(
                                                        ref, claim.request().window()))
                                .compose(
                                        outcome -> launched(claim, hold, outcome),
                                        fault -> notLaunched(claim, hold, Launch.failed(fault)))
                        : again(Duration.ofSeconds(1)));
    }

    private Future<Optional<Next>> launched(Claim claim, Hold hold, ClaimOutcome outcome) {
        if (outcome instanceof ClaimOutcome.Claimed ours) {
            return change(
                            claim,
                            hold,
                            (connection, current) -> Future.succeededFuture(current.edit()
                                    .launched(ours.ref())
                                    .why(null, "its machines were launched")
                                    .done()))
                    .compose(written -> again(FIRST_LOOK));
        }
        return notLaunched(claim, hold, Launch.answered(outcome));
    }

    /** Tried on whatever the cause, since nobody tells when it is removed; told once for each cause. */
    private Future<Optional<Next>> notLaunched(Claim claim, Hold hold, Launch failed) {
        boolean told = failed.isTold(claim.detail());
        if (!told) {
            LOG.warn("claim {} is bought and its machines are {}", claim.key(), failed.detail(), failed.ownFault());
        }
        Instant now = clock.instant();
        return change(
                        claim,
                        hold,
                        (connection, current) -> told
                                ? Future.succeededFuture(current)
                                : tellAPerson(connection, current, failed, now)
                                        .map(done -> current.edit()
                                                .why(failed.reason(), failed.detail())
                                                .done()))
                .compose(written -> again(failed.passes() ? POLL : SLOW_POLL));
    }

    private Future<Void> tellAPerson(SqlConnection connection, Claim claim, Launch failed, Instant now) {
        return failed.passes()
                ? Future.succeededFuture()
                : tasks.open(connection, UnlaunchedMachines.about(claim, failed.said()), now);
    }

    // ---- giving back ----------------------------------------------------------------------------------------

    private Future<Optional<Next>> release(Claim claim, Hold hold) {
        PlatformRef ref = Objects.requireNonNull(claim.ref(), "what was taken has a reference");
        return change(
                        claim,
                        hold,
                        (connection, current) -> Future.succeededFuture(current.edit()
                                .state(ClaimState.RELEASING)
                                .unwanted()
                                .releaseTries(current.releaseTries() + 1)
                                .done()))
                .compose(marked -> marked.isPresent() ? giveBack(claim, ref, hold) : again(Duration.ZERO));
    }

    private Future<Optional<Next>> giveBack(Claim claim, PlatformRef ref, Hold hold) {
        return platforms
                .call(claim.account(), claim.region(), Operation.RELEASE, adapter -> adapter.release(ref))
                .compose(progress -> released(claim, hold, progress), fault -> {
                    LOG.warn("release of {} goes on: {}", claim.key(), fault.getMessage());
                    return again(pause(claim.releaseTries() + 1, POLL));
                });
    }

    private Future<Optional<Next>> released(Claim claim, Hold hold, ReleaseProgress progress) {
        Instant now = clock.instant();
        return progress.fold(new ReleaseProgress.Cases<Future<Optional<Next>>>() {
            @Override
            public Future<Optional<Next>> gone(ReleaseProgress.Gone gone) {
                return change(
                                claim,
                                hold,
                                (connection, current) -> Future.succeededFuture(
                                        current.edit().released(now).done()))
                        .map(written -> Optional.empty());
            }

            @Override
            public Future<Optional<Next>> inProgress(ReleaseProgress.InProgress inProgress) {
                return again(pause(claim.releaseTries() + 1, FIRST_LOOK));
            }

            @Override
            public Future<Optional<Next>> refused(ReleaseProgress.Refused refused) {
                LOG.info("release of {} is refused until {}: {}", claim.key(), refused.retryAt(), refused.detail());
                Instant soonest = now.plus(FIRST_LOOK);
                return Future.succeededFuture(
                        Next.at(refused.retryAt().isBefore(soonest) ? soonest : refused.retryAt()));
            }
        });
    }

    // ---- common ---------------------------------------------------------------------------------------------

    @FunctionalInterface
    private interface Change {
        Future<Claim> of(SqlConnection connection, Claim current);
    }

    /**
     * Writes the next version of the claim as it is now, and lets its reservation look at it, unless somebody has taken the
     * work over. Empty when nothing may be written any more.
     */
    private Future<Optional<Claim>> change(Claim claim, Hold hold, Change change) {
        return database.inTransaction(connection -> claims.lock(connection, claim.key())
                        .compose(locked -> write(connection, locked.orElseThrow(), hold, change)))
                .map(Optional::of)
                .recover(fault -> fault instanceof NotOurs
                        ? Future.succeededFuture(Optional.<Claim>empty())
                        : Future.failedFuture(fault));
    }

    private Future<Claim> write(SqlConnection connection, Claim current, Hold hold, Change change) {
        return change.of(connection, current).compose(next -> {
            if (next == current) {
                return Future.succeededFuture(current);
            }
            // Last of all and under the row's lock: whoever takes the work over now reads what is written here.
            return hold.stands(connection)
                    .compose(stands ->
                            stands ? claims.update(connection, current, next) : Future.failedFuture(new NotOurs()))
                    .compose(written -> endsLaunch(current, next)
                            ? tasks.close(
                                    connection,
                                    UnlaunchedMachines.KIND,
                                    current.key().text(),
                                    next.launched() ? "its machines were launched" : "it was given back",
                                    clock.instant())
                            : Future.succeededFuture())
                    .compose(written -> tells(current, next)
                            ? due.poke(connection, "reservation", current.reservationId())
                            : Future.succeededFuture())
                    .map(next);
        });
    }

    /** Leaves the transaction without a trace: somebody else goes on with the claim. */
    private static final class NotOurs extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotOurs() {
            super("somebody else has taken the claim on", null, false, false);
        }
    }

    /** Nobody need remove what kept the machines from starting any more. */
    private static boolean endsLaunch(Claim before, Claim after) {
        return before.launched() != after.launched()
                || (before.state() != after.state() && after.state() == ClaimState.RELEASED);
    }

    private static boolean tells(Claim before, Claim after) {
        return before.state() != after.state()
                || before.phase() != after.phase()
                || before.releaseTries() != after.releaseTries();
    }

    private Optional<Capabilities> capabilities(Claim claim) {
        return platforms.account(claim.account()).map(account -> account.capabilities());
    }

    private Future<Optional<Next>> again(Duration in) {
        return Future.succeededFuture(Next.at(clock.instant().plus(in)));
    }

    /** Doubles from {@code first} with each try, up to ten minutes. */
    private static Duration pause(int tries, Duration first) {
        Duration pause = first.multipliedBy(1L << Math.min(Math.max(tries - 1, 0), 10));
        return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }
}
