package dev.gpubroker.broker.trigger;

import dev.gpubroker.broker.secret.SealedColumn;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline that a team has started.
 *
 * @param on the state that starts it, such as {@code active}
 * @param token sealed; null where the target asks for none
 * @param apiToken sealed; of GitLab: lets the broker look whether a pipeline was started, and register a runner
 */
public record Trigger(
        String id,
        String team,
        String on,
        Match match,
        TriggerKind kind,
        Target target,
        @Nullable String token,
        @Nullable String apiToken,
        @Nullable Runner runner,
        String createdBy,
        Instant createdAt) {
    static final String TABLE = "pipeline_trigger";
    private static final String ID = "trigger_id";

    /** What of this package is sealed. */
    public static final List<SealedColumn> SEALED =
            List.of(new SealedColumn(TABLE, ID, "token"), new SealedColumn(TABLE, ID, "api_token"));

    /**
     * Which reservations: this one, or those that have all these labels; neither means all of the team.
     *
     * @param labels a reservation needs each of them
     */
    record Match(@Nullable String reservation, Map<String, String> labels) {
        Match {
            labels = Map.copyOf(labels);
        }

        boolean fits(String id, Map<String, String> itsLabels) {
            return (reservation == null || reservation.equals(id))
                    && itsLabels.entrySet().containsAll(labels.entrySet());
        }
    }

    /**
     * Where it is and what it is told; what a kind does not have is null.
     *
     * @param server of GitHub the API's root, of GitLab and Jenkins the address people use; of generic the whole URL
     * @param repository {@code owner/name}
     * @param project of GitLab: its number or {@code group/name}
     * @param workflow of GitHub: file name or number
     * @param ref branch or tag
     * @param job of Jenkins: {@code folder/name}
     * @param user of Jenkins, with an API token
     * @param inputs sent beside what the broker sends
     * @param recognisable whether the pipeline shows its run id in its name, so that it can be looked for
     */
    record Target(
            URI server,
            @Nullable String repository,
            @Nullable String project,
            @Nullable String workflow,
            @Nullable String eventType,
            @Nullable String ref,
            @Nullable String job,
            @Nullable String user,
            Map<String, String> inputs,
            boolean recognisable) {
        Target {
            inputs = Map.copyOf(inputs);
        }
    }

    /**
     * A runner for one job that is put on the reservation's first machine before the pipeline starts.
     *
     * @param labels beside {@code gpu-<reservation>}
     * @param group of GitHub's runner groups; 1 is the default one
     */
    record Runner(List<String> labels, @Nullable Integer group) {
        Runner {
            labels = List.copyOf(labels);
        }
    }
}
