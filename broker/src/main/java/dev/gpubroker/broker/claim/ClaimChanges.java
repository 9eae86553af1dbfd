package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.Money;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;

/**
 * What changes about claims when their reservation is changed. Each runs inside the caller's transaction. Keys stay what they
 * were: platforms know the machines by them.
 */
public interface ClaimChanges {
    /** It costs so much more from now on: its machines stay longer. */
    Future<Void> addAmount(SqlConnection connection, ClaimKey key, Money more);

    /** Claims that were made for more GPUs belong to the attempt that runs, now that they run too. */
    Future<Void> adopt(SqlConnection connection, String reservationId, int made, int running);

    /** Given up while the others of its attempt run on; it is released on its own. */
    Future<Void> setAside(SqlConnection connection, Claim claim, int attempt);

    /** Marks every open claim of one attempt as unwanted and those never sent as refused; says which are left open. */
    Future<List<ClaimKey>> unwant(SqlConnection connection, String reservationId, int attempt);
}
