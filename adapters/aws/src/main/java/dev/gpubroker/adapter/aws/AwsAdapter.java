package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.SupportsLaunch;
import dev.gpubroker.adapter.spi.Tags;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import software.amazon.awssdk.services.ec2.model.CapacityReservation;
import software.amazon.awssdk.services.ec2.model.Instance;

/**
 * EC2 Capacity Blocks. A claim buys a block, which can never be given back; its machines are launched when it is active and
 * terminated at the release. A released block counts as gone once its machines are, or at once if none was ever launched.
 */
final class AwsAdapter implements PlatformAdapter, SupportsLaunch {
    static final String KIND = "block";

    private final AccountSettings settings;
    private final AwsClient client;
    private final Capabilities capabilities;
    private final OfferSearch search;
    private final YoungIds young;

    AwsAdapter(AccountSettings settings, AwsClient client) {
        this.settings = settings;
        this.client = client;
        this.capabilities = AwsShapes.capabilities(settings);
        this.search = new OfferSearch(client);
        this.young = new YoungIds(settings.businessTime(), AwsShapes.SETTLE_WINDOW);
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public Offers offers(OfferQuery query) {
        List<OfferSearch.Question> questions = new ArrayList<>();
        for (String region : settings.regions()) {
            if (query.regions().isEmpty() || query.regions().contains(region)) {
                for (Ask ask : query.asks()) {
                    AwsShapes.of(ask.flavor())
                            .forEach(shape -> questions.add(new OfferSearch.Question(region, shape, ask.nodes())));
                }
            }
        }
        return search.run(questions, query.window(), settings.businessTime().instant());
    }

    /** The fee came with the offering and holds for it: nothing is asked again. */
    @Override
    public List<Price> price(PriceQuery query) {
        Window sold = query.offer().window();
        if (sold == null || AwsMapping.count(query.offer()) != query.nodes()) {
            throw new PlatformFault(
                    PlatformFault.Kind.BAD_REQUEST,
                    "offering " + query.offer().id() + " is not for " + query.nodes() + " machines");
        }
        return List.of(AwsMapping.price(query.offer(), sold, platform(), query.machine()));
    }

    @Override
    public ClaimOutcome claim(ClaimRequest request) {
        if (AwsMapping.count(request.offer()) != request.nodes()) {
            throw new PlatformFault(
                    PlatformFault.Kind.BAD_REQUEST,
                    "offering " + request.offer().id() + " is not for " + request.nodes() + " machines");
        }
        LaunchRequest.check(settings, request.machine());
        Optional<ClaimOutcome> tooExpensive = tooExpensive(request);
        if (tooExpensive.isPresent()) {
            return tooExpensive.get();
        }
        CapacityReservation bought;
        try {
            bought = client.purchase(
                            request.offer().region(),
                            request.offer().id(),
                            platform(),
                            request.installation(),
                            request.key())
                    .capacityReservation();
        } catch (AwsError error) {
            return AwsErrors.outcome(error, request.key());
        }
        if (bought == null || bought.capacityReservationId() == null) {
            return new ClaimOutcome.Unknown(request.key());
        }
        PlatformRef ref = new PlatformRef(request.offer().region(), KIND, List.of(bought.capacityReservationId()));
        young.add(ref.ids());
        Window window = BlockStatus.window(List.of(bought));
        boolean certain = AwsMapping.reservationPhase(bought.stateAsString()) == Phase.SECURED;
        return certain && window != null ? new ClaimOutcome.Claimed(ref, window) : new ClaimOutcome.Accepted(ref);
    }

    private static Optional<ClaimOutcome> tooExpensive(ClaimRequest request) {
        Money most = request.atMost();
        if (most == null) {
            return Optional.empty();
        }
        BigDecimal fee = AwsMapping.fee(request.offer());
        String currency = AwsMapping.currency(request.offer());
        if (fee == null || !most.currency().getCurrencyCode().equals(currency)) {
            return Optional.of(new ClaimOutcome.Refused(
                    Reason.UNKNOWN_PRICE, "the fee cannot be compared with the limit of " + most));
        }
        return fee.compareTo(most.amount()) > 0
                ? Optional.of(new ClaimOutcome.Refused(
                        Reason.TOO_EXPENSIVE, fee.toPlainString() + " " + currency + " is above the limit of " + most))
                : Optional.empty();
    }

    @Override
    public ClaimOutcome launch(PlatformRef bought, ClaimRequest request) {
        String region = bought.region();
        List<String> blocks = BlockStatus.reservations(bought);
        CapacityReservation block;
        try {
            block = client.reservation(region, blocks.get(0)).orElse(null);
        } catch (AwsError error) {
            throw AwsErrors.fault(error); // Only a read so far.
        }
        String state = block == null ? "not known to EC2" : block.stateAsString();
        if (block == null || !"active".equals(state)) {
            return notLaunched(blocks.get(0), String.valueOf(state));
        }
        List<String> machines;
        try {
            machines = client.run(region, LaunchRequest.of(settings, block, request)).stream()
                    .map(Instance::instanceId)
                    .sorted() // The same launch again names them in any order.
                    .toList();
        } catch (AwsError error) {
            return AwsErrors.outcome(error, request.key());
        }
        Window window = BlockStatus.window(List.of(block));
        if (machines.isEmpty() || window == null) {
            return new ClaimOutcome.Unknown(request.key());
        }
        young.add(machines);
        Set<String> ids = new LinkedHashSet<>(blocks);
        ids.addAll(BlockStatus.machines(bought));
        ids.addAll(machines);
        return new ClaimOutcome.Claimed(new PlatformRef(region, KIND, List.copyOf(ids)), window);
    }

    /** A block whose time is still to come is asked again; one that is over or lost is refused. */
    private static ClaimOutcome notLaunched(String id, String state) {
        Phase phase = AwsMapping.reservationPhase(state);
        String detail = "block " + id + " is " + state;
        if (phase == Phase.PENDING || phase == Phase.SECURED || phase == Phase.UNKNOWN) {
            throw new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, detail + ", not active");
        }
        return new ClaimOutcome.Refused(Reason.WINDOW_UNSUPPORTED, detail);
    }

