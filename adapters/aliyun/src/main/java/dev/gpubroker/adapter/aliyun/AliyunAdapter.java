package dev.gpubroker.adapter.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.aliyun.AliyunClient.Patience;
import dev.gpubroker.adapter.aliyun.AliyunClient.Product;
import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.SupportsBalance;
import dev.gpubroker.adapter.spi.SupportsTimedEnd;
import dev.gpubroker.adapter.spi.Tags;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One account on Alibaba Cloud ECS. Operations used: {@code ecs:DescribeAvailableResource, DescribePrice, RunInstances,
 * DescribeInstances, DeleteInstances, ModifyInstanceAutoReleaseTime}, and {@code QueryAccountBalance} of billing. Buys
 * pay-as-you-go only: it has a timed end, and giving back is not a refund.
 */
final class AliyunAdapter implements PlatformAdapter, SupportsTimedEnd, SupportsBalance {
    private static final Logger LOG = LoggerFactory.getLogger(AliyunAdapter.class);
    /** {@code Amount} of RunInstances, {@code InstanceId.N} of DeleteInstances, ids in one DescribeInstances. */
    private static final int MOST_AT_ONCE = 100;

    private final AccountSettings settings;
    private final AliyunOptions options;
    private final AliyunClient client;
    private final AliyunInstances instances;
    private final AliyunRelease release;

    AliyunAdapter(AccountSettings settings, AliyunOptions options, AliyunClient client) {
        this.settings = settings;
        this.options = options;
        this.client = client;
        this.instances = new AliyunInstances(client);
        this.release = new AliyunRelease(client, instances, settings.businessTime());
    }

    @Override
    public Capabilities capabilities() {
        // Each operation stops calling when its time-out has passed, so it lasts one further call at most.
        Duration longest = settings.claimTimeout().compareTo(settings.queryTimeout()) > 0
                ? settings.claimTimeout()
                : settings.queryTimeout();
        return Capabilities.of(
                        AliyunAdapterFactory.PLATFORM,
                        "Alibaba Cloud 阿里云",
                        options.currency().getCurrencyCode())
                .shapes(AliyunCatalogue.SHAPES)
                .terms(Duration.ofHours(1), Duration.ofHours(1), null)
                .nodesPerClaim(MOST_AT_ONCE)
                .timedEnd()
                .token()
                .provisioning(Duration.ofMinutes(3))
                .minInterval(settings.simulated() ? Duration.ZERO : Duration.ofSeconds(30))
                .longestCall(longest.multipliedBy(2))
                .callsPerSecond(BigDecimal.valueOf(5))
                .refund(new RefundTerms(
                        RefundTerms.Rule.PAY_PER_USE,
                        BigDecimal.ZERO,
                        "Alibaba Cloud documentation, pay-as-you-go billing, read November 2026"))
                .eligibility(Set.of("real_name"))
                .bootLimit(AliyunUserData.LIMIT)
                .build();
    }

    // ---- what it sells -------------------------------------------------------------------------

    @Override
    public Offers offers(OfferQuery query) {
        Budget budget = new Budget(settings.queryTimeout());
        List<Offer> available = new ArrayList<>();
        List<Offers.Missing> missing = new ArrayList<>();
        PlatformFault firstFault = null;
        int answered = 0;
        for (String region : settings.regions()) {
            if (!query.regions().isEmpty() && !query.regions().contains(region)) {
                continue;
            }
            try {
                Offers here = offers(region, query.asks(), budget);
                available.addAll(here.available());
                missing.addAll(here.missing());
                answered++;
            } catch (PlatformFault fault) { // One region must not hide what another one sells.
                firstFault = firstFault == null ? fault : firstFault;
                missing.addAll(missing(region, query.asks(), fault.reason(), String.valueOf(fault.getMessage())));
            }
        }
        if (firstFault != null && answered == 0) {
            throw firstFault;
        }
        return new Offers(available, missing);
    }

