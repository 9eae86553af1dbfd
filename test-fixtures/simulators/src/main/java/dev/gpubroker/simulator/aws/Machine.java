package dev.gpubroker.simulator.aws;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A machine launched into a block. Its state follows from the time alone.
 *
 * @param slot 1 to the block's count
 * @param token client token of the launch, "" if none
 * @param request what was asked with the token: another request with the same token is refused
 * @param askedToStopAt when its owner terminated it; null if nobody did
 * @param takenBackAt when the block's end takes it
 */
record Machine(
        String id,
        String block,
        int slot,
        String type,
        String zone,
        String image,
        String subnet,
        String token,
        String request,
        boolean publicIp,
        Map<String, String> tags,
        Instant launchedAt,
        @Nullable Instant askedToStopAt,
        Instant takenBackAt) {
    private static final Duration BOOT = Duration.ofSeconds(90);
    private static final Duration SHUTDOWN = Duration.ofSeconds(60);
    /** A terminated machine frees its place only after several minutes. */
    private static final Duration CLEANED = Duration.ofMinutes(5);
    /** Terminated machines can be seen this long. */
    private static final Duration VISIBLE = Duration.ofHours(1);

    enum State {
        PENDING(0, "pending"),
        RUNNING(16, "running"),
        SHUTTING_DOWN(32, "shutting-down"),
        TERMINATED(48, "terminated");

        final int code;
        final String wireName;

        State(int code, String wireName) {
            this.code = code;
            this.wireName = wireName;
        }
    }

    State state(Instant now) {
        if (!now.isBefore(goneAt())) {
            return State.TERMINATED;
        }
        if (!now.isBefore(stopsAt())) {
            return State.SHUTTING_DOWN;
        }
        return now.isBefore(launchedAt.plus(BOOT)) ? State.PENDING : State.RUNNING;
    }

    /** What a filter of {@code DescribeInstances} compares; null for one that does not exist. */
    @Nullable
    String filtered(String name, Instant now) {
        switch (name) {
            case "capacity-reservation-id":
                return block;
            case "instance-state-name":
                return state(now).wireName;
            case "instance-type":
                return type;
            case "client-token":
                return token;
            default:
                return null;
        }
    }

    Instant goneAt() {
        return stopsAt().plus(SHUTDOWN);
    }

    boolean holdsItsPlace(Instant now) {
        return now.isBefore(goneAt().plus(CLEANED));
    }

    boolean isVisible(Instant now) {
        return now.isBefore(goneAt().plus(VISIBLE));
    }

    Machine stopped(Instant at) {
        return stopsAt().isAfter(at)
                ? new Machine(
                        id,
                        block,
                        slot,
                        type,
                        zone,
                        image,
                        subnet,
                        token,
                        request,
                        publicIp,
                        tags,
                        launchedAt,
                        at,
                        takenBackAt)
                : this;
    }

    boolean wasStoppedByOwner() {
        return askedToStopAt != null && !takenBackAt.isBefore(askedToStopAt);
    }

    private Instant stopsAt() {
        return askedToStopAt != null && askedToStopAt.isBefore(takenBackAt) ? askedToStopAt : takenBackAt;
    }
}
