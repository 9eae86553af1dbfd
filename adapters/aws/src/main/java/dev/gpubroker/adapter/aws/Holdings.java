package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Tags;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.ec2.model.CapacityReservation;
import software.amazon.awssdk.services.ec2.model.Instance;
import software.amazon.awssdk.services.ec2.model.Tag;

/**
 * What an account holds, from two lists. A block counts while machines run in it or as long as none was launched; a machine
 * counts even if its block has dropped out of the list.
 */
final class Holdings {
    private Holdings() {}

    /** One reference for all that was found under one key; reservations that are over are named only if nothing else is left. */
    static Optional<PlatformRef> ref(String region, List<CapacityReservation> reservations, List<Instance> machines) {
        Set<String> open = new LinkedHashSet<>();
        Set<String> over = new LinkedHashSet<>();
        for (CapacityReservation one : reservations) {
            Phase phase = AwsMapping.reservationPhase(one.stateAsString());
            (phase == Phase.GONE || phase == Phase.FAILED ? over : open).add(one.capacityReservationId());
        }
        Set<String> launched = new LinkedHashSet<>();
        machines.forEach(machine -> {
            launched.add(machine.instanceId());
            if (machine.capacityReservationId() != null) {
                open.add(machine.capacityReservationId());
            }
        });
        List<String> ids = new ArrayList<>(open.isEmpty() ? over : open);
        ids.addAll(launched);
        return ids.isEmpty() ? Optional.empty() : Optional.of(new PlatformRef(region, AwsAdapter.KIND, ids));
    }

    static List<Holding> of(String region, List<CapacityReservation> reservations, List<Instance> machines) {
        Map<String, List<Instance>> inBlock = new LinkedHashMap<>();
        machines.forEach(machine -> inBlock.computeIfAbsent(
                        Objects.requireNonNullElse(machine.capacityReservationId(), machine.instanceId()),
                        block -> new ArrayList<>())
                .add(machine));
        List<Holding> holdings = new ArrayList<>();
        for (CapacityReservation one : reservations) {
            List<Instance> launched =
                    Objects.requireNonNullElse(inBlock.remove(one.capacityReservationId()), List.of());
            add(holdings, region, List.of(one), launched, key(one.tags()), one.createDate());
        }
        for (List<Instance> launched : inBlock.values()) {
            Instance first = launched.get(0);
            add(holdings, region, List.of(), launched, key(first.tags()), first.launchTime());
        }
        return holdings;
    }

    private static void add(
            List<Holding> holdings,
            String region,
            List<CapacityReservation> reservations,
            List<Instance> launched,
            @Nullable ClaimKey key,
            @Nullable Instant createdAt) {
        ref(region, reservations, launched).ifPresent(ref -> {
            ClaimStatus status =
                    BlockStatus.of(ref, reservations, launched, new BlockStatus.Login("", 22), id -> false);
            boolean lost = status.phase() == Phase.FAILED;
            if (status.phase() != Phase.GONE && !lost) {
                holdings.add(
                        new Holding(ref, key, Objects.requireNonNullElse(createdAt, Instant.EPOCH), status.phase()));
            }
        });
    }

    private static @Nullable ClaimKey key(List<Tag> tags) {
        return tags.stream()
                .filter(tag -> Tags.CLAIM.equals(tag.key()))
                .map(Tag::value)
                .findFirst()
                .flatMap(Holdings::readable)
                .orElse(null);
    }

    private static Optional<ClaimKey> readable(@Nullable String text) {
        try {
            return text == null ? Optional.empty() : Optional.of(new ClaimKey(text));
        } catch (IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }
}
