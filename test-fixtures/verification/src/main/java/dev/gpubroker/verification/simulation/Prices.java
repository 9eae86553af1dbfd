package dev.gpubroker.verification.simulation;

import java.util.HashMap;
import java.util.Map;

/** Lines of what is planned, agreed and proposed add up to their totals, as they are stored. */
final class Prices implements Rule {
    private static final String SUMS = """
            SELECT costing::text AS costing
              FROM reservation r,
                   LATERAL (VALUES (r.plan->'costing'), (r.quote->'plan'->'costing'), (r.proposal->'plan'->'costing'))
                       AS priced (costing),
                   LATERAL (SELECT coalesce(sum((line->'amount'->>'amount')::numeric), 0) AS sum,
                                   coalesce(bool_or(line->'amount'->>'amount' IS NULL), false) AS unknown
                              FROM jsonb_array_elements(costing->'lines') AS line) AS added
             WHERE reservation_id = ? AND costing->'total'->>'amount' IS NOT NULL
               AND (sum <> (costing->'total'->>'amount')::numeric OR unknown <> (costing->>'from')::boolean)""";

    private final Map<String, Long> seen = new HashMap<>();

    @Override
    public void check(World world, Picture picture) {
        for (Ledger.Booking booking : picture.bookings()) {
            Long version = seen.put(booking.id(), booking.version());
            if (version == null || version != booking.version()) {
                world.sql
                        .find(SUMS, row -> row.getString("costing"), booking.id())
                        .ifPresent(wrong -> {
                            throw new Broken("lines add up to the total", booking.id() + ": " + wrong);
                        });
            }
        }
    }
}
