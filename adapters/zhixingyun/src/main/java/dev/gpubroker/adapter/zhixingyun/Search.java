package dev.gpubroker.adapter.zhixingyun;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Window;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds a claim's machines in a complete list. Pure but for what {@link Attempts} remembers. */
final class Search {
    static final String KIND = "instance";

    /**
     * A machine with the key's mark is found, and only that: model, size and time prove nothing. A machine of unknown origin
     * (no {@code ext_uid}, no note of ours) that exists and could be the claim's makes the answer "cannot tell", for as long
     * as the platform has never shown an {@code ext_uid}.
     */
    static Finding find(ClaimKey key, List<Machine> listed, Attempts attempts) {
        List<Machine> marked = listed.stream()
                .filter(machine -> attempts.owner(machine)
                        .filter(mark -> mark.key().equals(key))
                        .isPresent())
                .toList();
        if (!marked.isEmpty()) {
            List<Machine> there =
                    marked.stream().filter(machine -> !machine.isOver()).toList();
            return found(there.isEmpty() ? marked : there);
        }
        if (attempts.showsExtUid(listed)) {
            return new Finding.NotListed();
        }
        List<Machine> strangers = listed.stream()
                .filter(machine -> !machine.isOver() && attempts.owner(machine).isEmpty())
                .filter(machine -> attempts.mayBeOf(key, machine))
                .toList();
        return strangers.isEmpty()
                ? new Finding.NotListed()
                : new Finding.CannotTell(strangers.size() + " machine(s) of unknown origin, such as "
                        + strangers.get(0).name() + ": the platform does not answer ext_uid");
    }

    static ClaimStatus status(List<Machine> machines) {
        return new ClaimStatus(
                phase(machines),
                window(machines),
                machines.stream().map(Machine::asClaimed).toList(),
                String.join(", ", machines.stream().map(Machine::detail).toList()));
    }

    private static Finding found(List<Machine> machines) {
        List<String> names = machines.stream().map(Machine::name).toList();
        return new Finding.Found(new PlatformRef(ZhixingyunMapping.REGION, KIND, names), status(machines));
    }

    /** The least advanced; what failed or is not understood comes before all else. */
    private static Phase phase(List<Machine> machines) {
        List<Phase> phases = machines.stream().map(Machine::phase).toList();
        if (phases.contains(Phase.FAILED)) {
            return Phase.FAILED;
        }
        return phases.contains(Phase.UNKNOWN)
                ? Phase.UNKNOWN
                : phases.stream().min(Comparator.naturalOrder()).orElse(Phase.GONE);
    }

    /** The window that all of them have; null if one does not tell its own. */
    private static @Nullable Window window(List<Machine> machines) {
        List<Window> windows =
                machines.stream().map(Machine::window).filter(Objects::nonNull).toList();
        if (windows.isEmpty() || windows.size() < machines.size()) {
            return null;
        }
        Window latest =
                windows.stream().max(Comparator.comparing(Window::start)).orElseThrow();
        Window first = windows.stream().min(Comparator.comparing(Window::end)).orElseThrow();
        return latest.start().isBefore(first.end()) ? new Window(latest.start(), first.end()) : null;
    }

    private Search() {}
}
