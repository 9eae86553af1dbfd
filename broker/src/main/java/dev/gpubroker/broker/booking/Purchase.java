package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.claim.ClaimStep;
import dev.gpubroker.broker.claim.ClaimStore;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Writes down the intents of one attempt: as many claims as the platform needs for the plan's machines. */
final class Purchase {
    private final ClaimStore claims;
    private final DueWork due;
    private final Platforms platforms;
    private final String installation;
    private final Supplier<Policy> policy;

    Purchase(ClaimStore claims, DueWork due, Platforms platforms, String installation, Supplier<Policy> policy) {
        this.claims = claims;
        this.due = due;
        this.platforms = platforms;
        this.installation = installation;
        this.policy = policy;
    }

    /**
     * A number for one more attempt, under which no claim was ever made: claims that were added to an attempt or set aside
     * keep the key that they were made with.
     */
    Future<Integer> nextAttempt(Reservation r) {
        return claims.ofReservation(r.id()).map(all -> nextAttempt(r, all));
    }

    static int nextAttempt(Reservation r, List<Claim> all) {
        return 1
                + IntStream.concat(
                                IntStream.of(r.attempts()),
                                all.stream()
                                        .flatMapToInt(claim -> IntStream.of(claim.attempt(), madeUnder(claim.key()))))
                        .max()
                        .orElse(0);
    }

    private static int madeUnder(ClaimKey key) {
        String[] parts = key.text().split("-", -1);
        return Integer.parseInt(parts[parts.length - 3]);
    }

    Future<Void> intend(SqlConnection connection, Reservation reservation, Plan plan, int attempt, Instant now) {
        Future<Void> all = Future.succeededFuture();
        for (Claim claim : intents(reservation, plan, attempt, now)) {
            all = all.compose(done -> claims.insert(connection, claim))
                    .compose(done ->
                            due.poke(connection, ClaimStep.KIND, claim.key().text()));
        }
        return all;
    }

    private List<Claim> intents(Reservation reservation, Plan plan, int attempt, Instant now) {
        AccountView account = platforms.account(plan.account()).orElseThrow();
        Capabilities platform = account.capabilities();
        MachineSpec machine = account.machine(reservation.request().machineWish());
        Offer offer = Objects.requireNonNull(plan.offer(), "a plan that can be bought has an offer");
        Money total = Objects.requireNonNull(plan.costing().total(), "a plan that can be bought has a price");
        List<Claim> intents = new ArrayList<>();
        int left = plan.nodes();
        for (int unit = 0; left > 0; unit++) {
            int nodes = Math.min(left, platform.nodesPerClaim());
            left -= nodes;
            ClaimKey key = key(reservation.id(), attempt, unit, offer);
            ClaimRequest request = new ClaimRequest(
                    key,
                    installation,
                    offer,
                    nodes,
                    plan.window(),
                    plan.costing().billing(),
                    platform.timedEnd() ? plan.window().end().plus(policy.get().endGrace()) : null,
                    machine,
                    null);
            intents.add(new Claim.Intent(
                            key,
                            reservation.id(),
                            attempt,
                            unit,
                            plan.account(),
                            plan.platform(),
                            request,
                            share(total, nodes, plan.nodes()))
                    .at(now));
        }
        return intents;
    }

    /** The part of the total that so many of the machines make; the caps add the parts up again. */
    private static Money share(Money total, int nodes, int all) {
        BigDecimal part = total.amount()
                .multiply(BigDecimal.valueOf(nodes))
                .divide(BigDecimal.valueOf(all), total.amount().scale(), RoundingMode.CEILING);
        return new Money(part, total.currency());
    }

    /** Names installation, reservation, attempt, unit and offer; the same for the same attempt in every process. */
    private ClaimKey key(String reservationId, int attempt, int unit, Offer offer) {
        String id = reservationId.substring(reservationId.indexOf('_') + 1);
        String what = String.format("%08x", (offer.id() + "|" + offer.sku()).hashCode());
        return new ClaimKey("gb-" + installation + "-" + id + "-" + attempt + "-" + unit + "-" + what);
    }
}
