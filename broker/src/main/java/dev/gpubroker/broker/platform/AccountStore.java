package dev.gpubroker.broker.platform;

import dev.gpubroker.broker.config.Caps;
import dev.gpubroker.broker.config.Purchases;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;

/** Keeps what accounts may spend; the last look before a purchase reads it there. */
interface AccountStore {
    /** What settings say of an account. */
    record Entry(String id, String platform, boolean simulated, String currency, Purchases purchases, Caps caps) {}

    /**
     * Writes all of them or none; accounts that are not among them stay as they are.
     *
     * @return ids that are stored for another platform, or for the other kind of money; if there are any, nothing was written
     */
    Future<List<String>> save(List<Entry> entries);

    /** Every stored account, by id. */
    Future<Map<String, Standing>> standings();

    /** Ids of stored accounts that hold, or may hold, something on their platform. */
    Future<List<String>> withOpenClaims();
}
