package dev.gpubroker.verification.simulation;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.simulator.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What platforms and whoever shares them do: stock, prices, faults, machines that come and go past the broker. */
final class Luck {
    private static final List<String> OPERATIONS =
            List.of("stock", "price", "claim", "claim", "claim", "find", "find", "status", "release", "release");

    private Luck() {}

    static List<Action> all() {
        return List.of(
                new Action("stock changes", 5, Luck::stock),
                new Action("a price changes", 3, Luck::price),
                new Action("a fault", 8, Luck::fault),
                new Action("a platform is down", 2, Luck::down),
                new Action("faults end", 6, Luck::faultsEnd),
                new Action("a stranger buys", 2, Luck::stranger),
                new Action("a machine newer than the ledger", 1, Luck::newerThanLedger),
                new Action("a machine dies", 2, Luck::dies));
    }

    private static void stock(World world, Dice dice) {
        Wishes.Ware ware = Wishes.ware(world, dice);
        int nodes = dice.pick(0, 0, 1, 2, 8);
        world.journal.did("stock of " + ware.model() + " on " + ware.platform() + " becomes " + nodes);
        world.platforms.on(ware.platform()).setStock(ware.model(), ware.perNode(), nodes);
    }

    private static void price(World world, Dice dice) {
        Wishes.Ware ware = Wishes.ware(world, dice);
        String hourly = dice.pick("0.00", "20.00", "90.00", "280.00", "400.00");
        world.journal.did("price of " + ware.model() + " on " + ware.platform() + " becomes " + hourly);
        world.platforms.on(ware.platform()).setHourly(ware.model(), ware.perNode(), hourly);
    }

    private static void fault(World world, Dice dice) {
        String platform = dice.pick(List.copyOf(world.platforms.names()));
        Fault.Kind kind = dice.pick(Fault.Kind.values());
        Duration delay = kind == Fault.Kind.HANG
                ? Duration.ofMillis(dice.pick(150, 400, 1200))
                : Duration.ofMinutes(dice.pick(1, 4, 7, 14, 40, 300));
        Fault fault = new Fault(dice.pick(OPERATIONS), kind, dice.pick(1, 1, 2, 4), delay, null);
        world.journal.did("on " + platform + " " + fault);
        world.platforms.fault(platform, fault);
    }

    private static void down(World world, Dice dice) {
        String platform = dice.pick(List.copyOf(world.platforms.names()));
        Fault.Kind kind = dice.pick(Fault.Kind.RESET, Fault.Kind.THROTTLE, Fault.Kind.ERROR);
        world.journal.did("everything on " + platform + " comes to " + kind);
        for (String operation : Fault.OPERATIONS.stream().sorted().toList()) {
            world.platforms.fault(platform, new Fault(operation, kind, 30, Duration.ZERO, null));
        }
    }

    private static void faultsEnd(World world, Dice dice) {
        world.journal.did("faults end");
        world.platforms.clearFaults();
    }

    private static void stranger(World world, Dice dice) {
        Wishes.Ware ware = Wishes.ware(world, dice);
        world.journal.did("a stranger buys " + ware.model() + " on " + ware.platform());
        world.journal.came(
                world.newcomers.stranger(ware.platform(), new Flavor(ware.model(), ware.perNode()))
                        ? "bought"
                        : "not to be had");
    }

    private static void newerThanLedger(World world, Dice dice) {
        Wishes.Ware ware = Wishes.ware(world, dice);
        world.journal.did("a machine of ours on " + ware.platform() + " that the ledger does not know");
        world.journal.came(
                world.newcomers.newerThanLedger(ware.platform(), new Flavor(ware.model(), ware.perNode()))
                        ? "bought"
                        : "not to be had");
    }

    /** Somebody ends a machine of ours in the console, or the hardware does. */
    private static void dies(World world, Dice dice) {
        List<Ledger.Claimed> ours = world.ledger.claims().stream()
                .filter(claim ->
                        claim.state().equals("claimed") && !claim.platform().equals("aws"))
                .toList();
        Optional<Ledger.Claimed> victim = ours.isEmpty() ? Optional.empty() : Optional.of(dice.pick(ours));
        world.journal.did("a machine of " + victim.map(Ledger.Claimed::platform).orElse("nobody") + " dies");
        victim.ifPresent(claim -> world.newcomers.kill(claim.platform(), new ClaimKey(claim.key())));
    }
}
