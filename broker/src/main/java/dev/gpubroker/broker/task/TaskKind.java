package dev.gpubroker.broker.task;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;

/** What a kind of task can be answered with, and what each answer brings about. */
public interface TaskKind {
    String name();

    /** In the order in which they are shown. */
    List<Choice> choices();

    /** Does what the answer says, in the transaction that writes it down. */
    Future<Void> answered(SqlConnection connection, Task task, String answer, String who);

    /** @param last whether the task never opens again about its subject after this answer */
    record Choice(String answer, String meaning, String meaningZh, boolean last) {}
}
