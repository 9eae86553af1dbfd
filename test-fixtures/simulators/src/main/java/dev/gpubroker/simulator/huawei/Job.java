package dev.gpubroker.simulator.huawei;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous ECS job: its outcome is fixed at the start and told at {@code end}. Finished jobs are forgotten after a day.
 *
 * @param type {@code createServer} or {@code deleteVMs}
 */
record Job(String id, String type, Instant begin, Instant end, List<Part> parts) {
    private static final Duration KEPT = Duration.ofDays(1);
    private static final Duration STARTS = Duration.ofSeconds(5);

    /** The job of one server. {@code errorCode} and {@code failReason} are null where it succeeds. */
    record Part(
            String id,
            String serverId,
            @Nullable String errorCode,
            @Nullable String failReason) {
        boolean fails() {
            return errorCode != null;
        }
    }

    boolean isForgotten(Instant now) {
        return now.isAfter(end.plus(KEPT));
    }

    ObjectNode asJson(Instant now) {
        String status = status(parts.stream().anyMatch(Part::fails), now);
        ObjectNode json = outcome(id, type, status, firstFailure(), now);
        ObjectNode entities = json.putObject("entities");
        if (type.equals("deleteVMs")) {
            entities.put("sub_jobs_total", 0);
            return json;
        }
        entities.put("sub_jobs_total", parts.size());
        ArrayNode subJobs = entities.putArray("sub_jobs");
        for (Part part : parts) {
            ObjectNode subJob = outcome(part.id(), "createSingleServer", status(part.fails(), now), part, now);
            subJob.putObject("entities").put("server_id", part.serverId());
            subJobs.add(subJob);
        }
        return json;
    }

    private String status(boolean fails, Instant now) {
        if (now.isBefore(begin.plus(STARTS))) {
            return "INIT";
        }
        if (now.isBefore(end)) {
            return "RUNNING";
        }
        return fails ? "FAIL" : "SUCCESS";
    }

    private @Nullable Part firstFailure() {
        return parts.stream().filter(Part::fails).findFirst().orElse(null);
    }

    private ObjectNode outcome(String jobId, String jobType, String status, @Nullable Part failure, Instant now) {
        Part told = status.equals("FAIL") ? failure : null;
        return Replies.object()
                .put("status", status)
                .put("job_id", jobId)
                .put("job_type", jobType)
                .put("begin_time", begin.toString())
                .put("end_time", now.isBefore(end) ? "" : end.toString())
                .put("error_code", told == null ? null : told.errorCode())
                .put("fail_reason", told == null ? null : told.failReason());
    }
}
