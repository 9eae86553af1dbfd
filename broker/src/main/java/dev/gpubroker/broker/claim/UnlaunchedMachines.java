package dev.gpubroker.broker.claim;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.task.Task;
import dev.gpubroker.broker.task.TaskKind;
import dev.gpubroker.broker.task.Tasks;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;

/**
 * A window that is bought and runs, and whose machines the platform does not start for a reason that no waiting removes: each
 * hour of it is paid for. The start is tried on all the same, and the task closes by itself when it succeeds.
 */
public final class UnlaunchedMachines implements TaskKind {
    static final String KIND = "launch_refused";

    private static final String TRY_AGAIN = "try_again";

    private final DueWork due;

    public UnlaunchedMachines(DueWork due) {
        this.due = due;
    }

    static Tasks.Draft about(Claim claim, String why) {
        String key = claim.key().text();
        return new Tasks.Draft(
                KIND,
                key,
                claim.reservationId(),
                "What was bought on " + claim.platform() + " under " + key
                        + " runs without machines: they are not started ("
                        + why + "). Remove the cause, most often a setting of account " + claim.account()
                        + "; the start is tried again each minute.",
                claim.platform() + " 上以 " + key + " 购买的时段已开始，但机器无法启动（" + why + "）。请排除原因（多为账户 " + claim.account()
                        + " 的设置）；系统每分钟重试。",
                JsonNodeFactory.instance.objectNode());
    }

    @Override
    public String name() {
        return KIND;
    }

    @Override
    public List<Choice> choices() {
        return List.of(
                new Choice(TRY_AGAIN, "the cause is removed; the start is tried at once", "原因已排除，立即重试", false),
                new Choice(
                        "leave", "it is known and is not to be reported again; it is tried on", "已知晓，不再提示；继续重试", true));
    }

    @Override
    public Future<Void> answered(SqlConnection connection, Task task, String answer, String who) {
        return answer.equals(TRY_AGAIN)
                ? due.poke(connection, ClaimStep.KIND, task.subject())
                : Future.succeededFuture();
    }
}
