package dev.gpubroker.broker.allocation;

import java.util.List;

/** Room that was found: GPUs {@code [first, first + count)} on each node. */
public record Place(String poolId, String poolName, String model, int gpusPerNode, List<Part> parts) {
    public Place {
        parts = List.copyOf(parts);
    }

    public record Part(String nodeId, String nodeName, int firstGpu, int gpus) {
        boolean isFollowedBy(Part next) {
            return nodeId.equals(next.nodeId) && next.firstGpu == firstGpu + gpus;
        }

        Part with(Part next) {
            return new Part(nodeId, nodeName, firstGpu, gpus + next.gpus);
        }
    }

    public int gpus() {
        return parts.stream().mapToInt(Part::gpus).sum();
    }
}
