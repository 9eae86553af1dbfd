package dev.gpubroker.verification.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the machine says of itself and of processes. */
final class Machine {
    private static final Path STATUS = Path.of("status");

    private Machine() {}

    /** Runnable processes, averaged over the last minute: far above the cores means that others were measured as well. */
    static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    /** Memory that a process has in use, in MB; Linux only. */
    static double residentMegabytes(long pid) throws IOException {
        List<String> lines =
                Files.readAllLines(Path.of("/proc", Long.toString(pid)).resolve(STATUS));
        return lines.stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")) / 1024)
                .findFirst()
                .orElseThrow(() -> new IOException("the system does not say what process " + pid + " uses"));
    }
}
