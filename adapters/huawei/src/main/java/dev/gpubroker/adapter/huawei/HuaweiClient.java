package dev.gpubroker.adapter.huawei;

import com.huaweicloud.sdk.bss.v2.BssClient;
import com.huaweicloud.sdk.bss.v2.model.DemandProductInfo;
import com.huaweicloud.sdk.bss.v2.model.ListOnDemandResourceRatingsRequest;
import com.huaweicloud.sdk.bss.v2.model.ListOnDemandResourceRatingsResponse;
import com.huaweicloud.sdk.bss.v2.model.RateOnDemandReq;
import com.huaweicloud.sdk.bss.v2.model.ShowCustomerAccountBalancesRequest;
import com.huaweicloud.sdk.bss.v2.model.ShowCustomerAccountBalancesResponse;
import com.huaweicloud.sdk.core.ClientBuilder;
import com.huaweicloud.sdk.core.HcClient;
import com.huaweicloud.sdk.core.auth.BasicCredentials;
import com.huaweicloud.sdk.core.auth.GlobalCredentials;
import com.huaweicloud.sdk.core.auth.ICredential;
import com.huaweicloud.sdk.core.http.HttpConfig;
import com.huaweicloud.sdk.ecs.v2.EcsClient;
import com.huaweicloud.sdk.ecs.v2.model.CreatePostPaidServersRequest;
import com.huaweicloud.sdk.ecs.v2.model.CreatePostPaidServersRequestBody;
import com.huaweicloud.sdk.ecs.v2.model.CreatePostPaidServersResponse;
import com.huaweicloud.sdk.ecs.v2.model.DeleteServersRequest;
import com.huaweicloud.sdk.ecs.v2.model.DeleteServersRequestBody;
import com.huaweicloud.sdk.ecs.v2.model.Flavor;
import com.huaweicloud.sdk.ecs.v2.model.ListFlavorsRequest;
import com.huaweicloud.sdk.ecs.v2.model.ListServersDetailsRequest;
import com.huaweicloud.sdk.ecs.v2.model.PostPaidServer;
import com.huaweicloud.sdk.ecs.v2.model.ServerDetail;
import com.huaweicloud.sdk.ecs.v2.model.ServerId;
import com.huaweicloud.sdk.ecs.v2.model.ShowJobRequest;
import com.huaweicloud.sdk.ecs.v2.model.ShowJobResponse;
import com.huaweicloud.sdk.ecs.v2.model.UpdateServerAutoTerminateTimeRequest;
import com.huaweicloud.sdk.ecs.v2.model.UpdateServerAutoTerminateTimeRequestBody;
import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.PlatformFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import okhttp3.ConnectionPool;
import org.jspecify.annotations.Nullable;

/**
 * The wire to one region: ECS and BSS through their official clients, ModelArts, for which none is published, through the core of the
 * same SDK. Throws {@link WireFault}; what that means is the caller's to say.
 */
final class HuaweiClient {
    private static final int PAGE = 1000;
    private static final int MOST_PAGES = 20;
    private static final int MOST_IDS = 100;
    /** Ten decimals instead of six. */
    private static final int PRECISE = 1;

    private final String region;
    private final String projectId;
    private final Duration queryTimeout;
    private final Duration claimTimeout;
    private final CallGuard guard;
    private final EcsClient ecs;
    private final BssClient bss;
    private final ModelArtsClient modelArts;

    HuaweiClient(AccountSettings settings, String region, CallGuard guard, ConnectionPool connections) {
        this.region = region;
        this.projectId = settings.option("projectId." + region, settings.credential("projectId"));
        this.queryTimeout = settings.queryTimeout();
        this.claimTimeout = settings.claimTimeout();
        this.guard = guard;
        BasicCredentials project = new BasicCredentials()
                .withAk(settings.credential("accessKey"))
                .withSk(settings.credential("secretKey"))
                .withProjectId(projectId);
        GlobalCredentials domain = new GlobalCredentials()
                .withAk(settings.credential("accessKey"))
                .withSk(settings.credential("secretKey"))
                .withDomainId(settings.credential("domainId"));
        HttpConfig http = http(settings, guard, connections);
        this.ecs = build(EcsClient.newBuilder(), project, http, settings, "ecs." + region);
        this.bss = build(BssClient.newBuilder(), domain, http, settings, "bss");
        HcClient core = build(new ClientBuilder<>(Function.identity()), project, http, settings, "modelarts." + region);
        this.modelArts = new ModelArtsClient(core, guard, queryTimeout, claimTimeout);
    }

    private static HttpConfig http(AccountSettings settings, CallGuard guard, ConnectionPool connections) {
        // The SDK knows whole seconds only; the guard holds the exact deadline, these are the net below it.
        Duration longest = settings.queryTimeout().compareTo(settings.claimTimeout()) > 0
                ? settings.queryTimeout()
                : settings.claimTimeout();
        int seconds = Math.toIntExact(longest.plusMillis(999).toSeconds());
        return HttpConfig.getDefaultHttpConfig()
                .withConnectionTimeout(seconds)
                .withReadTimeout(seconds)
                .withTimeout(seconds)
                .withAllowRedirects(false)
                .withConnectionPool(connections)
                .withEventListener(guard);
    }

    private static <T> T build(
            ClientBuilder<T> builder, ICredential credential, HttpConfig http, AccountSettings settings, String host) {
        String endpoint = settings.endpoint() == null
                ? "https://" + host + ".myhuaweicloud.com"
                : settings.endpoint().toString();
        return builder.withCredential(credential)
                .withHttpConfig(http)
                .withEndpoint(endpoint)
                .withExceptionHandler(new ReplyJudge())
                .build();
    }

