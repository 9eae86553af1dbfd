package dev.gpubroker.adapter.zhixingyun;

import java.time.Duration;
import java.util.Map;

/** Which call ends a machine's cost, by its state. */
final class Giveback {
    /** Before the next try where a machine's state does not allow it yet. */
    static final Duration PAUSE = Duration.ofSeconds(30);

    /**
     * What never started is paid back by {@code error_refund}; a kept disk is released; all else is ended with a refund of its
     * unused hours, and without keeping the disk.
     */
    static String operation(Machine machine) {
        return switch (machine.status()) {
            case Machine.FAILED -> "instance/error_refund";
            case Machine.DISK_KEPT -> "instance/release_keepped_disk";
            default -> "instance/stop_instance_with_refund";
        };
    }

    static Map<String, String> fields(Machine machine) {
        boolean stop = machine.status() != Machine.FAILED && machine.status() != Machine.DISK_KEPT;
        return stop
                ? Map.of(
                        "instance_name", machine.name(),
                        "remark", "gpu-broker",
                        "release_disk", "1",
                        // A host that is down must not keep us paying.
                        "ignore_server_offline_error", "1")
                : Map.of("instance_name", machine.name());
    }

    private Giveback() {}
}
