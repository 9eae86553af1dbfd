package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the world outside is told of a reservation's change; complete, so that a receiver can drop an older one.
 *
 * @param topic {@code reservation.<state>}, {@code reservation.changed} or {@code reservation.ends_soon}
 * @param ending what is to be known before the end; null for other news
 * @param version rises with each change of the reservation
 * @param full the reservation as the API shows it
 */
record Announcement(
        String topic,
        String reservation,
        String team,
        String owner,
        @Nullable String title,
        String state,
        @Nullable String was,
        String model,
        int gpus,
        Instant start,
        Instant end,
        String timeZone,
        Reservation.@Nullable NextAction next,
        @Nullable String proposal,
        @Nullable String proposalZh,
        @Nullable Instant answerBy,
        long version,
        String why,
        String whyZh,
        @Nullable JsonNode ending,
        JsonNode full) {

    static Announcement of(@Nullable Reservation before, Reservation after, Why why, JsonNode full) {
        boolean moved = before == null || before.state() != after.state();
        String topic = moved ? "reservation." + after.state().wireName() : "reservation.changed";
        return of(topic, before, after, why, null, full);
    }

    /** Of a reservation that is as it was. */
    static Announcement ofEnding(Reservation r, String topic, JsonNode ending, Why why, JsonNode full) {
        return of(topic, r, r, why, ending, full);
    }

    private static Announcement of(
            String topic,
            @Nullable Reservation before,
            Reservation after,
            Why why,
            @Nullable JsonNode ending,
            JsonNode full) {
        Reservation.Proposal proposal = after.proposal();
        return new Announcement(
                topic,
                after.id(),
                after.team(),
                after.owner(),
                after.title(),
                after.state().wireName(),
                before == null ? null : before.state().wireName(),
                after.request().gpu().model(),
                after.request().gpu().count(),
                after.window().start(),
                after.window().end(),
                after.request().timeZone().getId(),
                after.next(),
                proposal == null ? null : proposal.detail(),
                proposal == null ? null : proposal.detailZh(),
                proposal == null ? null : proposal.expiresAt(),
                after.version(),
                why.english(),
                why.chinese(),
                ending,
                full);
    }
}
