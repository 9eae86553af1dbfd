package dev.gpubroker.verification.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Temporary folders. */
final class Folders {
    private Folders() {}

    static void delete(Path folder) throws IOException {
        List<Path> inside;
        try (Stream<Path> files = Files.walk(folder)) {
            inside = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : inside) {
            Files.deleteIfExists(file);
        }
    }
}