    private Offers offers(String region, List<Ask> asks, Budget budget) {
        budget.requireLeft("DescribeAvailableResource");
        Map<String, String> query = AliyunRequests.stock(region, asks, options);
        Answer answer = client.call(Product.ECS, region, "DescribeAvailableResource", query, Patience.QUERY);
        if (answer instanceof Answer.Body body) {
            return AliyunMapping.offers(body.json(), asks, region, options);
        }
        if (answer instanceof Answer.Refusal refusal && AliyunErrors.reason(refusal) == Reason.NOT_OFFERED) {
            return new Offers(List.of(), missing(region, asks, Reason.NOT_OFFERED, refusal.text()));
        }
        throw AliyunErrors.fault("DescribeAvailableResource", answer);
    }

    private static List<Offers.Missing> missing(String region, List<Ask> asks, Reason reason, String detail) {
        List<Offers.Missing> missing = new ArrayList<>();
        for (Ask ask : asks) {
            for (Shape shape : AliyunCatalogue.of(ask.flavor())) {
                missing.add(new Offers.Missing(shape.sku(), ask.flavor(), region, reason, detail, null));
            }
        }
        return missing;
    }

    @Override
    public List<Price> price(PriceQuery query) {
        Map<String, String> request = AliyunRequests.price(query, options);
        JsonNode reply = read(query.offer().region(), "DescribePrice", request);
        return List.of(AliyunPrices.hourly(reply, query, options, request.containsKey("ImageId")));
    }

    private JsonNode read(String region, String action, Map<String, String> query) {
        Answer answer = client.call(Product.ECS, region, action, query, Patience.QUERY);
        if (answer instanceof Answer.Body body) {
            return body.json();
        }
        throw AliyunErrors.fault(action, answer);
    }

    // ---- taking --------------------------------------------------------------------------------

    @Override
    public ClaimOutcome claim(ClaimRequest request) {
        if (!request.billing().equals(AliyunPrices.HOURLY)) {
            throw new PlatformFault(
                    PlatformFault.Kind.BAD_REQUEST, "not a billing mode of this platform: " + request.billing());
        }
        Instant now = settings.businessTime().instant();
        Map<String, String> query;
        try {
            query = AliyunRequests.claim(request, options, now);
        } catch (IllegalArgumentException tooLong) {
            return new ClaimOutcome.Refused(Reason.NOT_ELIGIBLE, String.valueOf(tooLong.getMessage()));
        }
        ClaimOutcome lacking = lacking(request, query);
        if (lacking != null) {
            return lacking;
        }
        Answer answer = client.call(Product.ECS, request.offer().region(), "RunInstances", query, Patience.CLAIM);
        if (!(answer instanceof Answer.Body body)) {
            return AliyunErrors.claimFailed(request.key(), answer);
        }
        List<String> ids = new ArrayList<>();
        for (JsonNode id : body.json().path("InstanceIdSets").path("InstanceIdSet")) {
            ids.add(id.asText(""));
        }
        if (ids.size() != request.nodes() || ids.contains("")) {
            // Not what was promised for MinAmount = Amount: a search by tag shows what is really there.
            LOG.warn("claim {}: asked for {} machines, the reply names {}", request.key(), request.nodes(), ids);
            return new ClaimOutcome.Unknown(request.key());
        }
        return new ClaimOutcome.Claimed(
                new PlatformRef(request.offer().region(), AliyunMapping.KIND, ids), ours(request.window(), now));
    }

    /** What the account's options do not hold and the platform demands; nothing was sent then. */
    private static @Nullable ClaimOutcome lacking(ClaimRequest request, Map<String, String> query) {
        if (!query.containsKey("ImageId")) {
            return request.machine().frameworks().isEmpty()
                    ? new ClaimOutcome.Refused(Reason.NOT_ELIGIBLE, "the account has no option imageId")
                    : new ClaimOutcome.Refused(
                            Reason.FRAMEWORK_UNFIT,
                            "the account has no option imageFor."
                                    + String.join(
                                            " or imageFor.", request.machine().frameworks()));
        }
        if (!query.containsKey("VSwitchId")) {
            return new ClaimOutcome.Refused(
                    Reason.NOT_ELIGIBLE,
                    "the account has no option vSwitchId." + request.offer().zone());
        }
        if (!query.containsKey("SecurityGroupId")) {
            return new ClaimOutcome.Refused(Reason.NOT_ELIGIBLE, "the account has no option securityGroupId");
        }
        return null;
    }

