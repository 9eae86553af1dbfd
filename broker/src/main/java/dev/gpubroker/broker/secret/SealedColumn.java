package dev.gpubroker.broker.secret;

import java.util.regex.Pattern;

/**
 * A column that holds sealed texts; what seals into one names it to {@link SecretBox#open}.
 *
 * @param id the column with the id that its texts are sealed for
 */
public record SealedColumn(String table, String id, String column) {
    private static final Pattern NAME = Pattern.compile("[a-z_]+");

    public SealedColumn {
        // They become part of a statement.
        if (!NAME.matcher(table).matches()
                || !NAME.matcher(id).matches()
                || !NAME.matcher(column).matches()) {
            throw new IllegalArgumentException("not a column: " + table + "." + column);
        }
    }
}
