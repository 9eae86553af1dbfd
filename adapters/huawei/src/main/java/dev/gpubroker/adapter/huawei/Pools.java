package dev.gpubroker.adapter.huawei;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers.Missing;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Tags;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * ModelArts dedicated pools, one for each claim. A create is only taken on: the pool's phase tells later. They have no timed end. The
 * platform chooses the zone. References are of kind {@code pool} and hold the pool's {@code metadata.name}.
 */
final class Pools {
    static final String POOL = "pool";
    /** Attribute of an offer: what BSS calls the flavor. */
    static final String BILLING_CODE = "billingCode";

    private static final int ON_DEMAND = 0;
    /** Words of {@code status.message} of a pool that found no capacity; unverified, so the flavor's own word counts first. */
    private static final List<String> SHORTAGE = List.of("sold out", "soldout", "insufficient resources", "资源不足", "售罄");

    private final AccountSettings settings;

    Pools(AccountSettings settings) {
        this.settings = settings;
    }

    // ---- offers -----------------------------------------------------------------------------------------

    void offers(HuaweiClient client, List<Shape> wanted, List<Offer> available, List<Missing> missing) {
        Map<String, JsonNode> listed = new HashMap<>();
        client.modelArts()
                .flavors()
                .forEach(flavor -> listed.put(flavor.at("/metadata/name").asText(), flavor));
        for (Shape shape : wanted) {
            JsonNode flavor = listed.get(shape.sku());
            if (flavor == null) {
                missing.add(missing(shape, client.region(), Reason.NOT_OFFERED, "not in the list of flavors"));
            } else if (!sellsOnDemand(flavor)) {
                missing.add(missing(shape, client.region(), Reason.TERM_NOT_OFFERED, "sold by the month only"));
            } else {
                stock(flavor)
                        .ifPresent(stock ->
                                available.add(Offer.now(shape.sku(), shape.flavor(), client.region(), null, stock)
                                        .with(Map.of(
                                                BILLING_CODE,
                                                flavor.at("/spec/billingCode").asText()))));
            }
        }
    }

    /** Empty when every zone is sold out. */
    private static Optional<Stock> stock(JsonNode flavor) {
        JsonNode zones = flavor.at("/status/phase");
        boolean unknown = zones.isEmpty();
        for (JsonNode zone : zones) {
            HuaweiWords.Sale sale = HuaweiWords.sale(zone.asText());
            if (sale == HuaweiWords.Sale.SELLS) {
                return Optional.of(Stock.plenty());
            }
            unknown |= sale != HuaweiWords.Sale.SOLD_OUT;
        }
        return unknown ? Optional.of(Stock.unknown()) : Optional.empty();
    }

    private static boolean sellsOnDemand(JsonNode flavor) {
        JsonNode modes = flavor.at("/spec/billingModes");
        if (modes.isEmpty()) {
            return true; // Not said.
        }
        for (JsonNode mode : modes) {
            if (mode.asInt(-1) == ON_DEMAND) {
                return true;
            }
        }
        return false;
    }

    private static Missing missing(Shape shape, String region, Reason reason, String detail) {
        return new Missing(shape.sku(), shape.flavor(), region, reason, detail, null);
    }

    // ---- claim and status -------------------------------------------------------------------------------

    ClaimOutcome claim(HuaweiClient client, ClaimRequest request) {
        MachineSpec machine = request.machine();
        if (machine.dataDiskGb() > 0 || machine.publicIp() || machine.image() != null) {
            return new ClaimOutcome.Refused(
                    Reason.NOT_OFFERED, "a ModelArts pool takes no data disk, public address or image of its own");
        }
        ServerRequest.BOOT_LIMIT.check(
                machine); // For pools none is published; that of servers is what plans are made with.
        JsonNode created;
        try {
            created = client.modelArts().createPool(order(request));
        } catch (WireFault fault) {
            return HuaweiMapping.claim(fault, request.key());
        }
        String id = created.at("/metadata/name").asText("");
        return id.isEmpty()
                ? new ClaimOutcome.Unknown(request.key())
                : new ClaimOutcome.Accepted(new PlatformRef(client.region(), POOL, List.of(id)));
    }

