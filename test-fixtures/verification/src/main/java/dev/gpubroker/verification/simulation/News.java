package dev.gpubroker.verification.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Every change of state leaves one message, in the same transaction, and every message arrives. */
final class News implements Rule {
    private final Map<String, List<String>> states = new HashMap<>();
    /** What is told besides states. */
    private static final Set<String> NO_STATES = Set.of("changed", "ends_soon");

    private final Map<String, List<String>> told = new HashMap<>();
    private final List<Long> ids = new ArrayList<>();

    @Override
    public void check(World world, Picture picture) {
        picture.events().stream()
                .filter(event -> event.after() != null)
                .forEach(event -> states.computeIfAbsent(event.reservation(), id -> new ArrayList<>())
                        .add(event.after()));
        for (Ledger.Note note : picture.notes()) {
            ids.add(note.id());
            String state = note.topic().substring("reservation.".length());
            if (!NO_STATES.contains(state)) {
                told.computeIfAbsent(note.reservation(), id -> new ArrayList<>())
                        .add(state);
            }
        }
        states.forEach((id, happened) -> {
            if (!happened.equals(told.get(id))) {
                throw new Broken(
                        "every change of state is told", id + " went " + happened + ", told were " + told.get(id));
            }
        });
    }

    @Override
    public void checkEnd(World world, Picture picture) {
        for (Long id : ids) {
            if (!world.receiver.has(id)) {
                throw new Broken("every message arrives", "message " + id + " did not");
            }
        }
    }
}
