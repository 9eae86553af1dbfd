package dev.gpubroker.broker.lease;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations;
import dev.gpubroker.broker.allocation.LeaseAllocations;
import dev.gpubroker.broker.allocation.Outage;
import dev.gpubroker.broker.allocation.OwnPool;
import dev.gpubroker.broker.allocation.PgAllocationChanges;
import dev.gpubroker.broker.allocation.PgAllocations;
import dev.gpubroker.broker.allocation.PgLeaseAllocations;
import dev.gpubroker.broker.allocation.PgOutageStore;
import dev.gpubroker.broker.allocation.PgPoolStore;
import dev.gpubroker.broker.booking.AlsoWaiting;
import dev.gpubroker.broker.booking.Waitlist;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.schedule.DueHandler;
import dev.gpubroker.broker.schedule.DueItem;
import dev.gpubroker.broker.schedule.PgDueWork;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Leases on a database, with a clock that the test moves; due work is done when the test says so, in the order it is due. */
final class Leases {
    static final String TEAM = "default";
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final AlsoWaiting.Reservations NO_RESERVATIONS = new AlsoWaiting.Reservations() {
        @Override
        public boolean isEmpty() {
            return true;
        }

        @Override
        public boolean isKept(String team, String pool, Window window) {
            return false;
        }

        @Override
        public Future<Void> passed(String team, String pool, Window window) {
            return Future.succeededFuture();
        }
    };