    @Override
    public ClaimStatus status(PlatformRef ref) {
        return read(() -> {
            List<CapacityReservation> reservations = new ArrayList<>();
            BlockStatus.reservations(ref)
                    .forEach(id -> client.reservation(ref.region(), id).ifPresent(reservations::add));
            List<Instance> machines = client.instancesIn(ref.region(), BlockStatus.reservations(ref));
            return status(ref, reservations, machines);
        });
    }

    private BlockStatus.Login login() {
        return new BlockStatus.Login(settings.option("loginUser", "ubuntu"), settings.sshPort());
    }

    private ClaimStatus status(PlatformRef ref, List<CapacityReservation> reservations, List<Instance> machines) {
        return BlockStatus.of(ref, reservations, machines, login(), young::contains);
    }

    @Override
    public Finding find(ClaimKey key) {
        String doubt = null;
        for (String region : settings.regions()) {
            try {
                List<CapacityReservation> reservations = client.reservationsTagged(region, Tags.CLAIM, key.text());
                List<Instance> machines = client.instancesTagged(region, Tags.CLAIM, key.text());
                Optional<PlatformRef> ref = Holdings.ref(region, reservations, machines);
                if (ref.isPresent()) {
                    return new Finding.Found(ref.get(), status(ref.get(), reservations, machines));
                }
            } catch (AwsError error) {
                doubt = region + ": " + error.text();
            }
        }
        return doubt == null ? new Finding.NotListed() : new Finding.CannotTell(doubt);
    }

    @Override
    public List<Holding> list(String installation) {
        return read(() -> {
            List<Holding> holdings = new ArrayList<>();
            for (String region : settings.regions()) {
                holdings.addAll(Holdings.of(
                        region,
                        client.reservationsTagged(region, Tags.INSTALLATION, installation),
                        client.instancesTagged(region, Tags.INSTALLATION, installation)));
            }
            return holdings;
        });
    }

    /** Ends the machines. Nothing can be done about the block: without machines its release is done. */
    @Override
    public ReleaseProgress release(PlatformRef ref) {
        List<Instance> shown = read(() -> client.instancesIn(ref.region(), BlockStatus.reservations(ref)));
        Set<String> unseen = new LinkedHashSet<>(BlockStatus.machines(ref));
        unseen.removeIf(id -> !young.contains(id));
        List<String> ending = new ArrayList<>();
        List<String> live = new ArrayList<>();
        for (Instance machine : shown) {
            String state = AwsMapping.stateOf(machine);
            Phase phase = AwsMapping.instancePhase(state);
            unseen.remove(machine.instanceId());
            if (phase == Phase.ENDING && !"stopped".equals(state)) {
                ending.add(machine.instanceId());
            } else if (phase != Phase.GONE) {
                live.add(machine.instanceId());
            }
        }
        if (live.isEmpty() && unseen.isEmpty()) {
            return ending.isEmpty()
                    ? new ReleaseProgress.Gone()
                    : new ReleaseProgress.InProgress("shutting down: " + String.join(", ", ending));
        }
        try {
            if (!live.isEmpty()) {
                client.terminate(ref.region(), live);
            }
            // One unknown id would spoil the call for all the others.
            unseen.forEach(id -> client.terminate(ref.region(), List.of(id)));
        } catch (AwsError error) {
            return AwsErrors.release(error, settings.businessTime().instant());
        }
        live.addAll(unseen);
        return new ReleaseProgress.InProgress("terminated: " + String.join(", ", live));
    }

    @Override
    public void close() {
        search.close();
        client.close();
    }

    private String platform() {
        return settings.option("platform", AwsMapping.LINUX);
    }

    private static <T> T read(Supplier<T> calls) {
        try {
            return calls.get();
        } catch (AwsError error) {
            throw AwsErrors.fault(error);
        }
    }
}
