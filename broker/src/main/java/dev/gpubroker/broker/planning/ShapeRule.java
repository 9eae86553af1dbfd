package dev.gpubroker.broker.planning;

import dev.gpubroker.broker.request.BookingRequest;
import java.util.OptionalInt;

/**
 * How the GPUs of a request may be spread over machines: up to 8 on one, unless the request says otherwise; more on equal
 * whole machines.
 */
public record ShapeRule(int count, OptionalInt nodes, boolean oneNode) {
    /** The most GPUs that are looked for in one machine. */
    private static final int USUAL_NODE = 8;

    public static ShapeRule of(BookingRequest request) {
        Integer nodes = request.gpu().nodes();
        Boolean single = request.constraints().singleNode();
        boolean oneNode = nodes != null
                ? nodes == 1
                : single != null ? single : request.gpu().count() <= USUAL_NODE;
        return new ShapeRule(
                request.gpu().count(), nodes == null ? OptionalInt.empty() : OptionalInt.of(nodes), oneNode);
    }

    /** How many machines of so many GPUs fulfil the request; empty if that shape cannot. */
    public OptionalInt nodesOf(int gpusPerNode) {
        if (nodes.isPresent()) {
            return gpusPerNode * nodes.getAsInt() == count ? nodes : OptionalInt.empty();
        }
        if (oneNode) {
            return gpusPerNode == count ? OptionalInt.of(1) : OptionalInt.empty();
        }
        boolean wholeNodes = count <= USUAL_NODE || gpusPerNode >= USUAL_NODE;
        return wholeNodes && count % gpusPerNode == 0 ? OptionalInt.of(count / gpusPerNode) : OptionalInt.empty();
    }
}
