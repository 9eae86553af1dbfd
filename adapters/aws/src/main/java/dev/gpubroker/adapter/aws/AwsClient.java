package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.Tags;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLHandshakeException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.http.apache5.ProxyConfiguration;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.CapacityBlockOffering;
import software.amazon.awssdk.services.ec2.model.CapacityReservation;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.Instance;
import software.amazon.awssdk.services.ec2.model.PurchaseCapacityBlockResponse;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.RunInstancesRequest;
import software.amazon.awssdk.services.ec2.model.Tag;
import software.amazon.awssdk.services.ec2.model.TagSpecification;

/**
 * The wire: EC2's calls by the official SDK, one request per call and never a second one. The SDK's usual places for
 * settings (profile files, environment) are not read. Every method throws {@link AwsError}.
 */
final class AwsClient implements AutoCloseable {
    private static final int PAGE = 1000;
    private static final int MOST_PAGES = 100;

    private final AccountSettings settings;
    private final SdkHttpClient reads;
    private final SdkHttpClient spends;
    private final StaticCredentialsProvider credentials;
    private final Map<String, Ec2Client> readers = new ConcurrentHashMap<>();
    private final Map<String, Ec2Client> spenders = new ConcurrentHashMap<>();

    AwsClient(AccountSettings settings) {
        this.settings = settings;
        this.reads = http(settings.queryTimeout());
        this.spends = http(settings.claimTimeout());
        this.credentials = StaticCredentialsProvider.create(credentials(settings));
    }

    /** No call takes longer: time to connect, then time to answer. */
    static Duration limit(Duration timeout) {
        return timeout.multipliedBy(2);
    }

    // ---- reads ------------------------------------------------------------------------------------------

    List<CapacityBlockOffering> offerings(String region, String type, int count, BlockQuery query) {
        return pages(token -> call(() -> {
            var answer = reader(region)
                    .describeCapacityBlockOfferings(ask -> ask.instanceType(type)
                            .instanceCount(count)
                            .capacityDurationHours(query.hours())
                            .startDateRange(query.earliest())
                            .endDateRange(query.latest())
                            .nextToken(token));
            return new Page<>(answer.capacityBlockOfferings(), answer.nextToken());
        }));
    }

    /** Every reservation that carries the tag, in any state. */
    List<CapacityReservation> reservationsTagged(String region, String tag, String value) {
        return pages(token -> call(() -> {
            var answer = reader(region)
                    .describeCapacityReservations(ask -> ask.filters(filter("tag:" + tag, List.of(value)))
                            .maxResults(PAGE)
                            .nextToken(token));
            return new Page<>(answer.capacityReservations(), answer.nextToken());
        }));
    }

    /** Empty if EC2 does not know the id. */
    Optional<CapacityReservation> reservation(String region, String id) {
        try {
            return call(
                    () -> reader(region)
                            .describeCapacityReservations(ask -> ask.capacityReservationIds(id))
                            .capacityReservations()
                            .stream()
                            .filter(found -> id.equals(found.capacityReservationId()))
                            .findFirst());
        } catch (AwsError error) {
            if (error.code().equals("InvalidCapacityReservationId.NotFound")) {
                return Optional.empty();
            }
            throw error;
        }
    }

    /**
     * Machines launched into the reservations; terminated ones are among them for about an hour. The filter is the EC2 API
     * reference's; against the real EC2 it is unverified.
     */
    List<Instance> instancesIn(String region, List<String> reservations) {
        return instances(region, filter("capacity-reservation-id", reservations));
    }

    List<Instance> instancesTagged(String region, String tag, String value) {
        return instances(region, filter("tag:" + tag, List.of(value)));
    }

    private List<Instance> instances(String region, Filter filter) {
        return pages(token -> call(() -> {
            var answer = reader(region)
                    .describeInstances(
                            ask -> ask.filters(filter).maxResults(PAGE).nextToken(token));
            List<Instance> machines = answer.reservations().stream()
                    .flatMap(reservation -> reservation.instances().stream())
                    .toList();
            return new Page<>(machines, answer.nextToken());
        }));
    }

    // ---- calls that change something ------------------------------------------------------------------

    PurchaseCapacityBlockResponse purchase(
            String region, String offering, String platform, String installation, ClaimKey key) {
        return call(() -> spender(region)
                .purchaseCapacityBlock(ask -> ask.capacityBlockOfferingId(offering)
                        .instancePlatform(platform)
                        .tagSpecifications(tags(ResourceType.CAPACITY_RESERVATION, installation, key))));
    }

    List<Instance> run(String region, RunInstancesRequest request) {
        return call(() -> spender(region).runInstances(request).instances());
    }

    void terminate(String region, List<String> ids) {
        call(() -> spender(region).terminateInstances(ask -> ask.instanceIds(ids)));
    }

    static TagSpecification tags(ResourceType type, String installation, ClaimKey key) {
        return TagSpecification.builder()
                .resourceType(type)
                .tags(
                        Tag.builder().key(Tags.INSTALLATION).value(installation).build(),
                        Tag.builder().key(Tags.CLAIM).value(key.text()).build())
                .build();
    }

    @Override
    public void close() {
        readers.values().forEach(Ec2Client::close);
        spenders.values().forEach(Ec2Client::close);
        reads.close();
        spends.close();
    }

