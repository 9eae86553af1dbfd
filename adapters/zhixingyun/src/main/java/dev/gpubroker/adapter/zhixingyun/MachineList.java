package dev.gpubroker.adapter.zhixingyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.PlatformFault;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads {@code instance/get_instance_list} to its end: complete, or a fault. */
final class MachineList {
    /** The most that the platform takes. */
    private static final int PAGE_SIZE = 100;
    /** Ten thousand machines, ended ones included. */
    private static final int MOST_PAGES = 100;

    private final ZhixingyunClient client;
    private final Duration pageTimeout;
    private final Duration timeout;

    MachineList(ZhixingyunClient client, Duration pageTimeout, Duration timeout) {
        this.client = client;
        this.pageTimeout = pageTimeout;
        this.timeout = timeout;
    }

    /** Machines of every state, also ended ones. */
    List<Machine> all() {
        long last = System.nanoTime() + timeout.minus(pageTimeout).toNanos();
        Map<String, Machine> machines = new LinkedHashMap<>();
        for (int page = 1; page <= MOST_PAGES; page++) {
            JsonNode data = page(page);
            for (JsonNode item : data.path("list")) {
                Machine machine = Machine.read(item);
                machines.put(machine.name(), machine);
            }
            if (!hasMore(data)) {
                return complete(machines, data);
            }
            if (System.nanoTime() - last > 0) {
                throw cut("took longer than " + timeout);
            }
        }
        throw cut("has more than " + MOST_PAGES + " pages");
    }

    private JsonNode page(int page) {
        // An unknown status_type would not be refused but answered with fewer machines: this one is documented.
        Answer answer = client.call(
                "instance/get_instance_list",
                Map.of(
                        "page", String.valueOf(page),
                        "page_size", String.valueOf(PAGE_SIZE),
                        "status_type", "statusAll"),
                pageTimeout);
        if (!answer.isGood()) {
            throw ZhixingyunMapping.refusedRead(answer);
        }
        if (!answer.data().path("list").isArray()) {
            throw cut("page " + page + " holds no list");
        }
        return answer.data();
    }

    private static boolean hasMore(JsonNode data) {
        Boolean more = Json.yesNo(data.path("has_more"));
        if (more == null) {
            throw cut("does not say whether there is more");
        }
        return more;
    }

    private static List<Machine> complete(Map<String, Machine> machines, JsonNode data) {
        Long total = Json.whole(data.path("total_count"));
        if (total == null || total > machines.size()) {
            throw cut("shows " + machines.size() + " of " + total + " machines");
        }
        return List.copyOf(machines.values());
    }

    private static PlatformFault cut(String how) {
        return new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, "the list of machines " + how);
    }
}
