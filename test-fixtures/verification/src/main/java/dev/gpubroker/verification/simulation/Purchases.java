package dev.gpubroker.verification.simulation;

import dev.gpubroker.simulator.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What is bought, and what happens to it soon after. Left to chance alone a booking, its purchase and a second thought of
 * its owner seldom meet.
 */
final class Purchases {
    private Purchases() {}

    static List<Action> all() {
        return List.of(
                new Action("buy and cancel", 4, Purchases::buyAndCancel),
                new Action("a purchase comes late", 3, Purchases::comesLate));
    }

    /** Whatever went on there before, now it sells, and we buy. */
    static void sells(World world, Dice dice, String platform) throws InterruptedException {
        world.platforms.clearFaults();
        world.newcomers.aPersonLooks(dice);
        for (Wishes.Ware ware : Wishes.WARES) {
            if (ware.platform().equals(platform)) {
                world.platforms.on(platform).setStock(ware.model(), ware.perNode(), 4);
                world.platforms.on(platform).setHourly(ware.model(), ware.perNode(), "50.00");
            }
        }
        Operations.resume(world, dice);
    }

    /** Books what the platform sells, from the next hour on. Empty if the broker would not have it. */
    private static Optional<Ledger.Booking> order(World world, Dice dice, String platform) throws InterruptedException {
        int before = world.callers.all().size();
        Bookings.book(world, dice, Wishes.soonOn(platform, world, dice));
        List<Callers.Known> known = world.callers.all();
        return known.size() == before
                ? Optional.empty()
                : booking(world, known.get(known.size() - 1).id());
    }

    private static Optional<Ledger.Booking> booking(World world, String id) {
        return world.ledger.bookings().stream()
                .filter(booking -> booking.id().equals(id))
                .findFirst();
    }

    /** One whose machines run; where there is none, one is bought. The one whose window ends first, if there are several. */
    static Optional<Ledger.Booking> running(World world, Dice dice) throws InterruptedException {
        Optional<Ledger.Booking> ours = nextToEnd(world);
        if (ours.isPresent()) {
            return ours;
        }
        String platform = dice.pick(List.copyOf(world.platforms.names()));
        sells(world, dice, platform);
        Optional<Ledger.Booking> bought = order(world, dice, platform);
        if (bought.isPresent()) {
            until(world, bought.get().start().plus(Duration.ofMinutes(20)));
        }
        return nextToEnd(world);
    }

    private static Optional<Ledger.Booking> nextToEnd(World world) {
        Instant soon = world.now().plusSeconds(60);
        return world.ledger.bookings().stream()
                .filter(booking -> booking.state().equals("active") && !booking.isOnOwnNodes())
                .filter(booking -> booking.end().isAfter(soon))
                .min(Comparator.comparing(Ledger.Booking::end));
    }

    /**
     * A second thought while the purchase is on its way, while the machines come up, or while they run; at times the platform
     * does not answer just then.
     */
    private static void buyAndCancel(World world, Dice dice) throws InterruptedException {
        String platform = dice.pick(List.copyOf(world.platforms.names()));
        String silent = dice.pick("", "", "claim", "find", "release");
        Fault.Kind kind = dice.pick(Fault.Kind.LOSE_REPLY, Fault.Kind.LATE, Fault.Kind.RESET, Fault.Kind.ERROR);
        Duration delay = Duration.ofMinutes(dice.pick(2, 6));
        Duration thought = Duration.ofMinutes(dice.pick(-5, 0, 1, 4, 20, 20, 65));
        world.journal.did("buy on " + platform + " and cancel " + thought + " after the start"
                + (silent.isEmpty() ? "" : "; a " + silent + " comes to " + kind));
        sells(world, dice, platform);
        if (!silent.isEmpty()) {
            world.platforms.fault(platform, new Fault(silent, kind, 1, delay, null));
        }
        Optional<Ledger.Booking> bought = order(world, dice, platform);
        if (bought.isPresent()) {
            until(world, bought.get().start().plus(thought));
            Changes.cancel(world, dice, new Callers.Known(0, bought.get().id()), true);
            world.advance(Duration.ofMinutes(dice.pick(15, 70, 200)));
        }
        world.platforms.clearFaults();
    }

    /** So late that the broker has given it up and gone on. */
    private static void comesLate(World world, Dice dice) throws InterruptedException {
        String platform = dice.pick(List.copyOf(world.platforms.names()));
        Duration delay = Duration.ofMinutes(dice.pick(25, 40, 100, 400));
        Duration look = delay.plusMinutes(dice.pick(5, 70, 400));
        world.journal.did("what is bought on " + platform + " comes " + delay + " late");
        sells(world, dice, platform);
        world.platforms.fault(platform, new Fault("claim", Fault.Kind.LATE, 1, delay, null));
        Optional<Ledger.Booking> bought = order(world, dice, platform);
        if (bought.isPresent()) {
            until(world, bought.get().start().plus(look));
        }
        world.platforms.clearFaults();
    }

    private static void until(World world, Instant instant) throws InterruptedException {
        if (instant.isAfter(world.now())) {
            world.advance(Duration.between(world.now(), instant));
        }
    }
}
