package dev.gpubroker.adapter.huawei;

import com.huaweicloud.sdk.ecs.v2.model.CreatePostPaidServersResponse;
import com.huaweicloud.sdk.ecs.v2.model.FlavorExtraSpec;
import com.huaweicloud.sdk.ecs.v2.model.ServerAddress;
import com.huaweicloud.sdk.ecs.v2.model.ServerDetail;
import com.huaweicloud.sdk.ecs.v2.model.ShowJobResponse;
import com.huaweicloud.sdk.ecs.v2.model.SubJob;
import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers.Missing;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Tags;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * ECS servers. A create is only taken on: its job tells whether there was capacity. A reference of kind {@code job} holds the job's id
 * and then the servers'; one of kind {@code claim}, made where only the key was known, holds the key and then the servers seen so far, and
 * is looked up by the key again each time, because the rest of a batch may show up later. Kind {@code server} is a server whose key cannot
 * be read.
 */
final class Servers {
    static final String JOB = "job";
    static final String CLAIM = "claim";
    static final String SERVER = "server";

    private final AccountSettings settings;
    private final ServerRequest orders;

    Servers(AccountSettings settings) {
        this.settings = settings;
        this.orders = new ServerRequest(settings);
    }

    // ---- offers -----------------------------------------------------------------------------------------

    void offers(HuaweiClient client, List<Shape> wanted, List<Offer> available, List<Missing> missing) {
        Map<String, FlavorExtraSpec> listed = new HashMap<>();
        client.flavors(wanted.size() == 1 ? wanted.get(0).sku() : null)
                .forEach(flavor -> listed.put(
                        flavor.getId(),
                        flavor.getOsExtraSpecs() == null ? new FlavorExtraSpec() : flavor.getOsExtraSpecs()));
        for (Shape shape : wanted) {
            FlavorExtraSpec spec = listed.get(shape.sku());
            if (spec == null) {
                missing.add(missing(shape, client.region(), Reason.NOT_OFFERED, "not in the list of flavors"));
            } else if ("period".equals(spec.getCondOperationCharge())) {
                missing.add(missing(shape, client.region(), Reason.TERM_NOT_OFFERED, "sold by the month only"));
            } else {
                offer(client.region(), shape, spec, available, missing);
            }
        }
    }

    private static void offer(
            String region, Shape shape, FlavorExtraSpec spec, List<Offer> available, List<Missing> missing) {
        HuaweiWords.Sale inRegion = HuaweiWords.sale(spec.getCondOperationStatus());
        Map<String, HuaweiWords.Sale> zones = HuaweiWords.zones(spec.getCondOperationAz());
        Set<HuaweiWords.Sale> sales = new LinkedHashSet<>(zones.values());
        boolean offered = false;
        for (Map.Entry<String, HuaweiWords.Sale> zone : zones.entrySet()) {
            offered |= offerIn(region, zone.getKey(), zone.getValue(), shape, available);
        }
        if (!offered && zones.isEmpty()) {
            offered = offerIn(region, null, inRegion, shape, available);
        } else if (!offered && inRegion == HuaweiWords.Sale.SELLS) {
            // A zone that is not listed has the region's word, but which zones there are is not said.
            offered = available.add(Offer.now(shape.sku(), shape.flavor(), region, null, Stock.unknown()));
        }
        sales.add(inRegion);
        if (offered || sales.contains(HuaweiWords.Sale.SOLD_OUT)) {
            return; // What is in neither list is sold out.
        }
        boolean toApplyFor = sales.contains(HuaweiWords.Sale.ON_APPLICATION);
        missing.add(
                toApplyFor
                        ? missing(shape, region, Reason.NOT_ELIGIBLE, "obt: open test, to be applied for")
                        : missing(shape, region, Reason.NOT_OFFERED, "abandon: taken off the shelf"));
    }

    private static boolean offerIn(
            String region, @Nullable String zone, HuaweiWords.Sale sale, Shape shape, List<Offer> available) {
        if (sale != HuaweiWords.Sale.SELLS && sale != HuaweiWords.Sale.UNKNOWN) {
            return false;
        }
        Stock stock = sale == HuaweiWords.Sale.SELLS ? Stock.plenty() : Stock.unknown();
        return available.add(Offer.now(shape.sku(), shape.flavor(), region, zone, stock));
    }

    private static Missing missing(Shape shape, String region, Reason reason, String detail) {
        return new Missing(shape.sku(), shape.flavor(), region, reason, detail, null);
    }

    // ---- claim and status -------------------------------------------------------------------------------

    ClaimOutcome claim(HuaweiClient client, ClaimRequest request) {
        CreatePostPaidServersResponse created;
        try {
            created = client.createServers(request.key().token().toString(), orders.of(request));
        } catch (WireFault fault) {
            return HuaweiMapping.claim(fault, request.key());
        }
        boolean named = created.getJobId() != null
                && !created.getJobId().isBlank()
                && created.getServerIds() != null
                && !created.getServerIds().isEmpty();
        if (!named) {
            return new ClaimOutcome.Unknown(
                    request.key()); // The job is forgotten after a day; the servers must be known.
        }
        List<String> ids = new ArrayList<>(List.of(created.getJobId()));
        ids.addAll(created.getServerIds());
        return new ClaimOutcome.Accepted(new PlatformRef(client.region(), JOB, ids));
    }

