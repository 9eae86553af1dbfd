package dev.gpubroker.broker.claim;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.broker.task.Task;
import dev.gpubroker.broker.task.TaskKind;
import dev.gpubroker.broker.task.Tasks;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/**
 * A machine with our mark that our ledger does not know: the ledger is older than the machine, as after a restore. Buying and
 * sweeping on its account stand still until a person has looked; the machine itself is never touched.
 */
public final class UnknownMachine implements TaskKind {
    static final String KIND = "unknown_machine";

    static Tasks.Draft about(String account, Holding holding) {
        String machine = holding.ref().ids() + (holding.key() == null ? "" : ", key " + holding.key());
        ObjectNode facts = JsonNodeFactory.instance.objectNode().put("account", account);
        return new Tasks.Draft(
                KIND,
                account + " " + holding.ref().ids(),
                null,
                "A machine with our mark is on the platform (" + machine
                        + ") that our ledger does not know: the ledger is older than the machine. Buying and sweeping on account "
                        + account + " stand still.",
                "平台上有一台带有本系统标记、但账本中没有的机器（" + machine + "）：账本比机器旧。账户 " + account + " 的购买与清理已停止。",
                facts);
    }

    @Override
    public String name() {
        return KIND;
    }

    @Override
    public List<Choice> choices() {
        return List.of(
                new Choice(
                        "resume",
                        "it has been dealt with on the platform; the account goes on, and stops again if it is still there",
                        "已在平台上处理；账户恢复，若机器仍在则再次停止",
                        false),
                new Choice(
                        "leave",
                        "it stays and is not to be reported again; the account goes on",
                        "保留该机器，不再提示；账户恢复",
                        true));
    }

    private static final String RESUME = """
            -- task.resume_account
            UPDATE account SET stopped_why = NULL
             WHERE account_id = $1
               AND NOT EXISTS (SELECT FROM task
                                WHERE kind = $2 AND done_at IS NULL AND facts->>'account' = $1)""";

    @Override
    public Future<Void> answered(SqlConnection connection, Task task, String answer, String who) {
        return connection
                .preparedQuery(RESUME)
                .execute(Tuple.of(task.facts().path("account").asText(), KIND))
                .mapEmpty();
    }
}
