package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.AnswerBody;
import dev.gpubroker.client.model.PlatformStatus;
import dev.gpubroker.client.model.Status;
import dev.gpubroker.client.model.Task;
import dev.gpubroker.client.model.TaskAnswersInner;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code doctor}: what is wrong, and what waits for a person; {@code doctor answer} answers it. */
final class TaskCommands {
    private static final int MOST_TASKS = 200;

    private TaskCommands() {}

    static void addTo(CommandLine root, Supplier<Session> sessions) {
        root.addSubcommand("doctor", new CommandLine(new Doctor(sessions)).addSubcommand(new Answer(sessions)));
    }

    /** Says what is wrong. */
    @Command(
            name = "doctor",
            mixinStandardHelpOptions = true,
            description = {
                "Says what is wrong with the installation and what waits for a person.",
                "Exit code 1 if there is anything."
            })
    static final class Doctor extends ClientCommand {
        Doctor(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            List<Task> tasks = session.operation().listTasks(null, MOST_TASKS).getItems();
            Status status = session.operation().readStatus();
            if (session.json()) {
                session.print(tasks);
            } else {
                session.say(text(status, tasks, session.lang()));
            }
            return tasks.isEmpty() && status.getPlatforms().stream().noneMatch(Doctor::isIll)
                    ? ExitCode.OK
                    : ExitCode.FAILED;
        }

        private static boolean isIll(PlatformStatus platform) {
            return platform.getBreaker() != PlatformStatus.BreakerEnum.CLOSED;
        }

        private static String text(Status status, List<Task> tasks, Lang lang) {
            StringBuilder text = new StringBuilder();
            if (status.getPurchasesPaused()) {
                text.append(lang.pick(
                        "Buying is paused; 'gpu-broker resume' allows it again.\n", "购买已暂停；gpu-broker resume 恢复。\n"));
            }
            status.getPlatforms().stream()
                    .filter(Doctor::isIll)
                    .forEach(platform -> text.append(platform.getAccount())
                            .append(lang.pick(": does not answer: ", "：没有正常答复：") + platform.getDetail() + "\n"));
            for (Task task : tasks) {
                text.append(task.getId())
                        .append("  ")
                        .append(task.getKind())
                        .append("\n  ")
                        .append(lang.pick(task.getDetail(), task.getDetailZh()))
                        .append('\n');
                for (TaskAnswersInner answer : task.getAnswers()) {
                    text.append("    gpu-broker doctor answer ")
                            .append(task.getId())
                            .append(' ')
                            .append(answer.getAnswer())
                            .append("   # ")
                            .append(lang.pick(answer.getMeaning(), answer.getMeaningZh()))
                            .append('\n');
                }
            }
            return text.isEmpty()
                    ? lang.pick("Nothing is wrong.", "一切正常。")
                    : text.toString().stripTrailing();
        }
    }

    /** Answers a task. */
    @Command(name = "answer", mixinStandardHelpOptions = true, description = "Answers a task with one of its answers.")
    static final class Answer extends ClientCommand {
        @Parameters(index = "0", paramLabel = "TASK", description = "As 'gpu-broker doctor' shows it.")
        private String task = "";

        @Parameters(index = "1", paramLabel = "ANSWER", description = "One of the task's answers.")
        private String answer = "";

        @Option(names = "--note", paramLabel = "TEXT", description = "Kept with the answer.")
        private @Nullable String note;

        Answer(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            AnswerBody body = new AnswerBody();
            body.setAnswer(answer);
            if (note != null) {
                body.setNote(note);
            }
            Task answered = session.operation().answerTask(task, body, Session.newKey());
            if (session.json()) {
                session.print(answered);
            } else {
                session.say(
                        answered.getId() + ": answered '" + answered.getAnswer() + "'.",
                        answered.getId() + "：已答复 " + answered.getAnswer() + "。");
            }
            return ExitCode.OK;
        }
    }
}
