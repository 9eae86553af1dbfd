package dev.gpubroker.broker.trigger;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.Optional;

/** Triggers in the ledger. */
interface TriggerStore {
    /** By creation. */
    Future<List<Trigger>> list(String team);

    Future<Optional<Trigger>> read(String id);

    Future<Void> insert(SqlConnection connection, Trigger trigger);

    Future<Boolean> delete(SqlConnection connection, String team, String id);

    /** Those of a team that wait for this state. */
    Future<List<Trigger>> on(String team, String state);

    /** The state a reservation is in now; empty if the team has no such reservation. */
    Future<Optional<String>> stateOf(String team, String reservation);
}
