package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.allocation.AllocationChanges;
import dev.gpubroker.broker.allocation.Allocations;
import dev.gpubroker.broker.allocation.OutageEffects;
import dev.gpubroker.broker.allocation.OutageStore;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.claim.ClaimChanges;
import dev.gpubroker.broker.claim.ClaimStore;
import dev.gpubroker.broker.claim.MoneyGuard;
import dev.gpubroker.broker.claim.PgClaimChanges;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.outbox.Outbox;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.platform.Balances;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.quote.Quoter;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.Echo;
import dev.gpubroker.broker.request.PersonalRequests;
import dev.gpubroker.broker.request.RequestReader;
import dev.gpubroker.broker.schedule.DueHandler;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.schedule.DueWorker;
import dev.gpubroker.broker.task.TaskKind;
import dev.gpubroker.broker.task.Tasks;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Builds the objects of this package by hand, top to bottom, from what the rest of the broker gives it. */
public final class BookingModule {
    private static final Duration BALANCE_DEADLINE = Duration.ofSeconds(2);

    private final ReservationStore reservations;
    private final ReservationStep step;
    private final Waitlist waitlist;
    private final Watch watch;
    private final Displaced displaced;
    private final Database database;
    private final DueWork due;
    private final InstantSource clock;
    private final QuoteStore quotes;
    private final BookingService booking;
    private final List<Routes> routes;
    private final Checks checks;
    private final EndWarnings warnings;
    private final EndHook hook;
    private final PurchaseApproval approval;

    /** What the package needs of others. */
    public record Needs(
            Database database,
            PlanDesk desk,
            Quoter quoter,
            Allocations allocations,
            AllocationChanges rectangles,
            OutageStore outages,
            ClaimStore claims,
            Platforms platforms,
            DueWork due,
            RequestReader requests,
            PersonalRequests personal,
            Readiness readiness,
            EndScripts scripts,
            GpuCatalogue catalogue,
            Echo echo,
            Tasks tasks,
            AlsoWaiting others,
            UseSignal use,
            String installation,
            Supplier<Policy> policy,
            InstantSource clock) {}

