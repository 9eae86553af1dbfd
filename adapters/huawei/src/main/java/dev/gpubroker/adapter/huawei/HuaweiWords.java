package dev.gpubroker.adapter.huawei;

import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The platform's words for stock and state. */
final class HuaweiWords {
    private static final Pattern ZONE = Pattern.compile("([^,()\\s]+)\\(([^,()\\s]+)\\)");

    /** What a word of {@code cond:operation:status} or of a pool flavor's {@code status.phase} lets one do. */
    enum Sale {
        SELLS,
        SOLD_OUT,
        OFFLINE,
        ON_APPLICATION,
        /** A word that we do not know: neither in stock nor sold out. */
        UNKNOWN
    }

    static Sale sale(@Nullable String word) {
        if (word == null || word.isBlank()) {
            return Sale.SELLS; // Absent means normal.
        }
        return switch (word.strip()) {
            case "normal", "promotion" -> Sale.SELLS;
            case "sellout", "soldout" -> Sale.SOLD_OUT;
            case "abandon" -> Sale.OFFLINE;
            case "obt" -> Sale.ON_APPLICATION;
            default -> Sale.UNKNOWN;
        };
    }

    /** Reads {@code cn-north-4a(sellout),cn-north-4b(normal)}; in the order given. */
    static Map<String, Sale> zones(@Nullable String list) {
        Map<String, Sale> zones = new LinkedHashMap<>();
        Matcher matcher = ZONE.matcher(list == null ? "" : list);
        while (matcher.find()) {
            zones.put(matcher.group(1), sale(matcher.group(2)));
        }
        return zones;
    }

    /** @param certain whether the job that makes the server has succeeded; until then a server that builds is only promised */
    static Phase server(String status, @Nullable String task, boolean certain) {
        if ("deleting".equals(task)) {
            return Phase.ENDING;
        }
        return switch (status) {
            case "BUILD" -> certain ? Phase.STARTING : Phase.PENDING;
            case "ACTIVE" -> Phase.RUNNING;
            case "REBOOT", "HARD_REBOOT", "REBUILD" -> Phase.STARTING;
            case "ERROR" -> Phase.FAILED;
            case "DELETED" -> Phase.GONE;
            default -> Phase.UNKNOWN;
        };
    }

    /** A pool that is Abnormal exists, costs and may hold somebody's work: it is neither running nor failed. */
    static Phase pool(String phase) {
        return switch (phase) {
            case "", "Creating", "Waiting" -> Phase.PENDING; // The answer to a create states no phase.
            case "Running" -> Phase.RUNNING;
            case "Deleting" -> Phase.ENDING;
            case "Error", "CreationFailed" -> Phase.FAILED;
            default -> Phase.UNKNOWN;
        };
    }

    static Phase node(String phase) {
        return switch (phase) {
            case "Creating" -> Phase.STARTING;
            case "Available" -> Phase.RUNNING;
            case "Deleting" -> Phase.ENDING;
            default -> Phase.UNKNOWN;
        };
    }

    /** The claim as a whole: the least advanced of its machines; of none, nothing is known. */
    static Phase together(List<Phase> phases) {
        if (phases.isEmpty()) {
            return Phase.UNKNOWN;
        }
        for (Phase worst : List.of(Phase.FAILED, Phase.UNKNOWN, Phase.PENDING, Phase.STARTING, Phase.ENDING)) {
            if (phases.contains(worst)) {
                return worst;
            }
        }
        if (!phases.contains(Phase.GONE)) {
            return Phase.RUNNING;
        }
        return phases.contains(Phase.RUNNING) ? Phase.ENDING : Phase.GONE;
    }

    private HuaweiWords() {}
}
