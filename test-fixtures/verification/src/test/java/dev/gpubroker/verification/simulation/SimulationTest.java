package dev.gpubroker.verification.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Short lives; {@code deploy/verify/simulation.sh} lives longer ones. */
class SimulationTest {
    private static final Simulation.Life SHORT = new Simulation.Life(30, Duration.ofDays(90), Set.of(), Set.of());
    private static final Simulation.Life SHORTEST =
            new Simulation.Life(8, Duration.ofDays(30), Set.of("zhixingyun"), Set.of());

    private final Simulation simulation = new Simulation(TestServer.SERVER, TestServer.FOLDER);

    @BeforeAll
    static void listen() {
        Alarms.listen(TestServer.FOLDER.resolve("brokers.log"));
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 15})
    void everyRuleHoldsThroughMonthsOfBookingsFaultsAndCrashes(long seed) throws InterruptedException {
        Simulation.Outcome outcome = simulation.run(seed, SHORT);

        assertThat(outcome.broken())
                .as("seed %d%n%s", seed, outcome.journal().text())
                .isNull();
        assertThat(outcome.reservations()).isPositive();
        assertThat(outcome.lived()).isGreaterThan(Duration.ofDays(8));
    }

    @Test
    void theSameSeedDoesTheSame() throws InterruptedException {
        Simulation.Outcome one = simulation.run(5, SHORTEST);
        Simulation.Outcome other = simulation.run(5, SHORTEST);

        assertThat(one.journal().actions())
                .isNotEmpty()
                .isEqualTo(other.journal().actions());
    }
}
