package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Window;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.ec2.model.CapacityReservation;
import software.amazon.awssdk.services.ec2.model.Instance;

/**
 * How a claim stands: its reservations and the machines launched into them, taken together. A reference holds reservation
 * ids ({@code cr-…}) first and machine ids ({@code i-…}) after them; a claim that was made twice has two reservations.
 */
final class BlockStatus {
    /** From the least advanced on. */
    private static final List<Phase> ORDER = List.of(
            Phase.UNKNOWN,
            Phase.PENDING,
            Phase.SECURED,
            Phase.STARTING,
            Phase.RUNNING,
            Phase.ENDING,
            Phase.FAILED,
            Phase.GONE);

    /** How the account's image lets people in. */
    record Login(String user, int port) {}

    private BlockStatus() {}

    static List<String> reservations(PlatformRef ref) {
        return ref.ids().stream().filter(id -> id.startsWith("cr-")).toList();
    }

    static List<String> machines(PlatformRef ref) {
        return ref.ids().stream().filter(id -> id.startsWith("i-")).toList();
    }

    /**
     * @param reservations those of the reference that EC2 knows
     * @param machines those that EC2 shows in these reservations
     * @param isYoung whether an id is so new that EC2 may not show it yet
     */
    static ClaimStatus of(
            PlatformRef ref,
            List<CapacityReservation> reservations,
            List<Instance> machines,
            Login login,
            Predicate<String> isYoung) {
        List<ClaimStatus.Machine> ours = machines(ref, machines, login, isYoung);
        List<String> words = new ArrayList<>();
        reservations.forEach(one -> words.add(one.capacityReservationId() + " " + one.stateAsString()));
        machines.forEach(one -> words.add(one.instanceId() + " " + AwsMapping.stateOf(one)));
        Set<String> absent = new LinkedHashSet<>(reservations(ref));
        reservations.forEach(one -> absent.remove(one.capacityReservationId()));
        absent.forEach(id -> words.add(id + " not known to EC2"));
        return new ClaimStatus(
                phase(ours, reservations, absent, isYoung), window(reservations), ours, String.join(", ", words));
    }

    private static Phase phase(
            List<ClaimStatus.Machine> machines,
            List<CapacityReservation> reservations,
            Set<String> absent,
            Predicate<String> isYoung) {
        List<Phase> live = machines.stream()
                .map(ClaimStatus.Machine::phase)
                .filter(phase -> phase != Phase.GONE)
                .toList();
        if (!live.isEmpty()) {
            return least(live);
        }
        if (!machines.isEmpty()) {
            return Phase.GONE; // They ran and are gone; what is left of the window cannot be given back.
        }
        List<Phase> phases = new ArrayList<>();
        reservations.forEach(one -> phases.add(AwsMapping.reservationPhase(one.stateAsString())));
        absent.forEach(id -> phases.add(isYoung.test(id) ? Phase.UNKNOWN : Phase.GONE));
        return least(phases);
    }

    private static Phase least(List<Phase> phases) {
        return phases.stream().min(Comparator.comparingInt(ORDER::indexOf)).orElse(Phase.GONE);
    }

    /** Those that the reference names, and any other that is not gone: the answer to a launch may have been lost. */
    private static List<ClaimStatus.Machine> machines(
            PlatformRef ref, List<Instance> shown, Login login, Predicate<String> isYoung) {
        List<String> named = machines(ref);
        Map<String, ClaimStatus.Machine> machines = new LinkedHashMap<>();
        for (String id : named) {
            machines.put(id, new ClaimStatus.Machine(id, isYoung.test(id) ? Phase.UNKNOWN : Phase.GONE, null, null));
        }
        for (Instance one : shown) {
            Phase phase = AwsMapping.instancePhase(AwsMapping.stateOf(one));
            if (named.isEmpty() || named.contains(one.instanceId()) || phase != Phase.GONE) {
                machines.put(
                        one.instanceId(),
                        new ClaimStatus.Machine(
                                one.instanceId(), phase, endpoint(one, login), AwsMapping.failure(one)));
            }
        }
        return List.copyOf(machines.values());
    }

    private static ClaimStatus.@Nullable Endpoint endpoint(Instance machine, Login login) {
        String host = machine.publicIpAddress() == null ? machine.privateIpAddress() : machine.publicIpAddress();
        return host == null ? null : new ClaimStatus.Endpoint(host, login.port(), login.user());
    }

    static @Nullable Window window(List<CapacityReservation> reservations) {
        return reservations.stream()
                .filter(one -> one.startDate() != null
                        && one.endDate() != null
                        && one.startDate().isBefore(one.endDate()))
                .findFirst()
                .map(one -> new Window(one.startDate(), one.endDate()))
                .orElse(null);
    }
}
