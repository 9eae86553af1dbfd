package dev.gpubroker.verification.simulation;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** All rules, and how far they have read. */
final class Checks {
    private static final long NEWS_ARRIVE_WITHIN_SECONDS = 120;

    private final List<Rule> rules = List.of(
            new OwnNodes(),
            new ClaimMoves(),
            new Machines(),
            new Patience(),
            new Punctual(),
            new Moves(),
            new News(),
            new Keys(),
            new Prices());
    private long audit;
    private long event;
    private long note;
    private int leftBehind;
    private Instant calmSince = Instant.EPOCH;

    void after(World world) {
        Alarms.check();
        world.wire.check();
        Picture picture = picture(world);
        rules.forEach(rule -> rule.check(world, picture));
        world.wire.check();
    }

    void atTheEnd(World world) throws InterruptedException {
        awaitNews(world);
        Picture picture = picture(world);
        rules.forEach(rule -> rule.check(world, picture));
        rules.forEach(rule -> rule.checkEnd(world, picture));
        world.ledger.due().stream()
                .filter(due -> due.at().isBefore(picture.now()) && due.tries() > 0)
                .findFirst()
                .ifPresent(due -> {
                    throw new Broken("no work is stuck in the end", due.toString());
                });
    }

    /** The relay works by wall time; its pauses are cut short. */
    private static void awaitNews(World world) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(NEWS_ARRIVE_WITHIN_SECONDS);
        while (System.nanoTime() < deadline
                && world.ledger.notesSince(0).stream()
                        .anyMatch(note -> !note.delivered() && note.givenUpWhy() == null)) {
            world.wallTimePasses();
            TimeUnit.MILLISECONDS.sleep(300);
        }
    }

    private Picture picture(World world) {
        Ledger ledger = world.ledger;
        // Events and audit first: what comes in between is seen with the next step, never half.
        List<Platforms.Machine> machines = world.platforms.machines();
        List<Audit.Change> changes = Audit.since(world.sql, audit);
        List<Ledger.Event> events = ledger.eventsSince(event);
        List<Ledger.Note> notes = ledger.notesSince(note);
        changes.forEach(change -> audit = change.id());
        events.forEach(each -> event = each.id());
        notes.forEach(each -> note = each.id());
        Instant now = ledger.now();
        if (Alarms.leftBehind() != leftBehind) {
            leftBehind = Alarms.leftBehind();
            calmSince = now;
        }
        return new Picture(
                now,
                calmSince,
                ledger.bookings(),
                ledger.claims(),
                ledger.rectangles(),
                events,
                notes,
                changes,
                machines);
    }
}
