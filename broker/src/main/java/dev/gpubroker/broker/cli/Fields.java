package dev.gpubroker.broker.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Named values below each other, for a terminal: {@code State:  queued}. */
final class Fields {
    private final List<String[]> rows = new ArrayList<>();

    /** Adds a value of one or several lines; one that is null or empty is left out with its name. */
    Fields add(String name, @Nullable String value) {
        if (value != null && !value.isBlank()) {
            rows.add(new String[] {name + ":", Width.clean(value).stripTrailing()});
        }
        return this;
    }

    /** Every line ends in a line end. */
    String text() {
        int width = rows.stream().mapToInt(row -> Width.of(row[0])).max().orElse(0) + 1;
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            String name = row[0];
            for (String line : row[1].split("\n", -1)) {
                text.append((Width.pad(name, width) + line).stripTrailing()).append('\n');
                name = "";
            }
        }
        return text.toString();
    }
}