    public BookingModule(Needs needs) {
        this.database = needs.database();
        this.due = needs.due();
        this.clock = needs.clock();
        this.reservations = new PgReservationStore(needs.database());
        Caps caps = new Caps(needs.quoter(), needs.policy().get().capPercent());
        Refusals refusals = new Refusals();
        Transition transition = new Transition(
                needs.database(),
                reservations,
                needs.claims(),
                needs.allocations(),
                needs.due(),
                new Outbox(),
                new ReservationJson(caps),
                needs.clock());
        Purchase purchase =
                new Purchase(needs.claims(), needs.due(), needs.platforms(), needs.installation(), needs.policy());
        Line line = new Line(reservations, needs.desk(), needs.allocations(), needs.others(), needs.policy());
        Waiting waiting = new Waiting(needs.desk(), line, purchase, transition, caps, needs.policy());
        ClaimChanges claimChanges = new PgClaimChanges();
        Growth growth = new Growth(needs.claims(), claimChanges, needs.readiness(), transition, caps, needs.due());
        NoShow noShow = new NoShow(needs.database(), reservations, needs.use(), transition, needs.policy());
        PartDelivered part = new PartDelivered(claimChanges, transition, caps, needs.policy());
        this.step = new ReservationStep(
                reservations,
                needs.claims(),
                needs.allocations(),
                waiting,
                part,
                growth,
                noShow,
                needs.readiness(),
                transition,
                needs.clock());
        this.watch = new Watch(reservations, waiting, needs.clock());
        this.waitlist = new Waitlist(
                reservations, needs.desk(), line, needs.others(), transition, needs.policy(), needs.clock());
        this.approval = new PurchaseApproval(reservations, transition, needs.due(), needs.clock());
        this.checks = new Checks(
                needs.database(),
                reservations,
                needs.desk(),
                new MoneyGuard(needs.tasks()),
                new Balances(needs.platforms(), BALANCE_DEADLINE),
                transition,
                caps,
                needs.policy(),
                needs.clock());
        this.quotes = new QuoteStore(needs.database());
        this.booking = new BookingService(
                needs.database(),
                needs.desk(),
                reservations,
                quotes,
                needs.allocations(),
                line,
                purchase,
                transition,
                needs.due(),
                caps,
                refusals,
                needs.policy(),
                needs.clock());
        ChangeService changes = new ChangeService(
                needs.database(),
                reservations,
                needs.claims(),
                new CancellationStore(needs.database()),
                waiting,
                transition,
                needs.due(),
                caps,
                refusals,
                needs.clock());
        this.displaced = new Displaced(
                needs.database(),
                reservations,
                needs.outages(),
                needs.rectangles(),
                transition,
                needs.quoter(),
                needs.due(),
                needs.clock());
        OwnerWrite writes =
                new OwnerWrite(needs.database(), reservations, transition, needs.due(), refusals, needs.clock());
        MorePrice price = new MorePrice(needs.platforms(), needs.quoter(), caps, refusals);
        PlatformChange platformChange = new PlatformChange(
                reservations,
                needs.claims(),
                claimChanges,
                needs.platforms(),
                new TimedEnds(needs.platforms(), needs.policy()),
                price,
                new PlatformResize(claimChanges, price, purchase, caps, writes, needs.due(), refusals),
                new MoneyGuard(needs.tasks()),
                caps,
                writes,
                refusals);
        this.warnings = new EndWarnings(
                needs.database(),
                reservations,
                new Extensions(platformChange, needs.rectangles(), needs.quoter()),
                transition,
                needs.clock());
        this.hook = new EndHook(needs.database(), reservations, needs.scripts(), needs.clock());
        ReservationChange changed = new ReservationChange(
                reservations,
                new QueuedChange(needs.desk(), caps, writes, refusals, needs.policy()),
                new PoolChange(
                        needs.allocations(),
                        needs.rectangles(),
                        displaced,
                        needs.quoter(),
                        writes,
                        needs.due(),
                        refusals,
                        needs.clock()),
                platformChange,
                writes,
                needs.due(),
                refusals,
                needs.clock());
        this.routes = List.of(
                new QuoteRoutes(booking, needs.personal(), needs.echo()),
                new ReservationRoutes(
                        booking,
                        changes,
                        changed,
                        reservations,
                        needs.requests(),
                        needs.personal(),
                        needs.catalogue(),
                        new ReservationJson(caps),
                        refusals,
                        new PgSpendingLimit(caps, needs.clock())));
    }

    /** Refuses what a request wants at the end and nobody here can do. */
    public static Consumer<BookingRequest> endRule(EndScripts scripts) {
        return request -> EndHook.check(request, scripts);
    }

    /** What people are asked by this package. */
    public List<TaskKind> tasks() {
        return List.of(approval);
    }

    public List<Routes> routes() {
        return routes;
    }

    /** Deletes quotes that ran out before {@code before}. */
    public Future<Integer> expireQuotes(Instant before) {
        return quotes.expire(before);
    }

    /** What becomes of reservations when own machines fall out or come back. */
    public OutageEffects outageEffects() {
        return displaced;
    }

    public ReservationStore reservations() {
        return reservations;
    }

    public BookingService booking() {
        return booking;
    }

    /** Gives the worker this package's kinds of work. */
    public void register(DueWorker worker) {
        DueHandler freed = hold -> displaced.placeAgain().compose(done -> waitlist.handle(hold));
        worker.on(ReservationStep.KIND, step)
                .on(Waitlist.KIND, freed)
                .on(Watch.KIND, watch)
                .on(EndWarnings.KIND, warnings)
                .on(EndHook.KIND, hook)
                .on(Checks.KIND, checks);
    }

    /** Puts the work that repeats on the list; again after the clock was set back. */
    public Future<Void> begin() {
        return database.inTransaction(connection ->
                due.schedule(connection, Watch.KIND, Watch.ALL, clock.instant().plus(Watch.EVERY), true));
    }
}
