package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.allocation.Allocations;
import dev.gpubroker.broker.allocation.Place;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.planning.PlanDesk.Deliberation;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.stored.Ids;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Books capacity: read, decide, write. Only the first and the last step touch the outside. */
public final class BookingService {
    private static final Why BOOKED = new Why("booked", "已预订");

    private static final int PLANS_SHOWN = 20;
    /** Each try lost means that somebody else won: three of them, and the capacity is as good as gone. */
    private static final int PLACES_TRIED = 3;

    private final Database database;
    private final PlanDesk desk;
    private final ReservationStore reservations;
    private final QuoteStore quotes;
    private final Allocations allocations;
    private final Line line;
    private final Purchase purchase;
    private final Transition transition;
    private final DueWork due;
    private final Caps caps;
    private final Refusals refusals;
    private final Supplier<Policy> policy;
    private final InstantSource clock;

    BookingService(
            Database database,
            PlanDesk desk,
            ReservationStore reservations,
            QuoteStore quotes,
            Allocations allocations,
            Line line,
            Purchase purchase,
            Transition transition,
            DueWork due,
            Caps caps,
            Refusals refusals,
            Supplier<Policy> policy,
            InstantSource clock) {
        this.database = database;
        this.desk = desk;
        this.reservations = reservations;
        this.quotes = quotes;
        this.allocations = allocations;
        this.line = line;
        this.purchase = purchase;
        this.transition = transition;
        this.due = due;
        this.caps = caps;
        this.refusals = refusals;
        this.policy = policy;
        this.clock = clock;
    }

    /** @param team, owner who books; {@code title} and {@code labels} come with the request */
    public record BookCommand(String team, String owner, BookingRequest request) {}

    /** What runs in the booking's transaction before and after it: the idempotency key's lock, and the answer's storing. */
    public interface Frame {
        Future<Void> before(SqlConnection connection);

        Future<Void> after(SqlConnection connection, Reservation booked, int position);
    }

    /** Quotes, best first, with everything that was left aside. */
    public record Quoted(List<QuoteStore.Quote> quotes, Deliberation deliberation) {}

    public Future<Quoted> quote(String team, BookingRequest request) {
        return desk.deliberate(team, request).compose(deliberation -> {
            Instant now = clock.instant();
            Instant expires = now.plus(policy.get().quoteLife());
            List<QuoteStore.Quote> made = deliberation.planning().plans().stream()
                    .limit(PLANS_SHOWN)
                    .map(plan -> new QuoteStore.Quote(Ids.next("quo", now), team, request, plan, expires, now))
                    .toList();
            return quotes.insert(made).map(new Quoted(made, deliberation));
        });
    }

    /** Fails with the problem that says why nothing was booked; then nothing is stored. */
    public Future<Reservation> book(BookCommand command, Frame frame) {
        return book(command, frame, PLACES_TRIED);
    }

    /** Decides afresh when somebody else took the place between the look and the write. */
    private Future<Reservation> book(BookCommand command, Frame frame, int tries) {
        return desk.deliberate(command.team(), command.request())
                .compose(deliberation -> line.forNewcomer(command, deliberation.planning()))
                .compose(left -> {
                    Planning planning = left.planning();
                    BookingOutcome outcome =
                            decision(command.request(), planning).decide();
                    return apply(command, planning, outcome, frame)
                            .compose(booked -> outcome.placed().isPresent()
                                    ? line.letDown(left).map(booked)
                                    : Future.succeededFuture(booked))
                            .recover(fault -> {
                                if (!(fault instanceof PlaceLost)) {
                                    return Future.failedFuture(fault);
                                }
                                return tries > 1 ? book(command, frame, tries - 1) : noCapacity(command, planning);
                            });
                });
    }

