package dev.gpubroker.broker.claim;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.broker.task.Task;
import dev.gpubroker.broker.task.TaskKind;
import dev.gpubroker.broker.task.Tasks;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;

/** A platform that said "gone" and lists the machine all the same. It is released again each time; a person should know. */
public final class Contradiction implements TaskKind {
    static final String KIND = "contradiction";

    static Tasks.Draft about(Claim claim, Holding holding) {
        return new Tasks.Draft(
                KIND,
                claim.key().text(),
                claim.reservationId(),
                claim.platform() + " said that " + claim.key() + " is gone, and still lists "
                        + holding.ref().ids() + " (" + holding.phase()
                        + "). It is released again; it may be on the bill.",
                claim.platform() + " 曾答复 " + claim.key() + " 已释放，却仍列出 "
                        + holding.ref().ids() + "。系统会再次释放，但它可能仍在计费。",
                JsonNodeFactory.instance.objectNode());
    }

    @Override
    public String name() {
        return KIND;
    }

    @Override
    public List<Choice> choices() {
        return List.of(
                new Choice("look_again", "the next sweep looks again", "下次清理时再查", false),
                new Choice(
                        "gone",
                        "it is gone whatever the platform lists; it is left alone from now on",
                        "确已释放，不再理会平台的列表",
                        true));
    }

    @Override
    public Future<Void> answered(SqlConnection connection, Task task, String answer, String who) {
        return Future.succeededFuture();
    }
}
