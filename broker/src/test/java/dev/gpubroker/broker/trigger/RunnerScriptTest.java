package dev.gpubroker.broker.trigger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The scripts in a real shell, with a runner in place that tells how it was started. */
@Timeout(30)
@SuppressWarnings("NullAway.Init") // The folder is given before each test.
class RunnerScriptTest {
    @TempDir
    private Path home;

    /** Runs the script and waits until what it left in the background has told. */
    private String told(String script, String input) throws IOException, InterruptedException {
        Path pipe = home.resolve("told");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        ProcessBuilder shell = new ProcessBuilder("/bin/sh", "-c", script);
        shell.environment().put("HOME", home.toString());
        shell.environment().put("PATH", home + ":" + System.getenv("PATH"));
        shell.redirectErrorStream(true);
        Process process = shell.start();
        process.getOutputStream().write(input.getBytes(UTF_8));
        process.getOutputStream().close();
        String told = Files.readString(pipe);
        assertThat(process.waitFor())
                .as(new String(process.getInputStream().readAllBytes(), UTF_8))
                .isZero();
        return told;
    }

    private void program(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, """
                #!/bin/sh
                { echo "arguments: $*"; env | grep -E '^(ACTIONS_RUNNER|RUNNER|CI_SERVER)' | sort; } > "%s"
                """.formatted(home.resolve("told")));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void aGithubRunnerGetsItsConfigurationByTheEnvironmentAndNotAsAnArgument() throws Exception {
        program(home.resolve(".gpu-broker/gpu-dlv_1/run.sh"));

        String told = told(RunnerScript.github("gpu-dlv_1"), "c2VjcmV0\n");

        assertThat(told.lines().findFirst()).contains("arguments: ");
        assertThat(told).contains("ACTIONS_RUNNER_INPUT_JITCONFIG=c2VjcmV0\n");
    }

    @Test
    void aGitlabRunnerTakesOneJobAndItsTokenIsNoArgument() throws Exception {
        program(home.resolve("gitlab-runner"));

        String told = told(RunnerScript.gitlab("gpu-dlv_1", URI.create("https://gitlab.example.com")), "glrt-secret\n");

        assertThat(told.lines().findFirst()).contains("arguments: run-single --max-builds 1 --wait-timeout 3600");
        assertThat(told)
                .contains(
                        "CI_SERVER_TOKEN=glrt-secret\n",
                        "CI_SERVER_URL=https://gitlab.example.com\n",
                        "RUNNER_EXECUTOR=shell\n");
    }

    @Test
    void anAddressOfAServerIsNoCommand() throws Exception {
        program(home.resolve("gitlab-runner"));
        URI server = URI.create("https://gitlab.example.com/x';touch$IFS'" + home.resolve("taken") + "'");

        String told = told(RunnerScript.gitlab("gpu-dlv_1", server), "glrt-secret\n");

        assertThat(told).contains("CI_SERVER_URL=" + server + "\n");
        assertThat(home.resolve("taken")).doesNotExist();
    }

    /** The job's child has left the session and the process group, and does not end when it is asked to. */
    @Test
    void theEndOfARunnerIsTheEndOfAllThatItHasStarted() throws Exception {
        Path program = home.resolve(".gpu-broker/gpu-dlv_1/run.sh");
        program(program);
        Files.writeString(program, """
                #!/bin/sh
                setsid sh -c 'trap "" TERM; while :; do read -r never < "%1$s/never"; done' &
                echo $! > "%1$s/told"
                wait
                """.formatted(home));
        assertThat(new ProcessBuilder("mkfifo", home.resolve("never").toString())
                        .start()
                        .waitFor())
                .isZero();
        long child = Long.parseLong(
                told(RunnerScript.github("gpu-dlv_1"), "c2VjcmV0\n").strip());
        ProcessHandle runner = ProcessHandle.of(child).orElseThrow();

        ProcessBuilder shell = new ProcessBuilder("/bin/sh", "-c", RunnerScript.end("gpu-dlv_1"));
        shell.environment().put("HOME", home.toString());
        Process process = shell.inheritIO().start();

        assertThat(process.waitFor()).isZero();
        assertThat(runner.isAlive()).isFalse();
        assertThat(home.resolve(".gpu-broker/gpu-dlv_1")).doesNotExist();
    }
}
