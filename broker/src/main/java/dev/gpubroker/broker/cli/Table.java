package dev.gpubroker.broker.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of text in aligned columns, for a terminal. A column in which every row is empty is left out. */
final class Table {
    private static final String GAP = "  ";

    private final List<String> header;
    private final List<List<String>> rows = new ArrayList<>();

    Table(String... header) {
        this.header = List.of(header);
    }

    /** Adds a row; a null cell is an empty one. */
    Table row(@Nullable String... cells) {
        rows.add(Arrays.stream(cells)
                .map(cell -> cell == null ? "" : Width.clean(cell).replace('\n', ' '))
                .toList());
        return this;
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** One line for the header, if it has words, and one for each row; each ends in a line end. Empty without rows. */
    String text(String indent) {
        if (rows.isEmpty()) {
            return "";
        }
        List<List<String>> lines = new ArrayList<>(rows);
        if (header.stream().anyMatch(word -> !word.isEmpty())) {
            lines.add(0, header);
        }
        int[] widths = new int[header.size()];
        for (List<String> line : rows) {
            for (int i = 0; i < line.size(); i++) {
                widths[i] = Math.max(widths[i], Width.of(line.get(i)));
            }
        }
        for (int i = 0; i < widths.length; i++) {
            widths[i] = widths[i] == 0 ? 0 : Math.max(widths[i], Width.of(header.get(i)));
        }
        StringBuilder text = new StringBuilder();
        for (List<String> line : lines) {
            StringBuilder out = new StringBuilder();
            for (int i = 0; i < line.size(); i++) {
                if (widths[i] > 0) {
                    out.append(Width.pad(line.get(i), widths[i])).append(GAP);
                }
            }
            text.append(indent).append(out.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
