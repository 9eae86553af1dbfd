package dev.gpubroker.broker.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.Problem;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Reads bodies at business time and in the installation's zone; what is wrong leaves as a problem document. */
public final class RequestReader {
    private final RequestNormaliser normaliser;
    private final ZoneId zone;
    private final InstantSource clock;

    public RequestReader(RequestNormaliser normaliser, ZoneId zone, InstantSource clock) {
        this.normaliser = normaliser;
        this.zone = zone;
        this.clock = clock;
    }

    /** The one request that the body means, or an {@link ApiProblem}. */
    public BookingRequest read(ObjectNode body) {
        return orProblem(() -> normaliser.normalise(body, zone, clock.instant()));
    }

    /** Every usual reading of the body's phrase, or an {@link ApiProblem}. */
    public Interpretation interpret(ObjectNode body) {
        return orProblem(() -> normaliser.interpret(body, zone, clock.instant()));
    }

    /** The member {@code machine} of a body that is no booking, or an {@link ApiProblem}. */
    public static MachineWish machine(ObjectNode machine) {
        return orProblem(() -> MachineFields.read(machine));
    }

    public ZoneId zone() {
        return zone;
    }

    private static <T> T orProblem(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (RequestProblem refused) {
            throw problem(refused);
        }
    }

    private static ApiProblem problem(RequestProblem refused) {
        List<dev.gpubroker.broker.http.FieldError> errors = refused.errors().stream()
                .map(error -> new dev.gpubroker.broker.http.FieldError(
                        error.field(), error.code(), error.detail(), error.detailZh()))
                .toList();
        return new ApiProblem(new Problem(
                refused.status(),
                refused.code(),
                refused.detail(),
                refused.detailZh(),
                errors,
                refused.extra(),
                Map.of()));
    }
}