    /** It runs from now on, which may be before the window that was asked. */
    private static Window ours(Window asked, Instant now) {
        return now.isBefore(asked.start()) ? new Window(now, asked.end()) : asked;
    }

    // ---- looking -------------------------------------------------------------------------------

    @Override
    public ClaimStatus status(PlatformRef ref) {
        Budget budget = new Budget(settings.queryTimeout());
        List<JsonNode> listed = new ArrayList<>();
        for (List<String> ids : AliyunRelease.portions(ref.ids(), MOST_AT_ONCE)) {
            listed.addAll(instances.byIds(ref.region(), ids, budget));
        }
        return AliyunMapping.status(ref.ids(), listed, options.loginUser(), options.sshPort());
    }

    @Override
    public Finding find(ClaimKey key) {
        Budget budget = new Budget(settings.queryTimeout());
        String doubt = null;
        for (String region : settings.regions()) {
            try {
                List<JsonNode> found = instances.byTag(region, Tags.CLAIM, key.text(), budget);
                if (!found.isEmpty()) {
                    List<String> ids = found.stream().map(AliyunMapping::id).toList();
                    return new Finding.Found(
                            new PlatformRef(region, AliyunMapping.KIND, ids),
                            AliyunMapping.status(ids, found, options.loginUser(), options.sshPort()));
                }
            } catch (PlatformFault fault) {
                doubt = region + ": " + fault.getMessage();
            }
        }
        return doubt == null ? new Finding.NotListed() : new Finding.CannotTell(doubt);
    }

    @Override
    public List<Holding> list(String installation) {
        Budget budget = new Budget(settings.queryTimeout());
        List<Holding> holdings = new ArrayList<>();
        for (String region : settings.regions()) {
            for (JsonNode instance : instances.byTag(region, Tags.INSTALLATION, installation, budget)) {
                holdings.add(AliyunMapping.holding(region, instance));
            }
        }
        return holdings;
    }

    @Override
    public Money balance() {
        String region = settings.regions().get(0);
        Answer answer = client.call(Product.BSS, region, "QueryAccountBalance", Map.of(), Patience.QUERY);
        if (!(answer instanceof Answer.Body body)) {
            throw AliyunErrors.fault("QueryAccountBalance", answer);
        }
        if (!body.json().path("Success").asBoolean(false)) { // A refusal with status 200.
            throw AliyunErrors.fault(
                    "QueryAccountBalance",
                    new Answer.Refusal(
                            200,
                            client.clean(body.json().path("Code").asText("no code")),
                            client.clean(body.json().path("Message").asText("")),
                            null));
        }
        return AliyunMapping.balance(body.json());
    }

    // ---- giving back ---------------------------------------------------------------------------

    @Override
    public ReleaseProgress release(PlatformRef ref) {
        return release.of(ref, new Budget(settings.claimTimeout()));
    }

    @Override
    public void moveEnd(PlatformRef ref, Instant end) {
        Budget budget = new Budget(settings.claimTimeout());
        String releaseTime =
                AliyunRequests.releaseTime(end, settings.businessTime().instant());
        for (String id : ref.ids()) {
            budget.requireLeft("ModifyInstanceAutoReleaseTime");
            Map<String, String> query = new LinkedHashMap<>();
            query.put("RegionId", ref.region());
            query.put("InstanceId", id);
            query.put("AutoReleaseTime", releaseTime);
            Answer answer =
                    client.call(Product.ECS, ref.region(), "ModifyInstanceAutoReleaseTime", query, Patience.CLAIM);
            if (!(answer instanceof Answer.Body)) {
                throw AliyunErrors.fault("ModifyInstanceAutoReleaseTime of " + id, answer);
            }
        }
    }
}
