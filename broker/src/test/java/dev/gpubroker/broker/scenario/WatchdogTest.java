package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command for jobs runs beside the job, when words to it arrive late and together. */
class WatchdogTest {
    /** Prints what the file calls WATCHDOG. */
    private static final String PRINT = """
            import importlib.machinery, importlib.util, sys
            sys.dont_write_bytecode = True
            loader = importlib.machinery.SourceFileLoader("job", sys.argv[1])
            job = importlib.util.module_from_spec(importlib.util.spec_from_loader("job", loader))
            loader.exec_module(job)
            sys.stdout.write(job.WATCHDOG)
            """;

    @BeforeAll
    static void needsPython() {
        JobCommand.mustBeThere();
    }

    /** Starts the job, and says these words in one breath once it is ready. */
    private static int code(Path folder, String job, String words) throws IOException, InterruptedException {
        Process printing = new ProcessBuilder("python3", "-c", PRINT, JobCommand.FILE.toString()).start();
        String watchdog = new String(printing.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Process process = new ProcessBuilder(
                        "sh", "-c", watchdog, "sh", folder.resolve("run").toString(), folder.toString(), "2", job)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader said = process.inputReader()) {
            assertThat(said.readLine()).isEqualTo("ready");
            process.getOutputStream().write(words.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void patienceIsCountedFromWhenTheSignalIsHeard(@TempDir Path folder) throws Exception {
        String saves = "trap 'sleep 1; exit 3' INT; echo ready; while :; do sleep 0.1; done";

        assertThat(code(folder, saves, "INT\nOVER 20\n")).isEqualTo(3);
    }

    @Test
    void patienceComesToItsEnd(@TempDir Path folder) throws Exception {
        String deaf = "trap '' INT; echo ready; while :; do sleep 0.1; done";

        assertThat(code(folder, deaf, "INT\nOVER 1\n")).isEqualTo(137);
    }

    @Test
    void whoeverInsistsIsNotKeptWaiting(@TempDir Path folder) throws Exception {
        String deaf = "trap '' INT; echo ready; while :; do sleep 0.1; done";

        assertThat(code(folder, deaf, "INT\nOVER 3600\nKILL\n")).isEqualTo(137);
    }
}
