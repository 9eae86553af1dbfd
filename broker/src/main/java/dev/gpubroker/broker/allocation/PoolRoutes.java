package dev.gpubroker.broker.allocation;

import static java.util.Objects.requireNonNull;

import dev.gpubroker.broker.allocation.PoolStore.InTheWay;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** {@code /v1/pools}. */
public final class PoolRoutes implements Routes {
    private final PoolService pools;
    private final ZoneId zone;

    /** @param zone in which times are shown, since these calls name none */
    public PoolRoutes(PoolService pools, ZoneId zone) {
        this.pools = requireNonNull(pools, "pools");
        this.zone = requireNonNull(zone, "zone");
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listPools", this::listPools)
                .on("createPool", this::createPool)
                .on("readPool", this::readPool)
                .on("deletePool", this::deletePool);
    }

    private Future<ApiReply> listPools(ApiRequest request) {
        return pools.list(request.caller())
                .map(all ->
                        ApiReply.ok(Map.of("items", all.stream().map(this::json).toList())));
    }

    private Future<ApiReply> createPool(ApiRequest request) {
        return pools.create(
                request.caller(),
                request.bodyAs(PoolBody.class),
                request.ticket(),
                pool -> ApiReply.created("/v1/pools/" + pool.id(), json(pool)));
    }

    private Future<ApiReply> readPool(ApiRequest request) {
        return pools.read(request.caller(), request.path("id")).map(pool -> ApiReply.ok(json(pool)));
    }

    private Future<ApiReply> deletePool(ApiRequest request) {
        return pools.delete(
                request.caller(),
                request.path("id"),
                request.ticket(),
                booked -> booked.stream().map(this::json).toList());
    }

    private PoolJson json(OwnPool pool) {
        return new PoolJson(
                pool.id(),
                pool.name(),
                pool.model(),
                pool.gpusPerNode(),
                pool.nodes(),
                pool.turnaround().toString(),
                pool.readiness(),
                time(pool.createdAt()));
    }

    private record PoolJson(
            String id,
            String name,
            String model,
            int gpusPerNode,
            List<OwnPool.Node> nodes,
            String turnaround,
            String readiness,
            OffsetDateTime createdAt) {}

    private Map<String, Object> json(InTheWay booked) {
        Map<String, Object> conflict = new LinkedHashMap<>();
        putIfThere(conflict, "reservation", booked.reservationId());
        putIfThere(conflict, "title", booked.title());
        conflict.put("node", booked.node());
        conflict.put(
                "gpus",
                IntStream.range(booked.firstGpu(), booked.firstGpu() + booked.gpus())
                        .boxed()
                        .toList());
        conflict.put("start", time(booked.start()));
        conflict.put("end", time(booked.end()));
        return conflict;
    }

    private static void putIfThere(Map<String, Object> json, String member, @Nullable Object value) {
        if (value != null) {
            json.put(member, value);
        }
    }

    private OffsetDateTime time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).atZone(zone).toOffsetDateTime();
    }
}
