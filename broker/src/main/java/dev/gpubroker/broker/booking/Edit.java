package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.Rejection;
import dev.gpubroker.broker.planning.Stretch;
import dev.gpubroker.broker.request.BookingRequest;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The next version of a reservation in the making; refuses moves that the table of states does not know. */
final class Edit {
    private final Reservation from;
    private @Nullable String title;
    private Map<String, String> labels;
    private ReservationState state;
    private @Nullable ReservationState ending;
    private final Set<String> health;
    private BookingRequest request;
    private Window window;
    private @Nullable Plan plan;
    private List<Reservation.AssignedNode> nodes;
    private Reservation.@Nullable Substituted standIn;
    private Reservation.@Nullable Proposal proposal;
    private Reservation.@Nullable AgreedQuote quote;
    private Terms terms;
    private List<Rejection> explanation;
    private List<Reservation.Blocker> blockers;
    private Reservation.@Nullable NextAction next;
    private Reservation.@Nullable PendingChange pending;
    private @Nullable Instant joinedAt;
    private int attempts;
    private boolean wasClaimed;

    Edit(Reservation from) {
        this.from = from;
        this.title = from.title();
        this.labels = from.labels();
        this.state = from.state();
        this.ending = from.ending();
        this.health = new HashSet<>(from.health());
        this.request = from.request();
        this.window = from.window();
        this.plan = from.plan();
        this.nodes = from.nodes();
        this.standIn = from.standIn();
        this.proposal = from.proposal();
        this.quote = from.quote();
        this.terms = from.terms();
        this.explanation = from.explanation();
        this.blockers = from.blockers();
        this.next = from.next();
        this.pending = from.pending();
        this.joinedAt = from.joinedAt();
        this.attempts = from.attempts();
        this.wasClaimed = from.wasClaimed();
    }

    Edit title(@Nullable String value) {
        title = value;
        return this;
    }

    Edit labels(Map<String, String> value) {
        labels = value;
        return this;
    }

    Edit state(ReservationState to) {
        if (state != to && !state.mayBecome(to)) {
            throw new IllegalStateException(from.id() + " cannot go from " + state + " to " + to);
        }
        state = to;
        return this;
    }

    /** Goes to releasing, to end as {@code how}. */
    Edit releasing(ReservationState how) {
        state(ReservationState.RELEASING);
        ending = how;
        return this;
    }

    Edit health(String flag, boolean on) {
        if (on) {
            health.add(flag);
        } else {
            health.remove(flag);
        }
        return this;
    }

    Edit window(Window value, BookingRequest changed) {
        window = value;
        request = changed;
        return this;
    }

    Edit plan(@Nullable Plan value) {
        plan = value;
        return this;
    }

    Edit nodes(List<Reservation.AssignedNode> value) {
        nodes = value;
        return this;
    }

    Edit standIn(Reservation.@Nullable Substituted value) {
        standIn = value;
        health("substituted", value != null && value.last());
        return this;
    }

    Edit proposal(Reservation.@Nullable Proposal value) {
        proposal = value;
        return this;
    }

    Edit quote(Reservation.@Nullable AgreedQuote value) {
        quote = value;
        return this;
    }

    Edit terms(Terms value) {
        terms = value;
        return this;
    }

    Edit explanation(List<Rejection> value) {
        explanation = value;
        return this;
    }

    Edit blockers(List<Reservation.Blocker> value) {
        blockers = value;
        health("blocked", !value.isEmpty());
        return this;
    }

    Edit next(String what, Instant at) {
        next = new Reservation.NextAction(what, at);
        return this;
    }

    Edit pending(Reservation.@Nullable PendingChange value) {
        pending = value;
        return this;
    }

    Edit noNext() {
        next = null;
        return this;
    }

    Edit joined(@Nullable Instant at) {
        joinedAt = at;
        return this;
    }

    Edit attempts(int value) {
        attempts = value;
        return this;
    }

    Edit claimed() {
        wasClaimed = true;
        return this;
    }

    /**
     * What a stand-in takes beyond what was asked counts from its purchase on, and is given up with it. What the owner changed
     * since is what he asks for.
     */
    private void stretch() {
        Plan next = plan;
        boolean isOurs = state == ReservationState.ORDERING
                || state == ReservationState.CONFIRMED
                || !(state.isWaiting() || from.state().isWaiting());
        Stretch before = from.state().isWaiting() || from.plan() == null
                ? null
                : from.plan().stretch();
        Stretch after = isOurs && next != null ? next.stretch() : null;
        if (before != null && !before.equals(after)) {
            request = before.undone(request);
            window = new Window(window.start(), request.window().end());
        }
        if (next == null || after == null) {
            return;
        }
        if (!after.equals(before)) {
            request = next.serving(request);
            window = next.serving(window);
        } else if (!after.isOf(request)) {
            plan = next.asAsked();
        }
    }

    Reservation at(Instant now) {
        stretch();
        boolean ended = state.isEnded();
        if (ended) {
            blockers(List.of());
        }
        return new Reservation(
                from.id(),
                from.team(),
                from.owner(),
                title,
                labels,
                state,
                ending,
                health,
                request,
                window,
                plan,
                nodes,
                standIn,
                ended ? null : proposal,
                quote,
                terms,
                explanation,
                blockers,
                ended ? null : next,
                ended || state == ReservationState.RELEASING ? null : pending,
                from.priority(),
                state.isWaiting() ? joinedAt : null,
                attempts,
                wasClaimed,
                from.version() + 1,
                from.createdAt(),
                now,
                ended ? now : null);
    }
}