    /** Not before the database's own time, which dates what is to be done at once. */
    private Instant now = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.HOURS);

    final Database database;
    final LeaseStore store;
    final LeaseService service;
    final LeaseWatch watch;
    final PgAllocations reservations;
    private final LeaseLine line;
    private final LeaseStep step;

    Leases(TestDatabase database) {
        this(database, database.database());
    }

    Leases(TestDatabase test, Database database) {
        this.database = database;
        PgDueWork due = new PgDueWork(database);
        GpuCatalogue catalogue = GpuCatalogue.shipped();
        this.reservations = new PgAllocations(database, catalogue);
        this.store = new PgLeaseStore(database, catalogue);
        PgLeaseAllocations allocations = new PgLeaseAllocations(database);
        PgPoolStore pools = new PgPoolStore(database);
        this.watch = new LeaseWatch(test.vertx(), store);
        LeaseSources sources = new LeaseSources(store, pools);
        LeaseTransition transition = new LeaseTransition(store, allocations, due);
        this.line = new LeaseLine(
                database, store, allocations, sources, transition, watch, due, Policy::standard, () -> now);
        this.step = new LeaseStep(database, store, allocations, transition, watch, due, () -> now);
        this.service = new LeaseService(
                database,
                store,
                new LeaseTargets(store, allocations, pools, catalogue),
                sources,
                transition,
                watch,
                due,
                () -> now);
    }

    Instant now() {
        return now;
    }

    // ---- what there is ------------------------------------------------------------------------------------------

    OwnPool pool(int nodes) {
        return pool("A100-SXM4-80GB", nodes);
    }

    OwnPool pool(String model, int nodes) {
        String name = "pool" + NUMBER.incrementAndGet();
        List<OwnPool.Node> made = IntStream.range(0, nodes)
                .mapToObj(i -> new OwnPool.Node("nod_" + name + "_" + i, name + "-" + (i + 1), null, 8))
                .toList();
        OwnPool pool = new OwnPool("pol_" + name, TEAM, name, model, 8, Duration.ZERO, made, now);
        database.inTransaction(connection -> new PgPoolStore(database)
                        .insert(connection, pool)
                        .compose(done -> new PgDueWork(database).poke(connection, Waitlist.KIND, AlsoWaiting.ALL)))
                .await();
        return pool;
    }

    /** An active reservation of the GPUs {@code [first, first + gpus)} of the pool's first node, from now on. */
    String reservation(OwnPool pool, int first, int gpus, Duration length) {
        String id = "rsv_" + NUMBER.incrementAndGet();
        OwnPool.Node node = pool.nodes().get(0);
        String assigned = "[{\"id\":\"%s\",\"name\":\"%s\",\"firstGpu\":%d,\"gpus\":%d}]"
                .formatted(node.id(), node.name(), first, gpus);
        run("""
                INSERT INTO reservation (reservation_id, team_id, owner, labels, state, request, model, gpu_count, during,
                    assignment, terms, explanation, created_at, updated_at)
                VALUES ($1, 'default', 'ann', '{}', 'active', '{}', 'A100', $2, tstzrange($3, $4), $5::text::jsonb, '{}',
                    '[]', $3, $3)""", id, gpus, PgTime.of(now), PgTime.of(now.plus(length)), assigned);
        run("""
                INSERT INTO allocation (layer, node_id, gpus, during, reservation_id, created_at)
                VALUES (0, $1, int4range($2, $3), tstzrange($4, $5), $6, $4)""", node.id(), first, first + gpus, PgTime.of(now), PgTime.of(now.plus(length)), id);
        return id;
    }

    /**
     * One that waits, for the next day.
     *
     * @param stock what its plan says of stock; null while it has no plan
     */
    void waitingReservation(String model, @Nullable String stock) {
        run(
                """
                INSERT INTO reservation (reservation_id, team_id, owner, labels, state, request, model, gpu_count, during, plan,
                    assignment, terms, explanation, created_at, updated_at, joined_at)
                VALUES ($1, 'default', 'ann', '{}', 'queued', '{}', $2, 8, tstzrange($3, $4), $5::text::jsonb, '[]', '{}',
                    '[]', $3, $3, $3)""",
                "rsv_" + NUMBER.incrementAndGet(),
                model,
                PgTime.of(now),
                PgTime.of(now.plus(1, ChronoUnit.DAYS)),
                stock == null ? null : "{\"stock\":\"" + stock + "\"}");
    }

    /** As an owner gives up GPUs of what runs. */
    void shrink(String reservation, OwnPool pool, int gpus, Duration length) {
        database.inTransaction(connection -> shrinking(connection, reservation, pool, gpus, length))
                .await();
    }

    Future<Void> shrinking(SqlConnection connection, String reservation, OwnPool pool, int gpus, Duration length) {
        Allocations.Wanted wanted =
                new Allocations.Wanted(TEAM, Set.of(pool.model()), gpus, null, true, false, Set.of(pool.name()));
        return new PgAllocationChanges(database, reservations)
                .resize(connection, wanted, new Window(now, now.plus(length)), reservation, now)
                .compose(done -> connection
                        .preparedQuery("UPDATE reservation SET assignment = jsonb_set(assignment, '{0,gpus}',"
                                + " to_jsonb($2::int)) WHERE reservation_id = $1")
                        .execute(Tuple.of(reservation, gpus)))
                .mapEmpty();
    }

    /** How many live rectangles it has. */
    int live(Lease lease) {
        return database.pool()
                .preparedQuery("SELECT count(*)::int AS live FROM allocation WHERE lease_id = $1 AND live")
                .execute(Tuple.of(lease.id()))
                .await()
                .iterator()
                .next()
                .getInteger("live");
    }

    /** Returns when a statement waits for what another transaction has locked. */
    void untilSomebodyWaitsForALock() {
        String waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (database.pool().query(waits).execute().await().size() == 0) {
            if (System.nanoTime() > end) {
                throw new AssertionError("nobody waits for a lock");
            }
        }
    }

    /** GPUs of the pool's first node are out of order from now on. */
    void outage(OwnPool pool, int first, int gpus, String reason) {
        Outage outage = new Outage(
                "out_" + NUMBER.incrementAndGet(),
                pool.id(),
                pool.nodes().get(0).id(),
                pool.nodes().get(0).name(),
                IntStream.range(first, first + gpus).boxed().toList(),
                now,
                null,
                reason,
                "ops",
                now,
                null);
        database.inTransaction(connection -> new PgOutageStore(database).insert(connection, outage))
                .await();
    }

    List<LeaseAllocations.Host> hosts(Lease lease) {
        return new PgLeaseAllocations(database)
                .hosts(database.pool(), List.of(lease.id()), now)
                .await()
                .getOrDefault(lease.id(), List.of());
    }

    /** GPUs of the pool's first node are out of order, or booked by somebody. */
    void taken(OwnPool pool, int layer, int first, int gpus, Instant from, Instant to) {
        run(
                "INSERT INTO allocation (layer, node_id, gpus, during, created_at) VALUES ($1, $2, int4range($3, $4), tstzrange($5, $6), $5)",
                layer,
                pool.nodes().get(0).id(),
                first,
                first + gpus,
                PgTime.of(from),
                PgTime.of(to));
    }

    void run(String sql, Object... values) {
        database.pool().preparedQuery(sql).execute(Tuple.from(values)).await();
    }

    // ---- jobs -----------------------------------------------------------------------------------------------------

    static LeaseBody of(OwnPool pool, int gpus) {
        return new LeaseBody(null, pool.name(), null, gpus, "PT2M", "PT1H", "PT2H", null);
    }

    static LeaseBody inside(String reservation, int gpus) {
        return new LeaseBody(reservation, null, null, gpus, "PT2M", "PT1H", "PT2H", null);
    }

    static LeaseBody model(String model, int gpus) {
        return new LeaseBody(null, null, model, gpus, "PT2M", "PT1H", "PT2H", null);
    }

    Future<Lease> asking(LeaseBody body) {
        return service.create(TEAM, "ci", body, new LeaseService.Frame() {
            @Override
            public Future<Void> before(SqlConnection connection) {
                return Future.succeededFuture();
            }

            @Override
            public Future<Void> after(SqlConnection connection, Lease lease) {
                return Future.succeededFuture();
            }
        });
    }

    /** Asks a second later than whoever asked before, and lets the line be walked. */
    Lease ask(LeaseBody body) {
        now = now.plusSeconds(1);
        Lease lease = asking(body).await();
        settle();
        return read(lease);
    }

    Lease read(Lease lease) {
        return service.read(TEAM, lease.id()).await();
    }

    LeaseState state(Lease lease) {
        return read(lease).state();
    }

    void beat(Lease lease) {
        service.beat(TEAM, lease.id()).await();
        settle();
    }

    void end(Lease lease) {
        service.end(TEAM, "ci", lease.id()).await();
        settle();
    }

    /** The GPUs that a lease holds, as {@code node:index,index}. */
    String gpus(Lease lease) {
        return hosts(lease).stream()
                .map(host -> host.name().replaceFirst(".*-", "") + ":" + host.gpus())
                .toList()
                .toString();
    }

    /** Pairs of live rectangles that share a GPU at an instant; must be empty. */
    List<String> overlaps() {
        List<String> found = new ArrayList<>();
        for (Row row : database.pool().query("""
                        SELECT a.lease_id || ' and ' || coalesce(b.lease_id, b.reservation_id) FROM allocation a
                          JOIN allocation b ON b.allocation_id <> a.allocation_id AND b.node_id = a.node_id
                           AND b.gpus && a.gpus AND b.during && a.during AND b.live
                           AND b.reservation_id IS DISTINCT FROM a.reservation_id
                         WHERE a.live AND a.lease_id IS NOT NULL""").execute().await()) {
            found.add(row.getString(0));
        }
        return found;
    }

    // ---- time -----------------------------------------------------------------------------------------------------

    /** Visits each instant at which something is due. */
    void pass(Duration time) {
        Instant target = now.plus(time);
        settle();
        for (Optional<Instant> next = due(target); next.isPresent(); next = due(target)) {
            now = next.get().isAfter(now) ? next.get() : now;
            settle();
        }
        now = target;
        settle();
    }

    private Optional<Instant> due(Instant until) {
        return Optional.ofNullable(database.pool()
                        .preparedQuery("SELECT min(due_at) AS due_at FROM due_work WHERE due_at <= $1")
                        .execute(Tuple.of(PgTime.of(until)))
                        .await()
                        .iterator()
                        .next()
                        .getOffsetDateTime("due_at"))
                .map(java.time.OffsetDateTime::toInstant);
    }

    void settle() {
        for (Optional<Row> row = takeDue(); row.isPresent(); row = takeDue()) {
            String kind = row.get().getString("kind");
            String subject = row.get().getString("subject");
            if (kind.equals(Waitlist.KIND)) {
                line.begin(new Held(kind, subject))
                        .compose(walk -> walk.rest(NO_RESERVATIONS))
                        .await();
                continue;
            }
            DueHandler handler = kind.equals(LeaseStep.KIND) ? step : line;
            handler.handle(new Held(kind, subject))
                    .await()
                    .ifPresent(next -> run("""
                    INSERT INTO due_work (kind, subject, due_at) VALUES ($1, $2, $3)
                    ON CONFLICT (kind, subject) DO UPDATE SET due_at = least(due_work.due_at, excluded.due_at)""", kind, subject, PgTime.of(next.at())));
        }
    }

    private Optional<Row> takeDue() {
        for (Row row : database.pool()
                .preparedQuery("""
                        DELETE FROM due_work WHERE (kind, subject) IN (
                            SELECT kind, subject FROM due_work WHERE due_at <= $1 ORDER BY due_at LIMIT 1)
                        RETURNING kind, subject""")
                .execute(Tuple.of(PgTime.of(now)))
                .await()) {
            return Optional.of(row);
        }
        return Optional.empty();
    }

    /** Walks the line for pools while somebody asks for another walk. */
    void walkWhileAnotherIsAskedFor() {
        Held disturbed = new Held(Waitlist.KIND, AlsoWaiting.ALL) {
            @Override
            public Future<Boolean> isAskedAgain() {
                return Future.succeededFuture(true);
            }
        };
        line.begin(disturbed).compose(walk -> walk.rest(NO_RESERVATIONS)).await();
    }

    private static class Held implements DueHandler.Hold {
        private final String kind;
        private final String subject;

        Held(String kind, String subject) {
            this.kind = kind;
            this.subject = subject;
        }

        @Override
        public DueItem item() {
            return new DueItem(kind, subject, Instant.EPOCH, 1, 0, 0);
        }

        @Override
        public Future<Boolean> mayStillSend() {
            return Future.succeededFuture(true);
        }

        @Override
        public Future<Boolean> stands(SqlConnection connection) {
            return Future.succeededFuture(true);
        }
    }
}