    ClaimStatus status(HuaweiClient client, PlatformRef ref) {
        ShowJobResponse job = job(client, ref);
        if (job == null) {
            return status(knownIds(ref), existing(client, ref, null), ref.kind().equals(JOB));
        }
        List<String> ids = ids(ref, job);
        String word = job.getStatus().getValue();
        return switch (word) {
            case "SUCCESS" -> status(ids, existing(client, ref, job), true);
            case "FAIL" -> failed(job, ids);
            case "INIT", "RUNNING" -> every(ids, Phase.PENDING, "job " + word);
            default -> every(ids, Phase.UNKNOWN, "job " + word);
        };
    }

    private static ClaimStatus every(List<String> ids, Phase phase, String detail) {
        return new ClaimStatus(
                phase,
                null,
                ids.stream()
                        .map(id -> new ClaimStatus.Machine(id, phase, null, null))
                        .toList(),
                detail);
    }

    /** Some of a batch may have come up; all of it is for {@code release} to give back. */
    private static ClaimStatus failed(ShowJobResponse job, List<String> ids) {
        Map<String, Reason> failures = new HashMap<>();
        Reason first = reason(job.getErrorCode(), job.getFailReason());
        String detail = words(job.getErrorCode(), job.getFailReason());
        for (SubJob part : parts(job)) {
            if (part.getStatus() != null && part.getStatus().getValue().equals("FAIL")) {
                Reason reason = reason(part.getErrorCode(), part.getFailReason());
                if (part.getEntities() != null && part.getEntities().getServerId() != null) {
                    failures.put(part.getEntities().getServerId(), reason);
                }
                if (first == Reason.REFUSED_UNKNOWN) {
                    first = reason;
                    detail = words(part.getErrorCode(), part.getFailReason());
                }
            }
        }
        List<ClaimStatus.Machine> machines = new ArrayList<>();
        for (String id : ids) {
            Reason reason = failures.isEmpty() ? first : failures.get(id);
            Phase phase = reason == null ? Phase.UNKNOWN : Phase.FAILED;
            machines.add(new ClaimStatus.Machine(id, phase, null, reason));
        }
        if (machines.stream().allMatch(machine -> machine.failure() == null)) {
            machines.add(new ClaimStatus.Machine(job.getJobId(), Phase.FAILED, null, first));
        }
        return new ClaimStatus(Phase.FAILED, null, machines, "job FAIL " + detail);
    }

    private static Reason reason(@Nullable String code, @Nullable String text) {
        if (code != null && HuaweiMapping.reason(code) != Reason.REFUSED_UNKNOWN) {
            return HuaweiMapping.reason(code);
        }
        // A job may hold the code of its part only inside the text.
        return text != null && text.contains("Ecs.0319") ? Reason.SOLD_OUT : Reason.REFUSED_UNKNOWN;
    }

    private static String words(@Nullable String code, @Nullable String text) {
        return (code == null ? "" : code) + ": " + (text == null ? "" : text);
    }

    /** @param certain whether the job has succeeded, or ended so long ago that it is forgotten */
    private ClaimStatus status(List<String> ids, List<ServerDetail> existing, boolean certain) {
        Map<String, ServerDetail> byId = new HashMap<>();
        existing.forEach(server -> byId.put(server.getId(), server));
        Set<String> all = new LinkedHashSet<>(ids);
        all.addAll(byId.keySet());
        List<ClaimStatus.Machine> machines = new ArrayList<>();
        List<String> words = new ArrayList<>();
        for (String id : all) {
            ServerDetail server = byId.get(id);
            if (server == null) {
                machines.add(new ClaimStatus.Machine(id, Phase.GONE, null, null));
                words.add("not listed");
            } else {
                Phase phase = HuaweiWords.server(server.getStatus(), server.getOsEXTSTSTaskState(), certain);
                Reason failure = phase == Phase.FAILED ? Reason.REFUSED_UNKNOWN : null;
                machines.add(new ClaimStatus.Machine(id, phase, endpoint(server), failure));
                words.add(server.getStatus());
            }
        }
        List<Phase> phases = machines.stream().map(ClaimStatus.Machine::phase).toList();
        return new ClaimStatus(HuaweiWords.together(phases), null, machines, String.join(", ", words));
    }

    /** The public address if there is one, else the private one. */
    private ClaimStatus.@Nullable Endpoint endpoint(ServerDetail server) {
        if (server.getAddresses() == null) {
            return null;
        }
        String host = null;
        for (List<ServerAddress> addresses : server.getAddresses().values()) {
            for (ServerAddress address : addresses) {
                boolean floating = address.getOsEXTIPSType() != null
                        && address.getOsEXTIPSType().getValue().equals("floating");
                if (floating || host == null) {
                    host = address.getAddr();
                }
            }
        }
        return host == null
                ? null
                : new ClaimStatus.Endpoint(host, settings.sshPort(), settings.option("sshUser", "root"));
    }

