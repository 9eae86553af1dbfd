package dev.gpubroker.verification.lab;

import java.io.IOException;

/** Signals that Java itself cannot send. */
final class Signals {
    private Signals() {}

    /** @throws IOException if there is no such process */
    static void send(String signal, long pid) throws IOException, InterruptedException {
        // The shell's own kill: a bare machine may have no program of that name.
        int code = new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + pid)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("no process " + pid + " to send " + signal + " to");
        }
    }
}
