package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.BookingBody;
import dev.gpubroker.client.model.NormalisedRequest;
import dev.gpubroker.client.model.Reservation;
import org.jspecify.annotations.Nullable;

/** Makes the body of a call out of what was typed. */
final class Wishes {
    private Wishes() {}

    /**
     * The body.
     *
     * @param like a reservation whose request is the base
     */
    static BookingBody body(Session session, WishOptions typed, @Nullable String like) throws ApiException {
        BookingBody base = like == null
                ? new BookingBody()
                : again(session, session.reservations().readReservation(like));
        String zone = session.terminal().variable("GPU_BROKER_TIME_ZONE");
        if (base.getTimeZone() == null && zone != null) {
            base.setTimeZone(zone);
        }
        BookingBody body = typed.over(base);
        boolean isLocal = Times.isLocal(typed.start) || Times.isLocal(typed.end);
        if (isLocal && body.getTimeZone() == null) {
            body.setTimeZone(session.operation().readStatus().getTimeZone());
        }
        if (body.getPhrase() == null && body.getGpu() == null) {
            throw new CliFailure(
                    ExitCode.USAGE,
                    session.lang()
                            .pick(
                                    "Say what is wanted: a phrase such as \"8×A100 for 5 days from the 20th\", or --gpu, --count,"
                                            + " --start and --end or --for. See --help.",
                                    "请说明需求：一句话（例如“8卡A100从20号开始租5天”），或 --gpu、--count、--start 加 --end/--for。详见 --help。"));
        }
        return body;
    }

    /** A request as a body: it can be posted as it is. */
    static BookingBody of(Session session, NormalisedRequest request) {
        return session.mapper().convertValue(request, BookingBody.class);
    }

    /** The request of a reservation, with what the reservation itself keeps. */
    static BookingBody again(Session session, Reservation reservation) {
        BookingBody body = of(session, reservation.getRequest());
        if (reservation.getTitle() != null) {
            body.setTitle(reservation.getTitle());
        }
        if (!reservation.getLabels().isEmpty()) {
            body.setLabels(reservation.getLabels());
        }
        return body;
    }
}
