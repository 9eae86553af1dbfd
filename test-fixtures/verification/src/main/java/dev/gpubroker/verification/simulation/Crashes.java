package dev.gpubroker.verification.simulation;

import dev.gpubroker.simulator.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Brokers that end, in order and otherwise, that are two, that stand still while another goes on. */
final class Crashes {
    /** Less than the longest claim call of a simulated account (4 s), so that it ends as a silence of the platform. */
    private static final Duration FROZEN = Duration.ofMillis(2_500);

    private Crashes() {}

    static List<Action> all() {
        return List.of(
                new Action("a broker restarts", 2, Crashes::restart),
                new Action("a broker is killed", 2, Crashes::kill),
                new Action("a broker is killed while time passes", 4, Crashes::killInAWalk),
                new Action("a broker is killed while it buys", 5, Crashes::killAtAClaim),
                new Action("a second broker comes", 2, Crashes::another),
                new Action("a broker stands still while it buys", 3, Crashes::frozenAtAClaim),
                new Action("an account is held while a broker buys", 3, Crashes::accountHeld),
                new Action("a broker stands still before an end", 3, Crashes::frozenBeforeAnEnd));
    }

    private static void restart(World world, Dice dice) throws InterruptedException {
        world.journal.did("a broker restarts");
        world.revive();
        world.stop(world.broker(dice.between(0, 1)));
        world.revive();
    }

    private static void kill(World world, Dice dice) {
        world.journal.did("a broker is killed");
        world.revive();
        world.kill(world.broker(dice.between(0, 1)));
    }

    private static void killInAWalk(World world, Dice dice) throws InterruptedException {
        int millis = dice.between(1, 400);
        Duration time = Duration.ofHours(dice.between(1, 72));
        world.journal.did("a broker is killed while " + time + " pass");
        world.revive();
        LiveBroker victim = world.broker(dice.between(0, 1));
        Future<?> killer = Together.begin(() -> {
            TimeUnit.MILLISECONDS.sleep(millis);
            world.kill(victim);
            world.wallTimePasses(); // What it held would stand still for seconds, in which months may pass here.
            return null;
        });
        world.advance(time);
        Together.resultOf(killer);
    }

    /** The request is on the wire and the intent is marked as sent when all brokers lose the power. */
    private static void killAtAClaim(World world, Dice dice) throws InterruptedException {
        String platform = dice.pick(List.copyOf(world.platforms.names()));
        Fault.Kind kind = dice.pick(Fault.Kind.LOSE_REPLY, Fault.Kind.LATE, Fault.Kind.RESET);
        Duration delay = Duration.ofMinutes(dice.pick(2, 6, 25));
        world.journal.did(
                "all brokers are killed while one buys; a claim on " + platform + " comes to " + kind + " " + delay);
        Purchases.sells(world, dice, platform);
        world.platforms.fault(platform, new Fault("claim", kind, 1, delay, null));
        world.wire.atNextClaim(key -> world.killAll());
        Bookings.book(world, dice, Wishes.soonOn(platform, world, dice));
        world.advance(Duration.ofMinutes(dice.pick(65, 100, 600)));
        world.journal.came(world.wire.forget() ? "nothing was bought" : "killed");
    }

    private static void another(World world, Dice dice) throws InterruptedException {
        world.revive();
        if (world.hasRoom()) {
            world.journal.did("a second broker comes");
            world.addBroker();
        } else {
            world.journal.did("the second broker leaves");
            world.stop(world.broker(1));
        }
    }

    /** Its call hangs for longer than its hold, another takes over and goes on; then its call ends. */
    private static void frozenAtAClaim(World world, Dice dice) throws InterruptedException {
        String platform = dice.pick(List.copyOf(world.platforms.names()));
        world.journal.did("a broker that buys on " + platform + " stands still");
        Purchases.sells(world, dice, platform);
        world.platforms.fault(platform, new Fault("claim", Fault.Kind.HANG, 1, FROZEN, null));
        world.wire.atNextClaim(key -> world.wallTimePasses());
        Bookings.book(world, dice, Wishes.soonOn(platform, world, dice));
        world.advance(Duration.ofMinutes(dice.pick(90, 130)));
        if (world.wire.forget()) {
            world.journal.came("nothing was bought");
        } else {
            TimeUnit.MILLISECONDS.sleep(FROZEN.toMillis() + 200);
        }
    }

    /**
     * A transaction on the account's row takes so long that the one who waits for it with a claim in hand loses its hold, and
     * another takes over.
     */
    private static void accountHeld(World world, Dice dice) throws InterruptedException {
        String platform = dice.pick(List.copyOf(world.platforms.names()));
        world.journal.did("the account on " + platform + " is held while a broker buys");
        Purchases.sells(world, dice, platform);
        Bookings.book(world, dice, Wishes.soonOn(platform, world, dice));
        Future<Boolean> holder = Together.begin(() -> holdAccount(world, platform));
        world.advance(Duration.ofMinutes(dice.pick(65, 90)));
        world.journal.came(Together.resultOf(holder) ? "somebody had to wait" : "nobody had to wait");
    }

    private static boolean holdAccount(World world, String platform) throws InterruptedException {
        try (Sql holder = world.anotherConnection()) {
            holder.run("BEGIN");
            holder.run("SELECT 1 FROM account WHERE platform = ? FOR UPDATE", platform);
            boolean waited = Waiters.await(holder, 1);
            if (waited) {
                world.wallTimePasses();
                TimeUnit.MILLISECONDS.sleep(300);
            }
            holder.run("COMMIT");
            return waited;
        }
    }

    /** Somebody holds the work that would end a reservation, over the instant of its end, at which another one begins. */
    private static void frozenBeforeAnEnd(World world, Dice dice) throws InterruptedException {
        world.journal.did("a broker stands still before an end");
        Optional<Ledger.Booking> ending = nextEnd(world);
        if (ending.isEmpty()) {
            Bookings.book(world, dice, Wishes.soonOnOwnNodes(world));
            ending = nextEnd(world);
        }
        if (ending.isEmpty()) {
            return;
        }
        Ledger.Booking held = ending.get();
        Bookings.after(world, dice, held);
        world.advance(Duration.between(world.now(), held.end()).minusMinutes(1));
        world.sql.run(
                "UPDATE due_work SET claimed_by = 'frozen', fence = fence + 1,"
                        + " claimed_until_wall = clock_timestamp() + interval '900 milliseconds'"
                        + " WHERE kind = 'reservation' AND subject = ?",
                held.id());
        world.advance(Duration.ofMinutes(2));
    }

    private static Optional<Ledger.Booking> nextEnd(World world) {
        Instant now = world.now();
        return world.ledger.bookings().stream()
                .filter(booking ->
                        booking.state().equals("active") || booking.state().equals("confirmed"))
                .filter(booking -> booking.isOnOwnNodes() && booking.end().isAfter(now.plusSeconds(120)))
                .filter(booking -> booking.end().isBefore(now.plus(Duration.ofDays(12))))
                .min(Comparator.comparing(Ledger.Booking::end));
    }
}
