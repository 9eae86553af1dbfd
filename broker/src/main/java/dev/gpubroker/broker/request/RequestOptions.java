package dev.gpubroker.broker.request;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.request.BookingRequest.AtEnd;
import dev.gpubroker.broker.request.BookingRequest.Constraints;
import dev.gpubroker.broker.request.BookingRequest.OnUnavailable;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import java.time.ZoneId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Everything of a request but its GPUs and its window. */
record RequestOptions(
        Constraints constraints,
        Substitution substitution,
        @Nullable OnUnavailable onUnavailable,
        @Nullable MachineWish machine,
        @Nullable AtEnd atEnd,
        @Nullable Money maxTotal,
        @Nullable String title,
        Map<String, String> labels) {

    static RequestOptions none() {
        return new RequestOptions(Constraints.none(), Substitution.ask(), null, null, null, null, null, Map.of());
    }

    BookingRequest request(@Nullable String phrase, BookingRequest.Gpu gpu, Window window, ZoneId zone) {
        return new BookingRequest(
                phrase,
                gpu,
                window,
                zone,
                constraints,
                substitution,
                onUnavailable,
                machine,
                atEnd,
                maxTotal,
                title,
                labels);
    }
}
