package dev.gpubroker.verification.crash;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/** What the test did and was told, one JSON line each, so that a failure can be read afterwards; and how often each happened. */
final class Journal implements AutoCloseable {
    private final Path file;
    private final BufferedWriter writer;
    private final Map<String, Long> counts = new TreeMap<>();

    Journal(Path file) throws IOException {
        this.file = file;
        this.writer = Files.newBufferedWriter(file);
    }

    /** @param what counted under this name */
    synchronized void write(String what, ObjectNode details) {
        counts.merge(what, 1L, Long::sum);
        ObjectNode line = Api.JSON.createObjectNode();
        line.put("at", Instant.now().toString()).put("what", what);
        line.setAll(details);
        try {
            writer.write(line.toString());
            writer.newLine();
            writer.flush();
        } catch (IOException fault) {
            throw new UncheckedIOException("the journal " + file + " cannot be written", fault);
        }
    }

    void write(String what, String subject) {
        write(what, Api.JSON.createObjectNode().put("subject", subject));
    }

    /** How often each thing happened, by name. */
    synchronized JsonNode counts() {
        return Api.JSON.valueToTree(counts);
    }

    Path file() {
        return file;
    }

    @Override
    public synchronized void close() throws IOException {
        writer.close();
    }
}
