package dev.gpubroker.broker.allocation;

import dev.gpubroker.broker.allocation.OutageEffects.Effect;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /v1/pools/…/outages}. */
public final class OutageRoutes implements Routes {
    private final OutageService outages;
    private final ZoneId zone;

    /** @param zone in which times are shown */
    public OutageRoutes(OutageService outages, ZoneId zone) {
        this.outages = outages;
        this.zone = zone;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listOutages", this::listOutages)
                .on("declareOutage", this::declareOutage)
                .on("endOutage", this::endOutage);
    }

    private Future<ApiReply> listOutages(ApiRequest request) {
        return outages.list(request.caller(), request.path("id"), request.queryTime("since", zone))
                .map(found -> ApiReply.ok(Map.of(
                        "items",
                        found.stream().map(each -> json(each, List.of())).toList())));
    }

    private Future<ApiReply> declareOutage(ApiRequest request) {
        String pool = request.path("id");
        return outages.declare(
                request.caller(),
                pool,
                request.bodyAs(OutageBody.class),
                request.ticket(),
                (outage, effects) -> ApiReply.json(201, json(outage, effects)));
    }

    private Future<ApiReply> endOutage(ApiRequest request) {
        return outages.end(
                request.caller(),
                request.path("id"),
                request.path("outageId"),
                request.ticket(),
                (outage, effects) -> ApiReply.ok(json(outage, effects)));
    }

    private OutageJson json(Outage outage, List<Effect> effects) {
        return new OutageJson(
                outage.id(),
                outage.node(),
                outage.gpus(),
                time(outage.start()),
                timeOrNull(outage.end()),
                outage.reason(),
                outage.declaredBy(),
                time(outage.createdAt()),
                timeOrNull(outage.endedAt()),
                effects.stream()
                        .map(each -> new EffectJson(
                                each.reservationId(), each.title(), each.kind().wireName()))
                        .toList());
    }

    private record OutageJson(
            String id,
            String node,
            List<Integer> gpus,
            OffsetDateTime start,
            @Nullable OffsetDateTime end,
            String reason,
            String declaredBy,
            OffsetDateTime createdAt,
            @Nullable OffsetDateTime endedAt,
            List<EffectJson> reservations) {}

    private record EffectJson(String reservation, @Nullable String title, String effect) {}

    private OffsetDateTime time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).atZone(zone).toOffsetDateTime();
    }

    private @Nullable OffsetDateTime timeOrNull(@Nullable Instant instant) {
        return instant == null ? null : time(instant);
    }
}
