package dev.gpubroker.broker.lease;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.allocation.LeaseAllocations.Host;
import dev.gpubroker.broker.http.ApiJson;
import dev.gpubroker.broker.request.RequestJson;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lease as the API shows it. */
final class LeaseJson {
    private final Access access;
    private final ZoneId zone;
    private final InstantSource clock;

    LeaseJson(Access access, ZoneId zone, InstantSource clock) {
        this.access = access;
        this.zone = zone;
        this.clock = clock;
    }

    /**
     * @param hosts of a lease that holds or held something
     * @param position of one that waits
     */
    ObjectNode of(Lease lease, List<Host> hosts, int position) {
        LeaseWish wish = lease.wish();
        LeaseLife life = lease.life();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", lease.id());
        json.put("state", lease.state().wireName());
        json.put("why", life.why());
        json.put("team", wish.team());
        json.put("owner", wish.owner());
        json.put("title", wish.title());
        json.putObject("target")
                .put(wish.target().kind().wireName(), wish.target().name());
        json.put("gpus", wish.gpus());
        json.put("ttl", wish.ttl().toString());
        json.put("maxDuration", wish.maxDuration().toString());
        json.put("maxWait", wish.maxWait().toString());
        if (lease.state() == LeaseState.QUEUED) {
            json.putObject("waitlist").put("position", position).put("eta", "unknown");
        } else {
            json.putNull("waitlist");
        }
        json.put("reservation", life.reservation());
        if (lease.state().holds()) {
            json.putObject("access")
                    .set(
                            "hosts",
                            ApiJson.mapper()
                                    .valueToTree(hosts.stream().map(access::of).toList()));
        } else {
            json.putNull("access");
        }
        json.put("createdAt", time(lease.joinedAt()));
        json.put("waitsUntil", time(lease.waitsUntil()));
        json.put("heldAt", time(life.heldAt()));
        json.put("lastHeartbeatAt", time(life.heartbeatAt()));
        json.put("endsAt", time(life.endsAt()));
        json.put("endsIn", lease.state().holds() ? left(life.endsAt()) : null);
        json.put("endedAt", time(life.endedAt()));
        return json;
    }

    private @Nullable String time(@Nullable Instant instant) {
        return instant == null ? null : RequestJson.time(instant, zone);
    }

    /** As a duration, because the job's clock may be wrong. */
    private @Nullable String left(@Nullable Instant end) {
        if (end == null) {
            return null;
        }
        Duration left = Duration.between(clock.instant(), end);
        return (left.isNegative() ? Duration.ZERO : left)
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
    }
}
