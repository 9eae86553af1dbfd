package dev.gpubroker.adapter.zhixingyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.ClaimStatus.Endpoint;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A machine as list and detail tell it, without its passwords.
 *
 * @param status the platform's {@code Status}, see {@link #phase()}
 * @param abnormal the platform's {@code IsAbnormal}: 0 is well, 2 is powered off
 * @param gpuNum 0 if not told
 * @param extUid what came back as {@code ext_uid} or {@code ExtUid}; "" if nothing. Whether it comes back, and under
 *     which of the two names, is unverified
 */
record Machine(
        String name,
        int status,
        int abnormal,
        String gpuType,
        int gpuNum,
        @Nullable Instant createdAt,
        @Nullable Instant dueAt,
        String extUid,
        String note,
        String message,
        @Nullable Endpoint endpoint) {
    private static final int NOT_TOLD = Integer.MIN_VALUE;

    static final int FAILED = -1;
    static final int FAILED_AND_REFUNDED = -2;
    static final int ENDED = 0;
    static final int RUNNING = 1;
    static final int STARTING = 4;
    static final int RESTARTING = 5;
    static final int RESTART_FAILED = 7;
    static final int DISK_KEPT = 8;

    /** @throws PlatformFault if name or status cannot be read: such a machine must not pass for absent */
    static Machine read(JsonNode json) {
        String name = Json.text(json.path("Container_name"));
        int status = Json.whole(json.path("Status"), NOT_TOLD);
        if (name.isEmpty() || status == NOT_TOLD) {
            throw new PlatformFault(
                    PlatformFault.Kind.PLATFORM_ERROR, "a machine without readable Container_name and Status");
        }
        return new Machine(
                name,
                status,
                Json.whole(json.path("IsAbnormal"), 0),
                Json.text(json.path("Gpu_type")),
                Json.whole(json.path("Gpu_num"), 0),
                instant(json.path("Ctime")),
                instant(json.path("Due_time")),
                Json.text(json.has("ext_uid") ? json.path("ext_uid") : json.path("ExtUid")),
                Json.text(json.path("Note")),
                Json.text(json.path("Message")),
                endpoint(json));
    }

    /** A machine that the platform named and does not know any more. */
    static Machine ended(String name) {
        return new Machine(name, ENDED, 0, "", 0, null, null, "", "", "", null);
    }

    Optional<Mark> mark() {
        return Mark.read(extUid).or(() -> Mark.read(note));
    }

    /** Whether nothing of it exists or costs any more. */
    boolean isOver() {
        return status == ENDED || status == FAILED_AND_REFUNDED;
    }

    /**
     * Phases by the platform's constants (实例状态, API documentation of 2024 to 2026). A machine in trouble still runs and is
     * ours; the detail says so. -1 has not been paid back and 8 costs disk money, so both are not gone.
     */
    Phase phase() {
        return switch (status) {
            case STARTING -> Phase.STARTING;
            case RUNNING, RESTARTING -> Phase.RUNNING;
            case FAILED, RESTART_FAILED -> Phase.FAILED;
            case DISK_KEPT -> Phase.ENDING;
            case ENDED, FAILED_AND_REFUNDED -> Phase.GONE;
            default -> Phase.UNKNOWN;
        };
    }

    ClaimStatus.Machine asClaimed() {
        return new ClaimStatus.Machine(name, phase(), status == RUNNING ? endpoint : null, failure());
    }

    /** A create that was taken on and rolled back found no room after all (seen in live calls, 2026). */
    private @Nullable Reason failure() {
        return status == FAILED || status == FAILED_AND_REFUNDED
                ? Reason.SOLD_OUT
                : status == RESTART_FAILED ? Reason.REFUSED_UNKNOWN : null;
    }

    /** The platform's own words. */
    String detail() {
        String trouble = abnormal == 0 ? "" : " IsAbnormal " + abnormal;
        String why = phase() == Phase.FAILED && !message.isEmpty() ? " " + message : "";
        return "Status " + status + trouble + why;
    }

    @Nullable
    Window window() {
        return createdAt != null && dueAt != null && createdAt.isBefore(dueAt) ? new Window(createdAt, dueAt) : null;
    }

    /** The shared gateway; an empty user is root, as third-party code takes it. */
    private static @Nullable Endpoint endpoint(JsonNode json) {
        String host = Json.text(json.path("Url"));
        int port = Json.whole(json.path("SshPort"), 0);
        String user = Json.text(json.path("LoginUserName"));
        return host.isEmpty() || port < 1 || port > 65535
                ? null
                : new Endpoint(host, port, user.isEmpty() ? "root" : user);
    }

    private static @Nullable Instant instant(JsonNode node) {
        Long seconds = Json.whole(node);
        return seconds == null || seconds <= 0 || seconds > 1L << 40 ? null : Instant.ofEpochSecond(seconds);
    }
}
