package dev.gpubroker.broker.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.Caller;
import io.vertx.core.Future;
import java.time.ZoneId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads bodies as those who sent them mean them: with their own zone and machines where a body says nothing of either. */
public final class PersonalRequests {
    private final RequestReader requests;
    private final Consumer<BookingRequest> rule;
    private final Defaults defaults;

    /** Finds what somebody wants where a body says nothing. */
    @FunctionalInterface
    public interface Defaults {
        Future<Own> of(Caller caller);
    }

    /**
     * What one caller wants.
     *
     * @param timeZone null = the installation's
     */
    public record Own(MachineWish machine, @Nullable ZoneId timeZone) {}

    /** @param rule refuses what this installation cannot do, by {@link dev.gpubroker.broker.http.ApiProblem} */
    public PersonalRequests(RequestReader requests, Consumer<BookingRequest> rule, Defaults defaults) {
        this.requests = requests;
        this.rule = rule;
        this.defaults = defaults;
    }

    /** The one request that the body means; fails with {@link dev.gpubroker.broker.http.ApiProblem}. */
    public Future<BookingRequest> read(Caller caller, ObjectNode body) {
        return defaults.of(caller).map(own -> {
            BookingRequest request = requests.read(zoned(body, own)).withMachine(own.machine());
            rule.accept(request);
            return request;
        });
    }

    /** Every usual reading of the body's phrase. */
    public Future<Interpretation> interpret(Caller caller, ObjectNode body) {
        return defaults.of(caller).map(own -> requests.interpret(zoned(body, own)));
    }

    private static ObjectNode zoned(ObjectNode body, Own own) {
        return own.timeZone() == null || body.hasNonNull("timeZone")
                ? body
                : body.deepCopy().put("timeZone", own.timeZone().getId());
    }
}
