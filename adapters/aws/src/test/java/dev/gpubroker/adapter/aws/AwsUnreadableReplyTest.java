package dev.gpubroker.adapter.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.adapter.contract.ManualClock;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Term;
import dev.gpubroker.adapter.spi.Window;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers that EC2 itself would not give, or gives when it is in trouble. */
final class AwsUnreadableReplyTest {
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final String BOUGHT = """
            <PurchaseCapacityBlockResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>
            <capacityReservation><capacityReservationId>cr-0a1b2c3d4e5f60718</capacityReservationId>
            <state>scheduled</state><startDate>2026-12-20T11:30:00.000Z</startDate>
            <endDate>2026-12-25T11:30:00.000Z</endDate></capacityReservation></PurchaseCapacityBlockResponse>
            """;
    private static final String NOTHING_LAUNCHED = """
            <DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>
            <reservationSet/></DescribeInstancesResponse>
            """;
    private static final CannedServer.Reply NOT_FOUND = new CannedServer.Reply(
            400,
            "<Response><Errors><Error><Code>InvalidCapacityReservationId.NotFound</Code><Message>no such id</Message>"
                    + "</Error></Errors><RequestID>r</RequestID></Response>");

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-01T02:00:00Z"));

    static Stream<CannedServer.Reply> unreadable() {
        return Stream.of(
                new CannedServer.Reply(200, ""),
                new CannedServer.Reply(200, "<html><body>Please log in</body></html>"),
                new CannedServer.Reply(200, "{}"),
                new CannedServer.Reply(200, BOUGHT.substring(0, BOUGHT.length() / 2)),
                new CannedServer.Reply(200, NOTHING_LAUNCHED.replace("DescribeInstances", "AssociateAddress")),
                new CannedServer.Reply(
                        200, "<PurchaseCapacityBlockResponse><requestId>r</requestId></PurchaseCapacityBlockResponse>"),
                new CannedServer.Reply(302, ""),
                new CannedServer.Reply(404, "<html>not found</html>"),
                new CannedServer.Reply(500, ""),
                new CannedServer.Reply(502, "<html>bad gateway</html>"),
                new CannedServer.Reply(503, "upstream connect error"));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void aClaimWithAnUnreadableAnswerIsUnknownAndWasSentOnce(CannedServer.Reply reply) {
        try (CannedServer server = new CannedServer(reply);
                AwsAdapter adapter = server.adapter(clock)) {
            assertThat(adapter.claim(request())).isEqualTo(new ClaimOutcome.Unknown(KEY));
            assertThat(server.requests()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void aSearchWithAnUnreadableAnswerProvesNothing(CannedServer.Reply reply) {
        try (CannedServer server = new CannedServer(reply);
                AwsAdapter adapter = server.adapter(clock)) {
            assertThat(adapter.find(KEY)).isInstanceOf(Finding.CannotTell.class);
            assertThat(catchThrowableOfType(PlatformFault.class, () -> adapter.list("inst0001")))
                    .isNotNull();
        }
    }

    @Test
    void aListThatNeverEndsProvesNothing() {
        CannedServer.Reply endless = new CannedServer.Reply(
                200,
                "<DescribeCapacityReservationsResponse><requestId>r</requestId><capacityReservationSet/>"
                        + "<nextToken>again</nextToken></DescribeCapacityReservationsResponse>");
        try (CannedServer server = new CannedServer(endless);
                AwsAdapter adapter = server.adapter(clock)) {
            assertThat(adapter.find(KEY)).isEqualTo(new Finding.CannotTell("us-east-2: the list repeats a page"));
            assertThat(server.requests()).isEqualTo(2);
        }
    }

    @Test
    void aRefusalWithoutABodyIsStillBadCredentials() {
        try (CannedServer server = new CannedServer(new CannedServer.Reply(401, ""));
                AwsAdapter adapter = server.adapter(clock)) {
            PlatformFault fault = catchThrowableOfType(PlatformFault.class, () -> adapter.list("inst0001"));

            assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.BAD_CREDENTIALS);
        }
    }

    @Test
    void aClaimThatFindsNoListenerTookNothing() throws IOException {
        int closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = socket.getLocalPort();
        }
        try (AwsAdapter adapter = CannedServer.adapter(URI.create("http://127.0.0.1:" + closed), clock)) {
            PlatformFault fault = catchThrowableOfType(PlatformFault.class, () -> adapter.claim(request()));

            assertThat(fault).isNotNull();
            assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.UNREACHABLE);
        }
    }

    @Test
    void aBlockThatEc2DoesNotShowIsGoneOnlyOnceItHadTimeToAppear() {
        try (CannedServer server = new CannedServer(
                        new CannedServer.Reply(200, BOUGHT),
                        NOT_FOUND,
                        new CannedServer.Reply(200, NOTHING_LAUNCHED),
                        NOT_FOUND,
                        new CannedServer.Reply(200, NOTHING_LAUNCHED));
                AwsAdapter adapter = server.adapter(clock)) {
            PlatformRef ref = ((ClaimOutcome.Claimed) adapter.claim(request())).ref();

            assertThat(adapter.status(ref).phase()).isEqualTo(Phase.UNKNOWN);
            clock.advance(Duration.ofMinutes(10));
            assertThat(adapter.status(ref).phase()).isEqualTo(Phase.GONE);
        }
    }

    private static ClaimRequest request() {
        Offer offer = new Offer(
                "cb-0a1b2c3d4e5f60718",
                "p4d.24xlarge",
                AwsShapes.ALL.get(0).flavor(),
                "us-east-2",
                "us-east-2a",
                Term.FORWARD,
                Stock.of(1),
                new Window(Instant.parse("2026-12-20T11:30:00Z"), Instant.parse("2026-12-25T11:30:00Z")),
                Instant.parse("2026-12-25T11:00:00Z"),
                Map.of("instanceCount", "1", "upfrontFee", "1770.00", "currency", "USD"));
        return new ClaimRequest(
                KEY,
                "inst0001",
                offer,
                1,
                Objects.requireNonNull(offer.window()),
                AwsMapping.BILLING,
                null,
                MachineSpec.standard(),
                null);
    }
}
