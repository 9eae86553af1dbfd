package dev.gpubroker.broker.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Opens tasks. Called inside the transaction that makes one necessary, so that neither exists without the other. */
public interface Tasks {
    /**
     * Opens the task, unless there is an open one of its kind about the subject, or one that was answered for good.
     *
     * @param facts what the answer needs to know
     */
    Future<Void> open(SqlConnection connection, Draft draft, Instant now);

    /** Closes an open task that settled itself; who is told is the broker. */
    Future<Void> close(SqlConnection connection, String kind, String subject, String why, Instant now);

    /** Whether a person said that it stays as it is. */
    Future<Boolean> isAnsweredForGood(String kind, String subject);

    /** @param subject what it is about, one task of a kind for each */
    record Draft(
            String kind,
            String subject,
            @Nullable String reservationId,
            String detail,
            String detailZh,
            ObjectNode facts) {}
}
