package dev.gpubroker.simulator.zhixingyun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimInstance;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** One page of machines, newest first. */
final class Listing {
    private static final int MOST_PER_PAGE = 100;

    /** @return empty if the page asked for is out of bounds */
    static Optional<ObjectNode> answer(
            List<SimInstance> machines, Map<String, String> form, Function<SimInstance, JsonNode> detail) {
        int page = Order.number(text(form, "page"), 1);
        int size = Order.number(text(form, "page_size"), 10);
        if (size < 1 || size > MOST_PER_PAGE || page < 1) {
            return Optional.empty();
        }
        List<SimInstance> found = machines.stream()
                .filter(machine -> isOfType(machine, text(form, "status_type")))
                .filter(machine -> isOneOf(machine.id(), text(form, "instance_names")))
                .filter(machine -> isOneOf(machine.attribute("number"), text(form, "instance_ids")))
                .sorted(Comparator.comparing((SimInstance machine) -> Integer.parseInt(machine.attribute("number")))
                        .reversed())
                .toList();
        int pages = (found.size() + size - 1) / size;
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ArrayNode list = data.putArray("list");
        found.stream().skip((long) (page - 1) * size).limit(size).map(detail).forEach(list::add);
        data.put("current_page", page);
        data.put("page_count", pages);
        data.put("has_more", page < pages);
        data.put("total_count", found.size());
        return Optional.of(data);
    }

    /** An unknown type is not refused, but answered like the default (seen in live calls, 2026). */
    private static boolean isOfType(SimInstance machine, String type) {
        return switch (type) {
            case "statusAll" -> true;
            case "statusRunning" -> Set.of("1", "4", "5").contains(machine.state());
            case "statusKeeppedDisk" -> machine.state().equals("8");
            case "statusRunningError" -> false;
            case "statusCreateError" -> Set.of("-1", "-2", "7").contains(machine.state());
            default -> Set.of("1", "4", "5", "-1", "7", "8").contains(machine.state());
        };
    }

    private static boolean isOneOf(String value, String commaSeparated) {
        return commaSeparated.isEmpty()
                || Arrays.asList(commaSeparated.split(",", -1)).contains(value);
    }

    private static String text(Map<String, String> form, String name) {
        return form.getOrDefault(name, "");
    }

    private Listing() {}
}
