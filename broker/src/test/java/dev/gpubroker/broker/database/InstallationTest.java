package dev.gpubroker.broker.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InstallationTest {
    private static final String REAL = "accounts: [{id: prod, platform: aws, regions: [us-east-1]}]";
    private static final String LOOPBACK =
            "accounts: [{id: sim, platform: aws, regions: [us-east-1], endpoint: 'http://127.0.0.1:81'}]";

    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    @TempDir
    Path home;

    @Test
    void brokersThatStartTogetherMakeOneInstallation() {
        DATABASE.execute("DELETE FROM installation");

        List<Future<Installation>> starts = IntStream.range(0, 8)
                .mapToObj(each -> Installation.open(DATABASE.database(), Stamp.SIMULATED))
                .toList();

        List<Installation> found =
                starts.stream().map(start -> start.await()).distinct().toList();
        assertThat(found).singleElement().satisfies(one -> {
            assertThat(one.id()).matches("[a-z][a-z0-9]{7}");
            assertThat(one.stamp()).isEqualTo(Stamp.SIMULATED);
        });
    }

    @Test
    void anInstallationRefusesToStartAsTheOther() {
        DATABASE.execute("DELETE FROM installation");
        Installation real = Installation.open(DATABASE.database(), Stamp.REAL).await();

        assertThatThrownBy(() ->
                        Installation.open(DATABASE.database(), Stamp.SIMULATED).await())
                .isInstanceOf(StartException.class)
                .hasMessageContaining(real.id())
                .hasMessageContaining("'real'")
                .hasMessageContaining("'simulated'")
                .hasMessageContaining("GPU_BROKER_DATA");
        assertThat(Installation.open(DATABASE.database(), Stamp.REAL).await()).isEqualTo(real);
    }

    @ParameterizedTest
    @CsvSource({
        "false,false,REAL",
        "true,false,SIMULATED",
        "false,true,SIMULATED",
        "http://127.0.0.1:8081,false,SIMULATED"
    })
    void simulatorsOrTheDemoClockMakeItSimulated(String simulators, String demoClock, Stamp stamp) {
        assertThat(Stamp.of(settings("", simulators, demoClock))).isEqualTo(stamp);
        assertThat(Stamp.of(settings(LOOPBACK, simulators, demoClock))).isEqualTo(stamp);
    }

    @ParameterizedTest
    @CsvSource({"true,false", "false,true", "http://127.0.0.1:8081,false"})
    void simulatorsOrTheDemoClockBesideARealAccountAreRefused(String simulators, String demoClock) {
        assertThatThrownBy(() -> Stamp.of(settings(REAL, simulators, demoClock)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("prod");
    }

    @Test
    void aRealAccountAloneIsReal() {
        assertThat(Stamp.of(settings(REAL, "false", "false"))).isEqualTo(Stamp.REAL);
    }

    @Test
    void onlyASimulatedInstallationMayCallItsOwnMachine() {
        String own = "webhooks: {allowNetworks: [127.0.0.1]}\n";

        assertThat(Stamp.of(settings(own, "true", "false"))).isEqualTo(Stamp.SIMULATED);
        assertThatThrownBy(() -> Stamp.of(settings(own, "false", "false")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("webhooks.allowNetworks");
        assertThatThrownBy(() -> Stamp.of(settings("webhooks: {allowNetworks: ['::/0']}\n", "false", "false")))
                .isInstanceOf(StartException.class);
    }

    private Settings settings(String yaml, String simulators, String demoClock) {
        Path file = home.resolve("gpu-broker.yaml");
        try {
            Files.writeString(file, yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Settings.load(
                file,
                Map.of(
                        "HOME",
                        home.toString(),
                        "GPU_BROKER_SIMULATORS",
                        simulators,
                        "GPU_BROKER_DEMO_CLOCK",
                        demoClock));
    }
}