    /** Books what a quote said, at what it said: asked again now, and refused above its cap. */
    public Future<Reservation> bookQuote(
            String team, String owner, String quoteId, Function<BookingRequest, BookingRequest> named, Frame frame) {
        Instant now = clock.instant();
        return quotes.read(team, quoteId).compose(found -> {
            QuoteStore.Quote quote = found.orElseThrow(refusals::noSuchQuote);
            if (!now.isBefore(quote.expiresAt())) {
                return Future.failedFuture(refusals.quoteExpired(quote));
            }
            BookCommand command = new BookCommand(team, owner, named.apply(quote.request()));
            return desk.deliberate(team, command.request())
                    .compose(deliberation -> line.forNewcomer(command, deliberation.planning()))
                    .compose(left -> {
                        Planning planning = left.planning();
                        Optional<Plan> plan = planning.plans().stream()
                                .filter(each -> isSame(each, quote.plan()))
                                .findFirst();
                        return plan.isEmpty()
                                ? noCapacity(command, planning)
                                : bookPicked(command, planning, quote, plan.get(), frame);
                    });
        });
    }

    /** The same way to the same SKU; ids of offerings change with each look. */
    private static boolean isSame(Plan one, Plan other) {
        return one.account().equals(other.account())
                && one.region().equals(other.region())
                && one.sku().equals(other.sku())
                && one.acquisition() == other.acquisition()
                && one.gpus() == other.gpus()
                && java.util.Objects.equals(one.stretch(), other.stretch())
                && java.util.Objects.equals(one.zone(), other.zone());
    }

    private Future<Reservation> bookPicked(
            BookCommand command, Planning planning, QuoteStore.Quote quote, Plan plan, Frame frame) {
        Terms agreed = caps.accepted(Terms.none(), quote.plan());
        if (caps.isOver(plan, agreed, command.request().maxTotal())) {
            Instant now = clock.instant();
            QuoteStore.Quote fresh = new QuoteStore.Quote(
                    Ids.next("quo", now),
                    command.team(),
                    command.request(),
                    plan,
                    now.plus(policy.get().quoteLife()),
                    now);
            return quotes.insert(List.of(fresh)).compose(done -> Future.failedFuture(refusals.priceChanged(fresh)));
        }
        Plan.StandIn standIn = plan.substitution();
        Terms terms = standIn == null ? agreed : agreed.agree(standIn.to());
        BookingOutcome outcome = decision(command.request(), planning).act(plan);
        return write(command, planning, outcome, new Agreed(quote.id(), quote.plan(), terms), frame)
                .recover(fault ->
                        fault instanceof PlaceLost ? noCapacity(command, planning) : Future.failedFuture(fault));
    }

    private BookingDecision decision(BookingRequest request, Planning planning) {
        Instant now = clock.instant();
        return new BookingDecision(request, planning, policy.get(), now, () -> Ids.next("quo", now));
    }

    /** @param plan as it was shown to the owner; null while nothing can be named */
    private record Agreed(String quoteId, @Nullable Plan plan, Terms terms) {}

    private Future<Reservation> apply(BookCommand command, Planning planning, BookingOutcome outcome, Frame frame) {
        if (outcome instanceof BookingOutcome.NotEligible) {
            return Future.failedFuture(refusals.notEligible(planning));
        }
        if (outcome instanceof BookingOutcome.NoCapacity) {
            return noCapacity(command, planning);
        }
        Plan plan = planOf(outcome);
        Terms terms =
                caps.agreed(Terms.none(), plan, planning, command.request().maxTotal());
        Agreed agreed = new Agreed(Ids.next("quo", clock.instant()), plan, terms);
        return write(command, planning, outcome, agreed, frame);
    }

    private static @Nullable Plan planOf(BookingOutcome outcome) {
        if (outcome instanceof BookingOutcome.Take take) {
            return take.plan();
        }
        if (outcome instanceof BookingOutcome.Order order) {
            return order.plan();
        }
        return outcome instanceof BookingOutcome.Wait wait ? wait.plan() : null;
    }

    // ---- writing ------------------------------------------------------------------------------------------

