package dev.gpubroker.broker.secret;

import dev.gpubroker.broker.config.StartException;
import dev.gpubroker.broker.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/** Seals with a new key what an old one sealed: all of it or, where one text does not open, nothing. */
final class Resealing {
    private final Database database;
    private final List<SealedColumn> columns;

    Resealing(Database database, List<SealedColumn> columns) {
        this.database = database;
        this.columns = List.copyOf(columns);
    }

    /** How many there were. */
    Future<Integer> from(String oldKeyId, SecretBox box) {
        return database.inTransaction(connection -> {
            Future<Integer> count = Future.succeededFuture(0);
            for (SealedColumn column : columns) {
                count = count.compose(
                        before -> column(connection, column, oldKeyId, box).map(more -> before + more));
            }
            return count;
        });
    }

    private static Future<Integer> column(
            SqlConnection connection, SealedColumn column, String oldKeyId, SecretBox box) {
        // Locked, so that a broker beside this one does not write the old text back.
        String sql = "-- secret.sealed_with\nSELECT " + column.id() + " AS id, " + column.column() + " AS sealed FROM "
                + column.table() + " WHERE split_part(" + column.column() + ", '.', 2) = $1 ORDER BY " + column.id()
                + " FOR UPDATE";
        return connection.preparedQuery(sql).execute(Tuple.of(oldKeyId)).compose(rows -> {
            Future<Integer> count = Future.succeededFuture(0);
            for (Row row : rows) {
                count = count.compose(
                        before -> again(connection, column, row, box).map(done -> before + 1));
            }
            return count;
        });
    }

    private static Future<Void> again(SqlConnection connection, SealedColumn column, Row row, SecretBox box) {
        String id = row.getString("id");
        String text;
        try {
            text = box.open(column.table(), id, row.getString("sealed"));
        } catch (IllegalStateException | IllegalArgumentException damaged) {
            return Future.failedFuture(new StartException(
                    "The secret in " + column.table() + "." + column.column() + " of " + id
                            + " does not open with the key that it names, so nothing was sealed anew. Restore the row from a"
                            + " backup, or delete it.",
                    damaged));
        }
        String sql = "-- secret.seal_anew\nUPDATE " + column.table() + " SET " + column.column() + " = $2 WHERE "
                + column.id() + " = $1";
        return connection
                .preparedQuery(sql)
                .execute(Tuple.of(id, box.seal(column.table(), id, text)))
                .mapEmpty();
    }
}