    // ---- look -------------------------------------------------------------------------------------------

    Optional<Finding.Found> find(HuaweiClient client, ClaimKey key) {
        List<ServerDetail> ours = bearing(client, key);
        return ours.isEmpty()
                ? Optional.empty()
                : Optional.of(new Finding.Found(reference(client.region(), key, ours), status(List.of(), ours, false)));
    }

    private static List<ServerDetail> bearing(HuaweiClient client, ClaimKey key) {
        return client.allServers().stream()
                .filter(server -> ServerRequest.bears(key, server.getName(), server.getTags()))
                .toList();
    }

    private static PlatformRef reference(String region, @Nullable ClaimKey key, List<ServerDetail> servers) {
        List<String> ids = new ArrayList<>();
        if (key != null) {
            ids.add(key.text());
        }
        servers.forEach(server -> ids.add(server.getId()));
        return new PlatformRef(region, key == null ? SERVER : CLAIM, ids);
    }

    /** One holding for each claim. */
    List<Holding> list(HuaweiClient client, String installation) {
        Map<String, List<ServerDetail>> claims = new LinkedHashMap<>();
        for (ServerDetail server : client.allServers()) {
            if (installation.equals(ServerRequest.tag(server.getTags(), Tags.INSTALLATION))) {
                ClaimKey key = ServerRequest.key(server.getTags());
                claims.computeIfAbsent(key == null ? server.getId() : key.text(), claim -> new ArrayList<>())
                        .add(server);
            }
        }
        return claims.values().stream()
                .map(servers -> holding(client.region(), servers))
                .toList();
    }

    private Holding holding(String region, List<ServerDetail> servers) {
        ClaimKey key = ServerRequest.key(servers.get(0).getTags());
        return new Holding(
                reference(region, key, servers),
                key,
                created(servers.get(0)),
                status(List.of(), servers, false).phase());
    }

    private static Instant created(ServerDetail server) {
        if (server.getCreated() == null) {
            throw WireFault.unreadable(200, "a server without the time of its creation");
        }
        return Instant.parse(server.getCreated());
    }

    // ---- give back --------------------------------------------------------------------------------------

    ReleaseProgress release(HuaweiClient client, PlatformRef ref) {
        try {
            ShowJobResponse job = job(client, ref);
            List<ServerDetail> existing = existing(client, ref, job);
            List<String> doomed = existing.stream()
                    .filter(server -> !"deleting".equals(server.getOsEXTSTSTaskState()))
                    .map(ServerDetail::getId)
                    .toList();
            if (!doomed.isEmpty()) {
                client.deleteServers(doomed);
                return new ReleaseProgress.InProgress("deleting " + doomed.size() + " servers");
            }
            if (!existing.isEmpty()) {
                return new ReleaseProgress.InProgress("deleting");
            }
            String word = job == null ? "forgotten" : job.getStatus().getValue();
            boolean over = Set.of("forgotten", "SUCCESS", "FAIL").contains(word);
            return over ? new ReleaseProgress.Gone() : new ReleaseProgress.InProgress("the job is " + word);
        } catch (WireFault fault) {
            return HuaweiMapping.release(fault, settings.businessTime().instant());
        }
    }

    void moveEnd(HuaweiClient client, PlatformRef ref, Instant end) {
        for (ServerDetail server : existing(client, ref, job(client, ref))) {
            client.moveEnd(server.getId(), ServerRequest.minute(end));
        }
    }

    private static @Nullable ShowJobResponse job(HuaweiClient client, PlatformRef ref) {
        return ref.kind().equals(JOB) ? client.job(ref.ids().get(0)) : null;
    }

    private static List<ServerDetail> existing(HuaweiClient client, PlatformRef ref, @Nullable ShowJobResponse job) {
        return ref.kind().equals(CLAIM)
                ? bearing(client, new ClaimKey(ref.ids().get(0)))
                : client.servers(job == null ? knownIds(ref) : ids(ref, job));
    }

    /** The servers that the reference names. */
    private static List<String> knownIds(PlatformRef ref) {
        return ref.kind().equals(SERVER)
                ? ref.ids()
                : ref.ids().subList(1, ref.ids().size());
    }

    /** The servers that the create promised, and those that the job names. */
    private static List<String> ids(PlatformRef ref, ShowJobResponse job) {
        Set<String> ids = new LinkedHashSet<>(knownIds(ref));
        for (SubJob part : parts(job)) {
            if (part.getEntities() != null && part.getEntities().getServerId() != null) {
                ids.add(part.getEntities().getServerId());
            }
        }
        // The job of a single server may name it without sub-jobs.
        if (job.getEntities() != null && job.getEntities().getServerId() != null) {
            ids.add(job.getEntities().getServerId());
        }
        return List.copyOf(ids);
    }

    private static List<SubJob> parts(ShowJobResponse job) {
        return job.getEntities() == null || job.getEntities().getSubJobs() == null
                ? List.of()
                : job.getEntities().getSubJobs();
    }
}
