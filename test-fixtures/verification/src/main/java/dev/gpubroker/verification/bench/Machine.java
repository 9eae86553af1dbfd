package dev.gpubroker.verification.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the machine says of itself and of processes. */
final class Machine {
    private static final Path STATUS = Path.of("status");
    /** What the kernel counts in, on every machine that Java 17 runs on. */
    private static final double TICKS_PER_SECOND = 100;

    private Machine() {}

    /** Runnable processes, averaged over the last minute: far above the cores means that others were measured as well. */
    static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    /**
     * Processor time that a process and all its children have used, in seconds; Linux only. Unlike time on a clock it hardly depends
     * on what else the machine does.
     */
    static double processorSeconds(long pid) throws IOException {
        double ticks = 0;
        List<ProcessHandle> all = Stream.concat(
                        ProcessHandle.of(pid).stream(),
                        ProcessHandle.of(pid).stream().flatMap(ProcessHandle::descendants))
                .toList();
        for (ProcessHandle each : all) {
            Path stat = Path.of("/proc", Long.toString(each.pid()), "stat");
            if (Files.exists(stat)) {
                String text = Files.readString(stat);
                // Behind the name, which may hold anything: user and system time are the 12th and 13th.
                String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
                ticks += Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
            }
        }
        return ticks / TICKS_PER_SECOND;
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