    private Future<Reservation> write(
            BookCommand command, Planning planning, BookingOutcome outcome, Agreed agreed, Frame frame) {
        Instant now = clock.instant();
        Reservation draft = Drafts.of(command, planning, outcome, agreed.quoteId(), agreed.plan(), agreed.terms(), now);
        return reservations
                .position(draft)
                .compose(position -> database.inTransaction(connection -> frame.before(connection)
                        .compose(locked -> insert(connection, draft, planning, outcome, now))
                        .compose(booked ->
                                frame.after(connection, booked, position).map(booked))))
                .onSuccess(booked -> due.lookNow());
    }

    private Future<Reservation> insert(
            SqlConnection connection, Reservation draft, Planning planning, BookingOutcome outcome, Instant now) {
        if (outcome.placed().isPresent()) {
            Plan plan = outcome.placed().get();
            // Both travel together: what one of them refuses rolls everything back.
            Future<Void> inserted = reservations.insert(connection, draft, draft.owner(), BOOKED);
            Future<List<Place>> found = allocations.place(
                    connection,
                    PlanDesk.wantedInPool(draft.team(), draft.request(), plan),
                    planning.placeOf(plan).orElse(null),
                    plan.serving(draft.window()),
                    draft.id(),
                    now);
            return Future.all(inserted, found)
                    .compose(both -> found.result().isEmpty()
                            ? Future.failedFuture(new PlaceLost())
                            : placed(connection, draft, found.result()));
        }
        Future<Void> bought = outcome instanceof BookingOutcome.Order order
                ? reservations
                        .insert(connection, draft, draft.owner(), BOOKED)
                        .compose(done -> purchase.intend(connection, draft, order.plan(), draft.attempts(), now))
                : reservations.insert(connection, draft, draft.owner(), BOOKED);
        return bought.compose(done -> announced(connection, draft));
    }

    private Future<Reservation> placed(SqlConnection connection, Reservation draft, List<Place> places) {
        List<Reservation.AssignedNode> nodes = ReservationStep.assigned(places);
        if (nodes.equals(draft.nodes())) {
            return announced(connection, draft);
        }
        Reservation assigned = draft.edit().nodes(nodes).at(draft.createdAt());
        return reservations
                .update(
                        connection,
                        draft,
                        assigned,
                        draft.owner(),
                        placedIn(places.get(0).poolName()))
                .compose(done -> announced(connection, assigned));
    }

    private static Why placedIn(String pool) {
        return new Why("placed in pool " + pool, "已分配到资源池 " + pool);
    }

    private Future<Reservation> announced(SqlConnection connection, Reservation booked) {
        Future<Void> checked =
                booked.state().isWaiting() ? due.poke(connection, Checks.KIND, booked.id()) : Future.succeededFuture();
        return Future.all(
                        transition.announce(connection, null, booked, BOOKED),
                        due.poke(connection, ReservationStep.KIND, booked.id()),
                        checked)
                .map(booked);
    }

    /** Somebody else took the last place between the look and the write. */
    private static final class PlaceLost extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PlaceLost() {
            super("the place was taken meanwhile", null, false, false);
        }
    }

    private <T> Future<T> noCapacity(BookCommand command, Planning planning) {
        Allocations.Wanted wanted = desk.wanted(command.team(), command.request());
        if (!command.request().constraints().allowsPools()) {
            return Future.failedFuture(refusals.noCapacity(command.request(), planning, List.of(), List.of()));
        }
        Instant horizon = clock.instant().plus(dev.gpubroker.broker.request.Limits.HORIZON);
        return Future.all(
                        allocations.freeWindows(wanted, command.request().window(), horizon, 3),
                        allocations.conflicts(wanted, command.request().window()))
                .compose(both -> Future.failedFuture(
                        refusals.noCapacity(command.request(), planning, both.resultAt(0), both.resultAt(1))));
    }

    /** Only while nothing has ever been booked may the demo clock go back. */
    public Future<Boolean> isUsed() {
        return reservations
                .list(new ReservationStore.Filter(null, Set.of(), null, null, null, null, null, 1))
                .map(found -> !found.isEmpty());
    }
}
