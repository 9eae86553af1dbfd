package dev.gpubroker.adapter.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.adapter.contract.ManualClock;
import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimStore;
import dev.gpubroker.simulator.SimulatedPlatform;
import dev.gpubroker.simulator.SimulatorServer;
import dev.gpubroker.simulator.aws.AwsSimulatorFactory;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.CapacityBlockOffering;
import software.amazon.awssdk.services.ec2.model.CapacityReservation;
import software.amazon.awssdk.services.ec2.model.Ec2Exception;

/** The simulator by the official SDK alone, without our adapter. */
final class AwsSimulatorTest {
    private static final Instant START = Instant.parse("2026-11-19T11:30:00Z");

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-01T02:00:00Z"));
    private final SimStore store = SimStore.inMemory();
    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void stop() {
        vertx.close();
    }

    @Test
    void aWrongSecretIsRefused() {
        try (Ec2Client ec2 = sdk(start(InstantSource.system()), "wrong")) {
            assertThat(code(() -> offerings(ec2, 24))).isEqualTo("SignatureDoesNotMatch");
        }
    }

    @Test
    void aStaleRequestIsRefusedByWallTime() {
        InstantSource late = () -> Instant.now().plus(Duration.ofMinutes(20));
        try (Ec2Client ec2 = sdk(start(late), secret())) {
            assertThat(code(() -> offerings(ec2, 24))).isEqualTo("RequestExpired");
        }
    }

    @Test
    void whatWasAnsweredSurvivesARestart() {
        SimulatedPlatform first = create(InstantSource.system());
        first.setStock("A100-SXM4-40GB", 8, 1);
        String id;
        try (Ec2Client ec2 = sdk(serve(first), secret())) {
            id = buy(ec2, offerings(ec2, 120).get(0)).capacityReservationId();
            assertThat(offerings(ec2, 120))
                    .noneMatch(offering -> offering.startDate().equals(START));
        }

        SimulatedPlatform second = create(InstantSource.system());
        try (Ec2Client ec2 = sdk(serve(second), secret())) {
            clock.advance(Duration.ofMinutes(3));
            assertThat(ec2.describeCapacityReservations().capacityReservations())
                    .extracting(CapacityReservation::capacityReservationId, CapacityReservation::stateAsString)
                    .containsExactly(org.assertj.core.groups.Tuple.tuple(id, "scheduled"));
            assertThat(offerings(ec2, 120))
                    .noneMatch(offering -> offering.startDate().equals(START));
            assertThat(second.instances()).hasSize(1).allMatch(SimInstance::isLive);
        }
    }

    @Test
    void aPurchaseTakesItsDaysAndNoOthers() {
        SimulatedPlatform simulator = create(InstantSource.system());
        simulator.setStock("A100-SXM4-40GB", 8, 1);
        try (Ec2Client ec2 = sdk(serve(simulator), secret())) {
            CapacityBlockOffering offering = offerings(ec2, 48).get(0);
            assertThat(offering.upfrontFee()).isEqualTo("708.00");
            buy(ec2, offering);

            assertThat(code(() -> buy(ec2, offering))).isEqualTo("InvalidCapacityBlockOfferingIdExpired");
            assertThat(offerings(ec2, 24))
                    .isNotEmpty()
                    .allMatch(other -> !other.startDate().isBefore(offering.endDate()));
            simulator.setStock("A100-SXM4-40GB", 8, 1);
            assertThat(offerings(ec2, 24)).anyMatch(other -> other.startDate().equals(START));
        }
    }

    @Test
    void atMostSixOfferingsAreShownOneShorterAndOneLonger() {
        SimulatedPlatform simulator = create(InstantSource.system());
        simulator.setStock("A100-SXM4-40GB", 8, 1);
        try (Ec2Client ec2 = sdk(serve(simulator), secret())) {
            assertThat(offerings(ec2, 72))
                    .hasSize(6)
                    .allMatch(offering -> offering.endDate().toString().endsWith("T11:30:00Z"))
                    .extracting(CapacityBlockOffering::capacityBlockDurationHours)
                    .startsWith(72, 48, 96);
            assertThat(code(() -> offerings(ec2, 15 * 24))).isEqualTo("InvalidParameterValue");
            assertThat(code(() -> offerings(ec2, 25))).isEqualTo("InvalidParameterValue");
        }
    }

    @Test
    void aBlockCannotBeCancelledAndALaunchNeedsItsMarketType() {
        SimulatedPlatform simulator = create(InstantSource.system());
        simulator.setStock("A100-SXM4-40GB", 8, 1);
        try (Ec2Client ec2 = sdk(serve(simulator), secret())) {
            String id = buy(ec2, offerings(ec2, 24).get(0)).capacityReservationId();
            clock.set(START);

            assertThatThrownBy(() -> ec2.cancelCapacityReservation(ask -> ask.capacityReservationId(id)))
                    .isInstanceOf(Ec2Exception.class);
            assertThat(code(() -> ec2.runInstances(ask -> ask.imageId("ami-0a1b2c3d4e5f60718")
                            .instanceType("p4d.24xlarge")
                            .minCount(1)
                            .maxCount(1)
                            .capacityReservationSpecification(spec ->
                                    spec.capacityReservationTarget(target -> target.capacityReservationId(id))))))
                    .isEqualTo("InvalidParameterValue");
            assertThat(code(() -> ec2.describeInstances(ask -> ask.dryRun(true))))
                    .isEqualTo("DryRunOperation");
            assertThat(ec2.describeInstanceTypes(ask -> ask.instanceTypesWithStrings("p5.4xlarge"))
                            .instanceTypes()
                            .get(0)
                            .gpuInfo()
                            .gpus()
                            .get(0)
                            .name())
                    .isEqualTo("H100");
        }
    }

    private static String code(Runnable call) {
        return catchThrowableOfType(Ec2Exception.class, call::run)
                .awsErrorDetails()
                .errorCode();
    }

    private static List<CapacityBlockOffering> offerings(Ec2Client ec2, int hours) {
        return ec2.describeCapacityBlockOfferings(ask -> ask.instanceType("p4d.24xlarge")
                        .instanceCount(1)
                        .capacityDurationHours(hours)
                        .startDateRange(START))
                .capacityBlockOfferings();
    }

    private static CapacityReservation buy(Ec2Client ec2, CapacityBlockOffering offering) {
        return ec2.purchaseCapacityBlock(ask -> ask.capacityBlockOfferingId(offering.capacityBlockOfferingId())
                        .instancePlatform("Linux/UNIX"))
                .capacityReservation();
    }

    private URI start(InstantSource wallTime) {
        return serve(create(wallTime));
    }

    private SimulatedPlatform create(InstantSource wallTime) {
        return new AwsSimulatorFactory().create(new SimEnvironment(store, clock, wallTime));
    }

    private URI serve(SimulatedPlatform platform) {
        try {
            return SimulatorServer.start(vertx, platform)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS)
                    .url();
        } catch (Exception fault) {
            throw new IllegalStateException("the simulator did not start", fault);
        }
    }

    private static String secret() {
        return String.valueOf(new AwsSimulatorFactory().credentials().get("secretAccessKey"));
    }

    private static Ec2Client sdk(URI endpoint, String secret) {
        String id = String.valueOf(new AwsSimulatorFactory().credentials().get("accessKeyId"));
        return Ec2Client.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_2)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(id, secret)))
                .httpClientBuilder(Apache5HttpClient.builder())
                .overrideConfiguration(o -> o.retryStrategy(DefaultRetryStrategy.doNotRetry()))
                .build();
    }
}