    String region() {
        return region;
    }

    String projectId() {
        return projectId;
    }

    ModelArtsClient modelArts() {
        return modelArts;
    }

    // ---- ECS --------------------------------------------------------------------------------------------

    /** @param id the only flavor of interest, or null for all */
    List<Flavor> flavors(@Nullable String id) {
        List<Flavor> all = new ArrayList<>();
        String marker = null;
        for (int page = 0; page < MOST_PAGES; page++) {
            ListFlavorsRequest request =
                    new ListFlavorsRequest().withFlavorId(id).withLimit(PAGE).withMarker(marker);
            List<Flavor> flavors = listed(
                    guard.read(queryTimeout, () -> ecs.listFlavors(request)).getFlavors(), "flavors");
            all.addAll(flavors);
            if (flavors.size() < PAGE) {
                return all;
            }
            marker = flavors.get(flavors.size() - 1).getId();
        }
        throw cut("flavors");
    }

    CreatePostPaidServersResponse createServers(String token, PostPaidServer server) {
        CreatePostPaidServersRequest request = new CreatePostPaidServersRequest()
                .withXClientToken(token)
                .withBody(new CreatePostPaidServersRequestBody().withServer(server));
        return guard.once(claimTimeout, () -> ecs.createPostPaidServers(request));
    }

    /**
     * @return null when the platform no longer knows the job, as of one that ended a day ago; it is not known with which code it says
     *     so, hence every refusal that is not about us counts
     */
    @Nullable
    ShowJobResponse job(String id) {
        ShowJobRequest request = new ShowJobRequest().withJobId(id);
        try {
            ShowJobResponse job = guard.read(queryTimeout, () -> ecs.showJob(request));
            if (job.getStatus() == null) {
                throw WireFault.unreadable(200, "a job without status");
            }
            return job;
        } catch (WireFault fault) {
            if (fault.kind() == WireFault.Kind.ANSWERED
                    && HuaweiMapping.fault(fault).kind() == PlatformFault.Kind.BAD_REQUEST) {
                return null;
            }
            throw fault;
        }
    }

    /** The servers of these ids that exist; the platform shows of others nothing but the id and a fault. */
    List<ServerDetail> servers(List<String> ids) {
        List<ServerDetail> existing = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += MOST_IDS) {
            List<String> some = ids.subList(from, Math.min(ids.size(), from + MOST_IDS));
            ListServersDetailsRequest request = new ListServersDetailsRequest().withServerId(String.join(",", some));
            listed(
                            guard.read(queryTimeout, () -> ecs.listServersDetails(request))
                                    .getServers(),
                            "servers")
                    .stream()
                    .filter(server -> server.getStatus() != null && some.contains(server.getId()))
                    .forEach(existing::add);
        }
        return existing;
    }

    /** Every server of the project, page after page. Filters by name or tag are the platform's to read, so none is used. */
    List<ServerDetail> allServers() {
        List<ServerDetail> all = new ArrayList<>();
        String marker = null;
        for (int page = 0; page < MOST_PAGES; page++) {
            ListServersDetailsRequest request =
                    new ListServersDetailsRequest().withLimit(PAGE).withMarker(marker);
            List<ServerDetail> servers = listed(
                    guard.read(queryTimeout, () -> ecs.listServersDetails(request))
                            .getServers(),
                    "servers");
            all.addAll(servers);
            if (servers.size() < PAGE) {
                return all;
            }
            marker = servers.get(servers.size() - 1).getId();
        }
        throw cut("servers");
    }

    /** Deletes with disks and addresses; else both stay and cost. */
    void deleteServers(List<String> ids) {
        DeleteServersRequest request = new DeleteServersRequest()
                .withBody(new DeleteServersRequestBody()
                        .withServers(ids.stream()
                                .map(id -> new ServerId().withId(id))
                                .toList())
                        .withDeletePublicip(true)
                        .withDeleteVolume(true));
        guard.once(claimTimeout, () -> ecs.deleteServers(request));
    }

    /** @param end as ISO 8601 in UTC */
    void moveEnd(String serverId, String end) {
        UpdateServerAutoTerminateTimeRequest request = new UpdateServerAutoTerminateTimeRequest()
                .withServerId(serverId)
                .withBody(new UpdateServerAutoTerminateTimeRequestBody().withAutoTerminateTime(end));
        guard.read(claimTimeout, () -> ecs.updateServerAutoTerminateTime(request));
    }

    // ---- BSS --------------------------------------------------------------------------------------------

    /** Amounts are read by the SDK from the JSON text into {@code BigDecimal}. */
    ListOnDemandResourceRatingsResponse rate(List<DemandProductInfo> products) {
        ListOnDemandResourceRatingsRequest request = new ListOnDemandResourceRatingsRequest()
                .withBody(new RateOnDemandReq()
                        .withProjectId(projectId)
                        .withInquiryPrecision(PRECISE)
                        .withProductInfos(products));
        return guard.read(queryTimeout, () -> bss.listOnDemandResourceRatings(request));
    }

    ShowCustomerAccountBalancesResponse balances() {
        return guard.read(
                queryTimeout, () -> bss.showCustomerAccountBalances(new ShowCustomerAccountBalancesRequest()));
    }

    private static <T> List<T> listed(@Nullable List<T> items, String what) {
        if (items == null) {
            throw WireFault.unreadable(200, "an answer without " + what);
        }
        return items;
    }

    private static WireFault cut(String what) {
        return WireFault.unreadable(200, "more than " + MOST_PAGES + " pages of " + what);
    }
}
