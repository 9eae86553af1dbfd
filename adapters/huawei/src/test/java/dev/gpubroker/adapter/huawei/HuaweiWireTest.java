package dev.gpubroker.adapter.huawei;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers that no simulator gives. */
class HuaweiWireTest {
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");

    static Stream<String> answersThatAreNone() {
        return Stream.of(
                CannedServer.answer("200 OK", "text/html", "<html>maintenance</html>"),
                CannedServer.json(""),
                CannedServer.json("{}"),
                CannedServer.json("{\"job_id\":\"ff80"),
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\nX-Then: close\r\n\r\n{\"job_id\"",
                "HTTP/1.1 200 OK\r\nX-Then: close\r\nContent-Length: 9\r\n\r\n{\"job_id\"",
                CannedServer.answer("302 Found", "text/html", ""),
                CannedServer.answer("502 Bad Gateway", "text/html", "<html>bad gateway</html>"),
                CannedServer.answer("404 Not Found", "text/html", "<html>not found</html>"),
                CannedServer.json("{\"job_id\":\"ff80\"}"), // A job, but no servers.
                CannedServer.json("{\"job_id\":17,\"serverIds\":{}}"));
    }

    @ParameterizedTest
    @MethodSource("answersThatAreNone")
    void aClaimWithoutADefiniteAnswerIsUnknown(String answer) {
        for (ClaimRequest claim : List.of(Claims.server(KEY, 1), Claims.pool(KEY, 1))) {
            try (CannedServer server = new CannedServer(answer);
                    PlatformAdapter adapter = adapter(server)) {
                assertThat(adapter.claim(claim)).isEqualTo(new ClaimOutcome.Unknown(KEY));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("answersThatAreNone")
    void aSearchWithoutADefiniteAnswerProvesNothing(String answer) {
        try (CannedServer server = new CannedServer(answer);
                PlatformAdapter adapter = adapter(server)) {
            assertThat(adapter.find(KEY)).isInstanceOf(Finding.CannotTell.class);
        }
    }

    @Test
    void aRefusedConnectionTookNothing() {
        String url;
        try (CannedServer server = new CannedServer()) {
            url = server.url();
        }
        try (PlatformAdapter adapter = new HuaweiAdapterFactory().create(Claims.settings(url))) {
            PlatformFault fault = catchThrowableOfType(PlatformFault.class, () -> adapter.claim(Claims.server(KEY, 1)));

            assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.UNREACHABLE);
        }
    }

    @Test
    void aClaimIsSentOnceThoughItsKeptConnectionBreaks() {
        try (CannedServer server = new CannedServer(CannedServer.json("{\"kind\":\"PoolList\",\"items\":[]}"));
                PlatformAdapter adapter = adapter(server, "modelarts")) {
            assertThat(adapter.find(KEY)).isInstanceOf(Finding.CannotTell.class); // Its second list is not answered.
        }
        try (CannedServer server =
                        new CannedServer(CannedServer.json("{\"product_rating_results\":[],\"currency\":\"CNY\"}"));
                PlatformAdapter adapter = adapter(server)) {
            prices(adapter); // Leaves a connection open, on which the claim then goes out.

            assertThat(adapter.claim(Claims.pool(KEY, 1))).isEqualTo(new ClaimOutcome.Unknown(KEY));
            assertThat(server.requests())
                    .filteredOn(line -> line.endsWith("/pools"))
                    .hasSize(1);
        }
    }

    @Test
    void aClaimIsSentOnceThoughTheHttpClientWouldObeyARequestTimeout() {
        String again = CannedServer.answer("408 Request Timeout", "text/html", "");
        try (CannedServer server = new CannedServer(again, again, again);
                PlatformAdapter adapter = adapter(server)) {
            assertThat(adapter.claim(Claims.server(KEY, 1))).isEqualTo(new ClaimOutcome.Unknown(KEY));
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void moneyIsReadFromTheTextOfTheAnswer() {
        String answer = "{\"currency\":\"CNY\",\"measure_id\":1,\"product_rating_results\":["
                + "{\"id\":\"1\",\"amount\":80.1234567891,\"measure_id\":1},{\"id\":\"2\",\"amount\":0.1,\"measure_id\":3}]}";
        try (CannedServer server = new CannedServer(CannedServer.json(answer));
                PlatformAdapter adapter = adapter(server)) {
            List<Price.Line> lines = prices(adapter).get(0).lines();

            assertThat(lines.get(0).unitPrice()).isEqualTo(new BigDecimal("80.1234567891"));
            assertThat(lines.get(0).quantity()).isEqualTo(new BigDecimal("120"));
            assertThat(lines.get(1).unitPrice()).as("not in yuan").isNull();
        }
    }

    private static List<Price> prices(PlatformAdapter adapter) {
        return adapter.price(
                new PriceQuery(Claims.SERVER, 1, Window.of(Claims.NOW, Duration.ofDays(5)), MachineSpec.standard()));
    }

    private static PlatformAdapter adapter(CannedServer server) {
        return new HuaweiAdapterFactory().create(Claims.settings(server.url()));
    }

    private static PlatformAdapter adapter(CannedServer server, String service) {
        return Claims.adapter(
                server.url(), java.util.Map.of("service", service), java.time.InstantSource.fixed(Claims.NOW));
    }
}
