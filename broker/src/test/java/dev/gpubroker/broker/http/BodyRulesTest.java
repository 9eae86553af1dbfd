package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.http.ContractServer.Answer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the published contract refuses, before any rule of booking is asked. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class BodyRulesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private ContractServer server;

    @BeforeAll
    void start() {
        server = new ContractServer(DATABASE, List.of());
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @Test
    void aListOfTheOnlyPlatformsOrRegionsAllowedIsNotEmpty() {
        Answer platforms = quote("\"constraints\": {\"platforms\": []}");

        assertThat(platforms.errors()).containsExactly("constraints.platforms min_items");
        assertThat(platforms.json().path("detail").asText()).contains("leave it out");
        assertThat(quote("\"constraints\": {\"regions\": []}").errors())
                .containsExactly("constraints.regions min_items");
    }

    @Test
    void anOutageNamesAGpuOnce() {
        Answer twice = outage("[1, 1]");

        assertThat(twice.status()).isEqualTo(400);
        assertThat(twice.errors()).containsExactly("gpus unique_items");
        assertThat(outage("[1, 2]").status()).isEqualTo(204);
    }

    @Test
    void whatIsReadHasNoUnseenCharactersAndWhatIsRunIsLeftAlone() {
        assertThat(quote("\"title\": \"a\\u202eb\"").errors()).containsExactly("title characters");
        assertThat(quote("\"labels\": {\"startupScript\": \"a\\nb\"}").errors())
                .containsExactly("labels.startupScript characters");
        assertThat(quote("\"constraints\": {\"regions\": [\"a\\u200bb\"]}").errors())
                .containsExactly("constraints.regions[0] characters");
        assertThat(quote("\"machine\": {\"startupScript\": \"#!\\n\\u202e\"}, \"atEnd\": {\"hook\": \"a\\nb\"}")
                        .status())
                .isEqualTo(204);
        assertThat(server.send("admin", "POST", "/v1/teams", "{\"id\": \"lab\", \"name\": \"L\\u2066ab\"}")
                        .errors())
                .containsExactly("name characters");
        assertThat(server.send(
                                "admin",
                                "POST",
                                "/v1/tokens",
                                "{\"name\": \"ci\\ufeff\", \"team\": \"lab\", \"scopes\": [\"read\"]}")
                        .errors())
                .contains("name characters");
    }

    private Answer outage(String gpus) {
        return server.send(
                "admin",
                "POST",
                "/v1/pools/lab/outages",
                "{\"node\": \"lab-1\", \"gpus\": " + gpus + ", \"reason\": \"fan\"}");
    }

    private Answer quote(String member) {
        return server.send("admin", "POST", "/v1/quotes", """
                {"gpu": {"model": "A100", "count": 8}, "start": "2026-12-20", "duration": "P5D", %s}""".formatted(member));
    }
}
