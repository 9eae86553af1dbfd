package dev.gpubroker.verification.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lab itself: what is killed is gone, and comes back with what it had. */
final class ProcessesTest {
    @TempDir
    private Path folder;

    @Test
    void aKilledBrokerAndAKilledDatabaseComeBackWithWhatWasBooked() throws IOException, InterruptedException {
        Ports ports = new Ports();
        Launcher launcher = Launcher.ofThisClassPath();
        try (PostgresServer database = PostgresServer.create(folder.resolve("database"), ports.pair());
                SimulatorsProcess simulators = SimulatorsProcess.of(ports.pair(), launcher, database, folder)) {
            simulators.launch();
            simulators.awaitReady();
            try (BrokerProcess broker = BrokerProcess.of(
                    "a", ports.pair(), launcher, database, simulators.controlUrl(), folder, Map.of())) {
                broker.launch();
                broker.awaitReady();
                Api api = broker.api(Duration.ofSeconds(10));
                JsonNode pool = Api.JSON
                        .createObjectNode()
                        .put("name", "lab")
                        .put("model", "A100-SXM4-80GB")
                        .put("gpusPerNode", 8)
                        .put("nodes", 2);
                assertThat(api.post("/v1/pools", pool, "pool-1").status()).isEqualTo(201);

                broker.kill();
                assertThatThrownBy(() -> api.get("/v1/pools")).isInstanceOf(IOException.class);
                database.kill();
                database.start();
                broker.launch();
                broker.awaitReady();

                assertThat(api.get("/v1/pools").body().toString()).contains("\"lab\"");

                broker.freeze();
                Api hasty = broker.api(Duration.ofMillis(500));
                assertThatThrownBy(() -> hasty.get("/v1/pools")).isInstanceOf(IOException.class);
                broker.thaw();
                assertThat(api.get("/v1/pools").status()).isEqualTo(200);
            }
        }
    }
}