    // ---- how calls are made ---------------------------------------------------------------------------

    private record Page<T>(List<T> rows, @Nullable String next) {}

    /** Follows the pages to the end; a list that does not end is no list. */
    private static <T> List<T> pages(Function<@Nullable String, Page<T>> read) {
        List<T> rows = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        String token = null;
        for (int page = 0; page < MOST_PAGES; page++) {
            Page<T> answer = read.apply(token);
            rows.addAll(answer.rows());
            token = answer.next();
            if (token == null || token.isEmpty()) {
                return rows;
            }
            if (!seen.add(token)) {
                throw AwsError.of(AwsError.Kind.UNREADABLE, "the list repeats a page", null);
            }
        }
        throw AwsError.of(AwsError.Kind.UNREADABLE, "the list has more than " + MOST_PAGES + " pages", null);
    }

    private static <T> T call(Supplier<T> call) {
        try {
            return call.get();
        } catch (AwsServiceException answered) {
            AwsErrorDetails details = answered.awsErrorDetails();
            String code = details == null ? null : details.errorCode();
            throw AwsError.answered(
                    answered.statusCode(),
                    code == null || code.isBlank() ? null : code,
                    details == null ? null : details.errorMessage(),
                    retryAfter(details));
        } catch (ApiCallTimeoutException | ApiCallAttemptTimeoutException | AbortedException late) {
            throw AwsError.of(AwsError.Kind.SILENT, "no answer in time", late);
        } catch (RuntimeException fault) { // Whatever went wrong inside the SDK: a purchase may have been made.
            throw withoutAnswer(fault);
        }
    }

    static AwsError withoutAnswer(Throwable fault) {
        for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
            if (cause instanceof ReplyCheck.Unreadable) {
                return AwsError.of(AwsError.Kind.UNREADABLE, String.valueOf(cause.getMessage()), cause);
            }
            if (cause instanceof ConnectException
                    || cause instanceof ConnectTimeoutException
                    || cause instanceof UnknownHostException
                    || cause instanceof NoRouteToHostException
                    || cause instanceof SSLHandshakeException) {
                return AwsError.of(AwsError.Kind.NOT_SENT, "no connection: " + cause.getMessage(), fault);
            }
            if (cause instanceof SocketTimeoutException) {
                return AwsError.of(AwsError.Kind.SILENT, "no answer in time", fault);
            }
            if (cause instanceof IOException) {
                return AwsError.of(AwsError.Kind.BROKEN, "the connection broke: " + cause.getMessage(), fault);
            }
        }
        return AwsError.of(AwsError.Kind.UNREADABLE, "the answer cannot be read", fault);
    }

    private static @Nullable Duration retryAfter(@Nullable AwsErrorDetails details) {
        if (details == null || details.sdkHttpResponse() == null) {
            return null;
        }
        return details.sdkHttpResponse()
                .firstMatchingHeader("Retry-After")
                .filter(seconds -> seconds.matches("\\d{1,5}"))
                .map(seconds -> Duration.ofSeconds(Long.parseLong(seconds)))
                .orElse(null);
    }

    private static Filter filter(String name, List<String> values) {
        return Filter.builder().name(name).values(values).build();
    }

    private Ec2Client reader(String region) {
        return readers.computeIfAbsent(region, name -> client(name, reads, settings.queryTimeout()));
    }

    private Ec2Client spender(String region) {
        return spenders.computeIfAbsent(region, name -> client(name, spends, settings.claimTimeout()));
    }

    private Ec2Client client(String region, SdkHttpClient http, Duration timeout) {
        return Ec2Client.builder()
                .region(Region.of(region))
                .endpointOverride(endpoint(region))
                .credentialsProvider(credentials)
                .httpClient(http)
                .overrideConfiguration(o -> o.retryStrategy(DefaultRetryStrategy.doNotRetry())
                        .apiCallTimeout(limit(timeout))
                        .defaultProfileFile(ProfileFile.aggregator().build())
                        .addExecutionInterceptor(new ReplyCheck()))
                .build();
    }

    /** Always stated: otherwise the SDK would look for one in the environment. */
    private URI endpoint(String region) {
        URI endpoint = settings.endpoint();
        if (endpoint != null) {
            return endpoint;
        }
        return URI.create(
                "https://ec2." + region + (region.startsWith("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com"));
    }

    private SdkHttpClient http(Duration timeout) {
        Apache5HttpClient.Builder http = Apache5HttpClient.builder()
                .connectionTimeout(timeout)
                .connectionAcquisitionTimeout(timeout)
                .socketTimeout(timeout)
                .connectionMaxIdleTime(Duration.ofSeconds(5)); // A connection gone stale would cost an Unknown.
        if (settings.endpoint() != null) {
            http.proxyConfiguration(ProxyConfiguration.builder()
                    .useEnvironmentVariableValues(false)
                    .useSystemPropertyValues(false)
                    .build());
        }
        return http.build();
    }

    private static AwsCredentials credentials(AccountSettings settings) {
        String id = settings.credential("accessKeyId");
        String secret = settings.credential("secretAccessKey");
        String session = settings.credentials().get("sessionToken");
        return session == null || session.isBlank()
                ? AwsBasicCredentials.create(id, secret)
                : AwsSessionCredentials.create(id, secret, session);
    }
}
