package dev.gpubroker.broker.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LeaseFitTest {
    @Test
    void itGoesToTheMachineThatHasTheLeastLeftOver() {
        assertThat(fit(2, machine("a", "11111111"), machine("b", "00110000"), machine("c", "11110000")))
                .isEqualTo("b:2+2");
    }

    @Test
    void gpusNextToEachOtherArePreferredToAFullerMachine() {
        assertThat(fit(2, machine("a", "10100000"), machine("b", "00001111"))).isEqualTo("b:4+2");
    }

    @Test
    void scatteredGpusOfOneMachineServeWhereNothingElseDoes() {
        assertThat(fit(3, machine("a", "10100110"))).isEqualTo("a:0+1 a:2+1 a:5+1");
    }

    @Test
    void oneLeaseIsNeverSpreadOverPartsOfMachines() {
        assertThat(fit(4, machine("a", "11100000"), machine("b", "11100000"))).isEqualTo("none");
        assertThat(fit(12, machine("a", "11111111"), machine("b", "11111111"))).isEqualTo("none");
    }

    @Test
    void moreThanOneMachineHoldsAreWholeMachines() {
        assertThat(fit(16, machine("a", "11111111"), machine("b", "11111110"), machine("c", "11111111")))
                .isEqualTo("a:0+8 c:0+8");
    }

    @Test
    void thePartOfAMachineThatAReservationHasCountsAsTheWhole() {
        assertThat(fit(8, part("a", "11110000", "11110000"), part("b", "00001111", "00001111")))
                .isEqualTo("a:0+4 b:4+4");
        assertThat(fit(8, part("a", "11110000", "11110000"), part("b", "00001111", "00000111")))
                .isEqualTo("none");
    }

    @Test
    void whatCouldEverFitIsJudgedByTheMachinesAlone() {
        List<LeaseFit.Machine> full = List.of(machine("a", "00000000"), machine("b", "00000000"));
        assertThat(LeaseFit.couldEver(busy(full), 16)).isTrue();
        assertThat(LeaseFit.couldEver(busy(full), 12)).isFalse();
        assertThat(LeaseFit.couldEver(busy(full), 24)).isFalse();
    }

    private static List<LeaseFit.Machine> busy(List<LeaseFit.Machine> machines) {
        return machines.stream()
                .map(each -> new LeaseFit.Machine(each.nodeId(), each.name(), bits("11111111"), each.free()))
                .toList();
    }

    private static String fit(int gpus, LeaseFit.Machine... machines) {
        return LeaseFit.of(List.of(machines), gpus)
                .map(parts -> parts.stream()
                        .map(each -> each.nodeId() + ":" + each.firstGpu() + "+" + each.gpus())
                        .collect(Collectors.joining(" ")))
                .orElse("none");
    }

    /** Of eight GPUs, those marked with 1 are free. */
    private static LeaseFit.Machine machine(String id, String free) {
        return part(id, "11111111", free);
    }

    private static LeaseFit.Machine part(String id, String own, String free) {
        return new LeaseFit.Machine(id, id, bits(own), bits(free));
    }

    private static BitSet bits(String text) {
        BitSet bits = new BitSet();
        for (int i = 0; i < text.length(); i++) {
            bits.set(i, text.charAt(i) == '1');
        }
        return bits;
    }
}