    private ObjectNode order(ClaimRequest request) {
        String network = settings.option("networkName", "");
        if (network.isBlank()) {
            throw new PlatformFault(
                    PlatformFault.Kind.BAD_REQUEST,
                    "account " + settings.id()
                            + " lacks the option 'networkName', without which no pool can be ordered");
        }
        ObjectNode pool =
                JsonNodeFactory.instance.objectNode().put("apiVersion", "v2").put("kind", "Pool");
        ObjectNode metadata = pool.putObject("metadata");
        metadata.putObject("labels")
                .put("os.modelarts/name", PoolName.of(request.key()))
                .put("os.modelarts/workspace.id", "0");
        metadata.putObject("annotations")
                .put("os.modelarts/description", PoolName.description(request.installation(), request.key()))
                .put("os.modelarts/billing.mode", String.valueOf(ON_DEMAND));
        ObjectNode spec = pool.putObject("spec").put("type", "Dedicate");
        spec.putArray("scope").add("Train");
        spec.putObject("network").put("name", network);
        ObjectNode resource = spec.putArray("resources")
                .addObject()
                .put("flavor", request.offer().sku())
                .put("count", request.nodes())
                .put("maxCount", request.nodes());
        String script = request.machine().startupScript();
        if (script != null) {
            resource.putObject("extendParams")
                    .put("postInstall", Base64.getEncoder().encodeToString(script.getBytes(StandardCharsets.UTF_8)));
        }
        return pool;
    }

    ClaimStatus status(HuaweiClient client, PlatformRef ref) {
        String id = ref.ids().get(0);
        Optional<JsonNode> pool = client.modelArts().pool(id);
        if (pool.isPresent()) {
            return status(client, pool.get());
        }
        // A pool that could not be made is kept as a record of its own for three days.
        return client.modelArts().pools("failed").stream()
                .filter(record -> id(record).equals(id))
                .findFirst()
                .map(record -> failed(client, record))
                .orElseGet(() -> new ClaimStatus(Phase.GONE, null, List.of(), "not found"));
    }

    private static ClaimStatus status(HuaweiClient client, JsonNode pool) {
        String word = phase(pool);
        Phase phase = HuaweiWords.pool(word);
        if (phase == Phase.FAILED) {
            return failed(client, pool);
        }
        if (phase != Phase.RUNNING) {
            return new ClaimStatus(phase, null, List.of(), words(pool));
        }
        List<ClaimStatus.Machine> machines = new ArrayList<>();
        for (JsonNode node : client.modelArts().nodes(id(pool))) {
            Phase of = HuaweiWords.node(node.at("/status/phase").asText());
            machines.add(new ClaimStatus.Machine(node.at("/metadata/name").asText(), of, null, null));
        }
        int wanted = pool.at("/spec/resources/0/count").asInt(1);
        Phase together = machines.size() < wanted
                ? Phase.STARTING
                : HuaweiWords.together(
                        machines.stream().map(ClaimStatus.Machine::phase).toList());
        return new ClaimStatus(together, null, machines, words(pool));
    }

    /** A code for "no capacity" is not published: what counts is the flavor's own word now, and the pool's message. */
    private static ClaimStatus failed(HuaweiClient client, JsonNode pool) {
        String message = pool.at("/status/message").asText("");
        String flavor = pool.at("/spec/resources/0/flavor").asText();
        Reason reason = saysShortage(message) || isSoldOut(client, flavor) ? Reason.SOLD_OUT : Reason.REFUSED_UNKNOWN;
        return new ClaimStatus(
                Phase.FAILED,
                null,
                List.of(new ClaimStatus.Machine(id(pool), Phase.FAILED, null, reason)),
                words(pool));
    }

