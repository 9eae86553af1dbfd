package dev.gpubroker.broker.allocation;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A team's own machines of one model.
 *
 * @param id {@code pol_…}
 * @param model exact id or family, as the catalogue writes it
 * @param gpusPerNode of a usual node; a single node may have another number
 * @param turnaround kept free between two bookings of the same GPUs, for cleaning up
 * @param nodes in the order in which they were given
 * @param readiness whether a machine is asked when a booking of it begins: {@code ssh}, or {@code none}
 */
public record OwnPool(
        String id,
        String teamId,
        String name,
        String model,
        int gpusPerNode,
        Duration turnaround,
        List<Node> nodes,
        String readiness,
        Instant createdAt) {
    /** Machines are not asked whether they can be used. */
    static final String NOT_ASKED = "none";

    /** A pool whose machines are not asked. */
    public OwnPool(
            String id,
            String teamId,
            String name,
            String model,
            int gpusPerNode,
            Duration turnaround,
            List<Node> nodes,
            Instant createdAt) {
        this(id, teamId, name, model, gpusPerNode, turnaround, nodes, NOT_ASKED, createdAt);
    }

    public OwnPool {
        requireNonNull(turnaround, "turnaround");
        requireNonNull(createdAt, "createdAt");
        nodes = List.copyOf(nodes);
    }

    /** Whether a lease of so many could ever fit: on one machine, or on several whole ones. */
    public boolean couldLease(int gpus) {
        return LeaseFit.couldEver(
                nodes.stream()
                        .map(node -> LeaseFit.Machine.idle(node.id(), node.name(), node.gpus()))
                        .toList(),
                gpus);
    }

    /** @param id {@code nod_…}; ids of one pool sort in the order of its nodes */
    public record Node(String id, String name, @Nullable String address, int gpus) {}
}
