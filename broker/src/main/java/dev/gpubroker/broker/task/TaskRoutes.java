package dev.gpubroker.broker.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.IdempotencyTicket;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /v1/tasks}: what waits for a person, and the answer. For administrators. */
public final class TaskRoutes implements Routes {
    private static final Logger LOG = LoggerFactory.getLogger(TaskRoutes.class);
    private static final int PAGE = 50;

    private final Database database;
    private final PgTasks tasks;
    private final Map<String, TaskKind> kinds;
    private final DueWork due;
    private final Supplier<Future<Void>> onAnswered;
    private final ZoneId zone;
    private final InstantSource clock;

    /**
     * @param onAnswered reads again what an answer may have changed, such as what accounts may spend
     * @param zone in which times are shown, since these calls name none
     */
    public TaskRoutes(
            Database database,
            PgTasks tasks,
            List<TaskKind> kinds,
            DueWork due,
            Supplier<Future<Void>> onAnswered,
            ZoneId zone,
            InstantSource clock) {
        this.database = database;
        this.tasks = tasks;
        this.kinds = kinds.stream().collect(Collectors.toMap(TaskKind::name, Function.identity()));
        this.due = due;
        this.onAnswered = onAnswered;
        this.zone = zone;
        this.clock = clock;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listTasks", this::listTasks).on("answerTask", this::answerTask);
    }

    private Future<ApiReply> listTasks(ApiRequest request) {
        admin(request);
        boolean open = !"done".equals(request.query("state"));
        return tasks.list(open, request.queryInt("limit", PAGE)).map(found -> {
            ObjectNode body = JsonNodeFactory.instance.objectNode();
            ArrayNode items = body.putArray("items");
            found.forEach(task -> items.add(json(task)));
            return ApiReply.ok(body);
        });
    }

    private Future<ApiReply> answerTask(ApiRequest request) {
        admin(request);
        String answer = request.object().get("answer").asText();
        String note = request.object().path("note").asText(null);
        String who = request.caller().name();
        IdempotencyTicket ticket = request.ticket();
        return database.inTransaction(connection -> locked(connection, ticket)
                        .compose(ours -> tasks.lock(connection, request.path("id")))
                        .compose(found -> answer(connection, found, request.path("id"), answer, note, who))
                        .compose(task -> answered(connection, ticket, ApiReply.ok(json(task)))))
                .compose(reply -> onAnswered.get().map(reply))
                .onSuccess(done -> {
                    LOG.info("task {} was answered '{}' by {}", request.path("id"), answer, who);
                    due.lookNow();
                });
    }

    private Future<Task> answer(
            SqlConnection connection,
            Optional<Task> found,
            String id,
            String answer,
            @Nullable String note,
            String who) {
        Task task = found.orElseThrow(
                () -> new ApiProblem(404, "not_found", "There is no task " + id + ".", "没有任务 " + id + "。"));
        if (answer.equals(task.answer())) {
            return Future.succeededFuture(task);
        }
        if (!task.isOpen()) {
            throw new ApiProblem(Problem.of(
                    409,
                    "wrong_state",
                    "The task was answered '" + task.answer() + "' by " + task.answeredBy() + " already.",
                    "该任务已由 " + task.answeredBy() + " 答复为 " + task.answer() + "。"));
        }
        TaskKind kind = kinds.get(task.kind());
        if (kind == null) {
            throw new IllegalStateException("nobody knows tasks of the kind " + task.kind());
        }
        List<TaskKind.Choice> choices = kind.choices();
        TaskKind.Choice chosen = choices.stream()
                .filter(choice -> choice.answer().equals(answer))
                .findFirst()
                .orElseThrow(() -> unknown(choices));
        Instant now = clock.instant();
        return tasks.answer(connection, id, answer, who, note, chosen.last(), now)
                .compose(done -> kind.answered(connection, task, answer, who))
                .compose(done -> tasks.lock(connection, id))
                .map(Optional::orElseThrow);
    }

    private static ApiProblem unknown(List<TaskKind.Choice> choices) {
        String known = choices.stream().map(TaskKind.Choice::answer).collect(Collectors.joining(", "));
        return new ApiProblem(
                Problem.invalidField("answer", "unknown", "must be one of: " + known, "必须是以下之一：" + known));
    }

    private static void admin(ApiRequest request) {
        if (!request.caller().admin()) {
            throw new ApiProblem(
                    403, "not_allowed", "Only an administrator sees and answers tasks.", "只有管理员可以查看和答复任务。");
        }
    }

    private static Future<Void> locked(SqlConnection connection, @Nullable IdempotencyTicket ticket) {
        return ticket == null ? Future.succeededFuture() : ticket.lockIn(connection);
    }

    private static Future<ApiReply> answered(
            SqlConnection connection, @Nullable IdempotencyTicket ticket, ApiReply reply) {
        return ticket == null
                ? Future.succeededFuture(reply)
                : ticket.answerIn(connection, reply).map(reply);
    }

    private ObjectNode json(Task task) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", task.id());
        json.put("kind", task.kind());
        json.put("subject", task.subject());
        json.put("reservation", task.reservationId());
        json.put("detail", task.detail());
        json.put("detailZh", task.detailZh());
        ArrayNode answers = json.putArray("answers");
        TaskKind kind = kinds.get(task.kind());
        if (kind != null && task.isOpen()) {
            kind.choices()
                    .forEach(choice -> answers.addObject()
                            .put("answer", choice.answer())
                            .put("meaning", choice.meaning())
                            .put("meaningZh", choice.meaningZh()));
        }
        json.put("createdAt", RequestJson.time(task.createdAt(), zone));
        json.put("doneAt", task.doneAt() == null ? null : RequestJson.time(task.doneAt(), zone));
        json.put("answer", task.answer());
        json.put("answeredBy", task.answeredBy());
        json.put("note", task.note());
        return json;
    }
}
