package dev.gpubroker.broker.webhook;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Endpoints in the ledger. */
interface WebhookStore {
    /** By creation. */
    Future<List<Webhook>> list(String team);

    Future<Optional<Webhook>> read(String id);

    /** Reads and locks the row until the transaction ends. */
    Future<Optional<Webhook>> lock(SqlConnection connection, String id);

    /** @return false if the team has an endpoint at this address */
    Future<Boolean> insert(SqlConnection connection, Webhook webhook);

    /** @return false if the team has another endpoint at this address */
    Future<Boolean> update(SqlConnection connection, Webhook webhook);

    Future<Void> delete(SqlConnection connection, String id);

    /** Ids of a team's endpoints that are on and want the topic. */
    Future<List<String>> wanting(String team, String topic);

    /** Forgets old secrets that sign no more. */
    Future<Void> forgetOldSecrets(Instant wall);
}
