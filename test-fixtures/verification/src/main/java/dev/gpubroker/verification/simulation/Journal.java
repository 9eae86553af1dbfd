package dev.gpubroker.verification.simulation;

import java.util.ArrayList;
import java.util.List;

/** What the simulation did, step by step, and what came of it. The same seed does the same; what comes of it may differ by milliseconds. */
final class Journal {
    private final List<String> actions = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private int step;

    synchronized void step(int number) {
        step = number;
    }

    synchronized void did(String action) {
        actions.add(step + " " + action);
        lines.add(String.format("%4d  %s", step, action));
    }

    synchronized void came(String result) {
        lines.add("      -> " + result);
    }

    synchronized List<String> actions() {
        return List.copyOf(actions);
    }

    synchronized String text() {
        return String.join("\n", lines);
    }
}
