package dev.gpubroker.broker.lease;

import dev.gpubroker.broker.allocation.OwnPool;
import dev.gpubroker.broker.allocation.PoolStore;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Knows where a lease may get its GPUs from: what is paid for already comes first. */
final class LeaseSources {
    private final LeaseStore leases;
    private final PoolStore pools;

    LeaseSources(LeaseStore leases, PoolStore pools) {
        this.leases = leases;
        this.pools = pools;
    }

    /** One look at what teams have; asked several times, it reads once. */
    Look look() {
        return new Look();
    }

    final class Look {
        private final Map<String, Future<List<OwnPool>>> poolsOf = new HashMap<>();
        private final Map<String, Future<List<String>>> sharedOf = new HashMap<>();

        /** The best first; empty while there is none. */
        Future<List<LeaseSource>> of(LeaseWish wish) {
            LeaseTarget target = wish.target();
            if (target.kind() == LeaseTarget.Kind.RESERVATION) {
                return Future.succeededFuture(List.of(LeaseSource.reservation(target.id(), true)));
            }
            Future<List<String>> shared = target.kind() == LeaseTarget.Kind.MODEL
                    ? sharedOf.computeIfAbsent(wish.team(), leases::sharedReservations)
                    : Future.succeededFuture(List.of());
            Future<List<OwnPool>> own = poolsOf.computeIfAbsent(wish.team(), pools::list);
            return Future.all(shared, own).map(both -> {
                List<LeaseSource> sources = new ArrayList<>();
                shared.result().forEach(id -> sources.add(LeaseSource.reservation(id, false)));
                own.result().stream()
                        .filter(pool -> serves(pool, wish))
                        .map(LeaseSource::of)
                        .forEach(sources::add);
                return sources;
            });
        }
    }

    private static boolean serves(OwnPool pool, LeaseWish wish) {
        LeaseTarget target = wish.target();
        boolean meant = target.kind() == LeaseTarget.Kind.POOL
                ? pool.id().equals(target.id())
                : target.models().contains(pool.model());
        return meant && pool.couldLease(wish.gpus());
    }
}
