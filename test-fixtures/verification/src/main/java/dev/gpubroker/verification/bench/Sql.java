package dev.gpubroker.verification.bench;

import dev.gpubroker.broker.config.DatabaseUrl;
import dev.gpubroker.verification.lab.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

/** Statements of the benchmarks themselves, past the broker. */
final class Sql {
    /** Of the embedded server; it has the password of the broker's role. */
    private static final String SUPERUSER = "postgres";

    private final DatabaseUrl url;

    private Sql(DatabaseUrl url) {
        this.url = url;
    }

    /** The brokers' database, as their own role. */
    static Sql of(PostgresServer server) {
        return new Sql(DatabaseUrl.parse("the lab's database", server.brokerUrl()));
    }

    /** Another database of the same server. */
    Sql on(String database) {
        return new Sql(url.withDatabase(database));
    }

    /** May set what the broker's role may not. */
    Sql asSuperuser() {
        return new Sql(DatabaseUrl.plain(url.host(), url.port(), url.database(), SUPERUSER, url.password()));
    }

    DatabaseUrl url() {
        return url;
    }

    Connection connect() throws SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {url.host()});
        source.setPortNumbers(new int[] {url.port()});
        source.setDatabaseName(url.database());
        source.setUser(url.user());
        source.setPassword(url.password().value());
        return source.getConnection();
    }

    /** Each in a transaction of its own. */
    void run(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String each : List.of(statements)) {
                statement.execute(each);
            }
        }
    }

    /** The one number that a query answers. */
    long number(String query) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** The first column of what a query answers. */
    List<String> texts(String query) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        }
    }
}
