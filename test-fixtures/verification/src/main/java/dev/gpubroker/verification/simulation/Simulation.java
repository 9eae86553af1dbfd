package dev.gpubroker.verification.simulation;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lives through one seed. */
final class Simulation {
    static final Set<String> PLATFORMS = Set.of("aliyun", "aws", "huawei", "zhixingyun");
    /** After the last window: the seven days for which a claim that was given up is still looked for, and a bit. */
    private static final Duration AFTERWARDS = Duration.ofDays(8);

    private static final List<Action> ACTIONS = Stream.of(
                    Bookings.all(), Purchases.all(), Changes.all(), Luck.all(), Operations.all(), Crashes.all())
            .flatMap(List::stream)
            .toList();

    private static final AtomicInteger WORLDS = new AtomicInteger();

    private final Server server;
    private final Path folder;

    Simulation(Server server, Path folder) {
        this.server = server;
        this.folder = folder;
    }

    /**
     * How long a seed lives: so many steps, or until so much business time has passed.
     *
     * @param platforms which there are; empty leaves it to the seed
     * @param often names of actions that happen much more often than the seed would have it
     */
    record Life(int steps, Duration time, Set<String> platforms, Set<String> often) {}

    /** @param broken null if everything held */
    record Outcome(
            long seed,
            int steps,
            Duration lived,
            Duration took,
            int reservations,
            int machines,
            @Nullable Throwable broken,
            Journal journal) {
        boolean isFine() {
            return broken == null;
        }

        /** The rule that did not hold; empty if all did. */
        String rule() {
            if (broken == null) {
                return "";
            }
            return broken instanceof Broken rule ? rule.rule() : broken.toString();
        }
    }

    Outcome run(long seed, Life life) throws InterruptedException {
        long began = System.nanoTime();
        Alarms.forget();
        Character character = Character.of(seed, ACTIONS, PLATFORMS);
        if (!life.platforms().isEmpty()) {
            character = new Character(life.platforms(), character.timeZone(), character.weights());
        }
        character = character.rather(life.often(), ACTIONS);
        String database = "sim_" + ProcessHandle.current().pid() + "_" + WORLDS.incrementAndGet();
        try (World world = World.begin(server, database, folder, seed, character)) {
            Run run = new Run(world, seed);
            @Nullable Throwable broken = null;
            try {
                run.live(life);
            } catch (RuntimeException | IOException fault) {
                broken = fault;
            }
            return new Outcome(
                    seed,
                    run.step,
                    Duration.between(run.began, world.now()),
                    Duration.ofNanos(System.nanoTime() - began),
                    world.callers.all().size(),
                    world.platforms.machines().size(),
                    broken,
                    world.journal);
        }
    }

    private static final class Run {
        private final World world;
        private final long seed;
        private final java.time.Instant began;
        private final Checks checks = new Checks();
        private int step;

        Run(World world, long seed) {
            this.world = world;
            this.seed = seed;
            this.began = world.now();
        }

        void live(Life life) throws IOException, InterruptedException {
            world.settle();
            Operations.makePool(world, new Dice(seed, 0));
            while (step < life.steps() && Duration.between(began, world.now()).compareTo(life.time()) < 0) {
                step++;
                Dice dice = new Dice(seed, step);
                world.journal.step(step);
                world.character.next(ACTIONS, dice).body().run(world, dice);
                world.settle();
                checks.after(world);
            }
            end();
        }

        /** Faults are over, everything that was put off comes, and every window passes. */
        private void end() throws IOException, InterruptedException {
            world.journal.step(++step);
            world.journal.did("the end: faults are over, and every window passes");
            Dice dice = new Dice(seed, step);
            world.platforms.clearFaults();
            world.receiver.refuse(false);
            world.revive();
            world.wallTimePasses();
            world.newcomers.aPersonLooks(dice);
            Operations.resume(world, dice);
            for (int weeks = 0; weeks < 12 && !isOver(); weeks++) {
                world.advance(Duration.ofDays(7));
                world.newcomers.aPersonLooks(dice);
                checks.after(world);
            }
            for (int looks = 0; looks < 3; looks++) {
                world.newcomers.aPersonLooks(dice);
                world.newcomers.strangersLeave();
                world.advance(Duration.ofHours(2));
            }
            world.advance(AFTERWARDS);
            checks.after(world);
            checks.atTheEnd(world);
        }

        private boolean isOver() {
            return world.ledger.bookings().stream()
                    .allMatch(booking -> booking.isEnded() && !booking.end().isAfter(world.now()));
        }
    }
}
