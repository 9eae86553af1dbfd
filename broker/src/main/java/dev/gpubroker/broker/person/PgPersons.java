package dev.gpubroker.broker.person;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.request.MachineFields;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.request.TimeZones;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.stored.StoredJson;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;

/** Persons in PostgreSQL. */
public final class PgPersons {
    private final Database database;

    public PgPersons(Database database) {
        this.database = database;
    }

    static final String READ = """
            -- person.read
            SELECT machine::text AS machine, time_zone FROM person WHERE team_id = $1 AND name = $2""";

    /** By the name that a token gives its holder. */
    public Future<Person> read(String team, String name) {
        return database.pool()
                .preparedQuery(READ)
                .execute(Tuple.of(team, name))
                .map(rows -> rows.size() == 0
                        ? Person.unknown(team, name)
                        : person(team, name, rows.iterator().next()));
    }

    private static Person person(String team, String name, Row row) {
        String zone = row.getString("time_zone");
        return new Person(
                team,
                name,
                MachineFields.read(StoredJson.read(row.getString("machine"), ObjectNode.class)),
                TimeZones.named(zone).orElse(null)); // An offset, written when those were taken, is none.
    }

    static final String WRITE = """
            -- person.write
            INSERT INTO person (team_id, name, machine, time_zone, updated_at) VALUES ($1, $2, $3::text::jsonb, $4, $5)
            ON CONFLICT (team_id, name) DO UPDATE
               SET machine = excluded.machine, time_zone = excluded.time_zone, updated_at = excluded.updated_at""";

    Future<Void> write(Person person, Instant now) {
        ZoneId zone = person.timeZone();
        return database.pool()
                .preparedQuery(WRITE)
                .execute(Tuple.from(Arrays.asList(
                        person.team(),
                        person.name(),
                        StoredJson.write(RequestJson.machine(person.machine())),
                        zone == null ? null : zone.getId(),
                        PgTime.of(now))))
                .mapEmpty();
    }
}