    private static boolean saysShortage(String message) {
        String lower = message.toLowerCase(Locale.ROOT);
        return SHORTAGE.stream().anyMatch(lower::contains);
    }

    private static boolean isSoldOut(HuaweiClient client, String flavor) {
        return client.modelArts().flavors().stream()
                .filter(listed -> listed.at("/metadata/name").asText().equals(flavor))
                .anyMatch(listed -> stock(listed).isEmpty());
    }

    // ---- look -------------------------------------------------------------------------------------------

    Optional<Finding.Found> find(HuaweiClient client, ClaimKey key) {
        for (JsonNode pool : all(client)) {
            if (PoolName.of(key).equals(name(pool)) || key.equals(PoolName.key(description(pool)))) {
                PlatformRef ref = new PlatformRef(client.region(), POOL, List.of(id(pool)));
                Phase phase = HuaweiWords.pool(phase(pool));
                return Optional.of(new Finding.Found(ref, new ClaimStatus(phase, null, List.of(), words(pool))));
            }
        }
        return Optional.empty();
    }

    List<Holding> list(HuaweiClient client, String installation) {
        List<Holding> holdings = new ArrayList<>();
        for (JsonNode pool : all(client)) {
            if (installation.equals(PoolName.mark(description(pool), Tags.INSTALLATION))) {
                holdings.add(new Holding(
                        new PlatformRef(client.region(), POOL, List.of(id(pool))),
                        PoolName.key(description(pool)),
                        created(pool),
                        HuaweiWords.pool(phase(pool))));
            }
        }
        return holdings;
    }

    /** What the platform lists by default, and what it is making: whether the first holds the second is not written. */
    private static Iterable<JsonNode> all(HuaweiClient client) {
        Map<String, JsonNode> pools = new LinkedHashMap<>();
        client.modelArts().pools("creating").forEach(pool -> pools.put(id(pool), pool));
        client.modelArts().pools(null).forEach(pool -> pools.put(id(pool), pool));
        return pools.values();
    }

    // ---- give back --------------------------------------------------------------------------------------

    ReleaseProgress release(HuaweiClient client, PlatformRef ref) {
        String id = ref.ids().get(0);
        try {
            Optional<JsonNode> pool = client.modelArts().pool(id);
            if (pool.isEmpty()) {
                return new ReleaseProgress.Gone();
            }
            if (HuaweiWords.pool(phase(pool.get())) != Phase.ENDING) {
                client.modelArts().deletePool(id);
            }
            return new ReleaseProgress.InProgress("deleting the pool");
        } catch (WireFault fault) {
            return HuaweiMapping.isAbsent(fault)
                    ? new ReleaseProgress.Gone()
                    : HuaweiMapping.release(fault, settings.businessTime().instant());
        }
    }

    private static String id(JsonNode pool) {
        String id = pool.at("/metadata/name").asText("");
        if (id.isEmpty()) {
            throw WireFault.unreadable(200, "a pool without a name");
        }
        return id;
    }

    private static String name(JsonNode pool) {
        return pool.at("/metadata/labels").path("os.modelarts/name").asText("");
    }

    private static String description(JsonNode pool) {
        return pool.at("/metadata/annotations").path("os.modelarts/description").asText("");
    }

    private static String phase(JsonNode pool) {
        return pool.at("/status/phase").asText("");
    }

    private static String words(JsonNode pool) {
        @Nullable String message = pool.at("/status/message").asText("");
        return message.isEmpty() ? "pool " + phase(pool) : "pool " + phase(pool) + ": " + message;
    }

    private static Instant created(JsonNode pool) {
        try {
            return Instant.parse(pool.at("/metadata/creationTimestamp").asText());
        } catch (java.time.DateTimeException unreadable) {
            throw WireFault.unreadable(200, "a pool without the time of its creation");
        }
    }
}
