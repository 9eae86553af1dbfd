package dev.gpubroker.adapter.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Window;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replies that a healthy platform never gives, and what they must not be taken for. */
class AliyunRepliesTest {
    private static final Instant NOW = Instant.parse("2026-11-01T02:00:00Z");
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final Flavor A100 = new Flavor("A100-SXM4-80GB", 8);
    private static final PlatformRef ONE = new PlatformRef("cn-hangzhou", "instance", List.of("i-1"));
    private static final PlatformRef TWO = new PlatformRef("cn-hangzhou", "instance", List.of("i-1", "i-2"));
    private static final String NONE = "{'Instances':{'Instance':[]},'NextToken':''}";
    private static final String PERMITTED = "{'Code':'DryRunOperation','Message':'passed'}";
    private static final String NOT_FOUND = "{'Code':'InvalidInstanceId.NotFound','Message':'no such'}";
    private static final String GATEWAY = "<html><body>502 Bad Gateway</body></html>";

    private final CannedPlatform platform = new CannedPlatform();

    @AfterEach
    void stop() {
        platform.close();
    }

    // ---- claim ---------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "200, ''",
        "200, '{}'",
        "200, '[]'",
        "200, '{''InstanceIdSets'':{''InstanceIdSet'':[]}}'",
        "200, '{''InstanceIdSets'':{''InstanceIdSet'':[''i-1'',''i-2'']}}'",
        "200, '{''InstanceIdSets'':{''InstanceIdSet'':['''']}}'",
        "200, '<html>ok</html>'",
        "302, '{}'",
        "400, '<html>bad</html>'",
        "403, '{''Message'':''no code''}'",
        "502, '<html>gateway</html>'",
        "500, '{''Code'':''InternalError'',''Message'':''x''}'",
    })
    void aClaimWithAnUnreadableReplyIsUnknownAndIsSentOnce(int status, String body) {
        platform.then(status, body);

        assertThat(adapter().claim(claim())).isEqualTo(new ClaimOutcome.Unknown(KEY));
        assertThat(platform.actions()).containsExactly("RunInstances");
    }

    @Test
    void aClaimWhoseReplyIsCutIsUnknown() {
        platform.thenCut(200, "{'InstanceIdSets':{'InstanceIdSet':['i-1']}}");

        assertThat(adapter().claim(claim())).isEqualTo(new ClaimOutcome.Unknown(KEY));
        assertThat(platform.actions()).containsExactly("RunInstances");
    }

    /** On such a 503 the HTTP client repeats the request by itself, nonce and all; the first may have bought. */
    @Test
    void aClaimThatWentOutTwiceBelowUsIsUnknown() {
        platform.thenWait(503, "{'Code':'ServiceUnavailable'}", "0")
                .then(400, "{'Code':'SignatureNonceUsed','Message':'used'}");

        assertThat(adapter().claim(claim())).isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @Test
    void aClaimThatCannotConnectIsAFaultSinceNothingWasTaken() {
        URI nobody = platform.url();
        platform.close();

        PlatformFault fault =
                catchThrowableOfType(PlatformFault.class, () -> adapter(nobody).claim(claim()));

        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.UNREACHABLE);
    }

    @Test
    void aClaimForWhichTheAccountLacksASettingIsRefusedUnsent() {
        AliyunAdapter adapter = adapter(platform.url(), List.of("cn-hangzhou"), Map.of("imageId", "img"));

        ClaimOutcome outcome = adapter.claim(claim());

        assertThat(outcome)
                .isEqualTo(new ClaimOutcome.Refused(
                        Reason.NOT_ELIGIBLE, "the account has no option vSwitchId.cn-hangzhou-j"));
        assertThat(platform.actions()).isEmpty();
    }

    @Test
    void aClaimForAFrameworkWithoutAnImageIsRefusedUnsent() {
        MachineSpec machine = new MachineSpec(null, List.of("pytorch"), List.of(), null, 0, false);

        ClaimOutcome outcome = adapter().claim(claim(machine));

        assertThat(outcome).isInstanceOf(ClaimOutcome.Refused.class);
        assertThat(((ClaimOutcome.Refused) outcome).reason()).isEqualTo(Reason.FRAMEWORK_UNFIT);
        assertThat(platform.actions()).isEmpty();
    }

    // ---- find ----------------------------------------------------------------------------------

    @Test
    void anEmptyListCountsOnlyOnceADryRunShowedThatItMayBeRead() {
        platform.then(200, NONE).then(400, PERMITTED);
        assertThat(adapter().find(KEY)).isEqualTo(new Finding.NotListed());

        platform.then(200, NONE).then(403, "{'Code':'Forbidden.RAM','Message':'no'}");
        assertThat(adapter().find(KEY)).isInstanceOf(Finding.CannotTell.class);

        platform.then(200, NONE).then(200, NONE);
        assertThat(adapter().find(KEY)).isInstanceOf(Finding.CannotTell.class);
    }

    @ParameterizedTest
    @CsvSource({
        "200, ''",
        "200, '{}'",
        "200, '<html>x</html>'",
        "400, '{''Code'':''Throttling''}'",
        "404, '{''Code'':''InvalidRegionId.NotFound''}'",
        "502, '<html>x</html>'",
    })
    void aSearchThatDidNotWorkIsNeverAnAbsence(int status, String body) {
        platform.then(status, body);

        assertThat(adapter().find(KEY)).isInstanceOf(Finding.CannotTell.class);
    }

    @Test
    void aPageThatIsMissingMakesTheSearchWorthless() {
        platform.then(200, "{'Instances':{'Instance':[]},'NextToken':'more'}").then(500, "{'Code':'InternalError'}");

        assertThat(adapter().find(KEY)).isInstanceOf(Finding.CannotTell.class);
    }

    @Test
    void pagesAreFollowedToTheEnd() {
        platform.then(200, "{'Instances':{'Instance':[]},'NextToken':'more'}")
                .then(200, "{'Instances':{'Instance':[{'InstanceId':'i-9','Status':'Pending'}]},'NextToken':''}");

        assertThat(adapter().find(KEY)).isInstanceOf(Finding.Found.class);
    }

    @Test
    void aRegionThatDoesNotAnswerLeavesTheSearchOpenUnlessAnotherOneHoldsTheMachine() {
        AliyunAdapter two = adapter(platform.url(), List.of("cn-hangzhou", "cn-beijing"), options());
        platform.then(500, "{'Code':'InternalError'}").then(200, NONE).then(400, PERMITTED);
        assertThat(two.find(KEY)).isInstanceOf(Finding.CannotTell.class);

        platform.then(500, "{'Code':'InternalError'}")
                .then(200, "{'Instances':{'Instance':[{'InstanceId':'i-9','Status':'Pending'}]},'NextToken':''}");
        Finding found = two.find(KEY);
        assertThat(found).isInstanceOf(Finding.Found.class);
        assertThat(((Finding.Found) found).ref()).isEqualTo(new PlatformRef("cn-beijing", "instance", List.of("i-9")));
    }

    // ---- status, release -----------------------------------------------------------------------

    @Test
    void aMachineIsGoneOnlyForOneWhoMayLook() {
        platform.then(200, NONE).then(403, "{'Code':'Forbidden.RAM','Message':'no'}");
        PlatformFault fault =
                catchThrowableOfType(PlatformFault.class, () -> adapter().status(ONE));
        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.BAD_CREDENTIALS);

        platform.then(200, NONE).then(400, PERMITTED);
        assertThat(adapter().status(ONE).phase()).isEqualTo(ClaimStatus.Phase.GONE);
    }

    @Test
    void aDeletedMachineThatIsStillListedIsInProgress() {
        platform.then(200, "{'RequestId':'R'}")
                .then(200, "{'Instances':{'Instance':[{'InstanceId':'i-1','Status':'Stopping'}]},'NextToken':''}");

        assertThat(adapter().release(ONE)).isInstanceOf(ReleaseProgress.InProgress.class);
    }

    @Test
    void aMachineUnknownToDeletingButStillListedIsNotGone() {
        platform.then(404, NOT_FOUND)
                .then(200, "{'Instances':{'Instance':[{'InstanceId':'i-1','Status':'Pending'}]},'NextToken':''}");

        assertThat(adapter().release(ONE)).isInstanceOf(ReleaseProgress.InProgress.class);
    }

    @Test
    void oneWhoMayDeleteButNotLookBelievesTheDeleting() {
        String forbidden = "{'Code':'Forbidden.RAM','Message':'no'}";
        platform.then(200, "{'RequestId':'R'}").then(200, NONE).then(403, forbidden);
        assertThat(adapter().release(ONE)).isInstanceOf(ReleaseProgress.InProgress.class);

        platform.then(404, NOT_FOUND).then(200, NONE).then(403, forbidden);
        assertThat(adapter().release(ONE)).isEqualTo(new ReleaseProgress.Gone());
    }

    @Test
    void aMachineThatCannotGoYetDoesNotKeepItsNeighbourAlive() {
        platform.then(403, "{'Code':'IncorrectInstanceStatus.Initializing','Message':'wait'}")
                .then(
                        200,
                        "{'Instances':{'Instance':[{'InstanceId':'i-1','Status':'Running'},"
                                + "{'InstanceId':'i-2','Status':'Pending'}]},'NextToken':''}")
                .then(200, "{'RequestId':'R'}")
                .then(403, "{'Code':'IncorrectInstanceStatus.Initializing','Message':'wait'}");

        assertThat(adapter().release(TWO))
                .isEqualTo(new ReleaseProgress.Refused(
                        Reason.REFUSED_UNKNOWN,
                        "IncorrectInstanceStatus.Initializing: wait",
                        NOW.plus(Duration.ofSeconds(15))));
        assertThat(platform.actions())
                .containsExactly("DeleteInstances", "DescribeInstances", "DeleteInstances", "DeleteInstances");
    }

    @Test
    void machinesOfWhichSomeAreGoneAreReleasedOneByOne() {
        platform.then(404, NOT_FOUND)
                .then(200, "{'Instances':{'Instance':[{'InstanceId':'i-2','Status':'Running'}]},'NextToken':''}")
                .then(200, "{'RequestId':'R'}");

        assertThat(adapter().release(TWO)).isInstanceOf(ReleaseProgress.InProgress.class);
    }

    @Test
    void machinesThatAreNotFoundAndCouldNotBeLookedForAreNotGoneYet() {
        platform.then(404, NOT_FOUND).then(502, GATEWAY).then(404, NOT_FOUND).then(404, NOT_FOUND);

        assertThat(adapter().release(TWO)).isInstanceOf(ReleaseProgress.InProgress.class);
    }

    @Test
    void severalMachinesThatNoListShowsAreGone() {
        platform.then(404, NOT_FOUND).then(200, NONE).then(400, PERMITTED);

        assertThat(adapter().release(TWO)).isEqualTo(new ReleaseProgress.Gone());
    }

    @Test
    void aReleaseThatWasNotUnderstoodIsAFaultAndNotGone() {
        platform.then(502, GATEWAY);

        PlatformFault fault =
                catchThrowableOfType(PlatformFault.class, () -> adapter().release(ONE));

        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.PLATFORM_ERROR);
    }

    // ---- other reads ---------------------------------------------------------------------------

    @Test
    void aRegionThatFailsHidesNothingOfTheOther() {
        AliyunAdapter two = adapter(platform.url(), List.of("cn-hangzhou", "cn-beijing"), options());
        platform.then(502, GATEWAY)
                .then(
                        200,
                        "{'AvailableZones':{'AvailableZone':[{'ZoneId':'cn-beijing-k','AvailableResources':"
                                + "{'AvailableResource':[{'Type':'InstanceType','SupportedResources':{'SupportedResource':["
                                + "{'Value':'ecs.gn7e-c16g1.32xlarge','Status':'Available','StatusCategory':'WithStock'}]}}]}}]}}");

        Offers offers = two.offers(query());

        assertThat(offers.available()).extracting(Offer::region).containsExactly("cn-beijing");
        assertThat(offers.missing())
                .filteredOn(missing -> missing.region().equals("cn-hangzhou"))
                .isNotEmpty()
                .allMatch(missing -> missing.reason() == Reason.PLATFORM_UNAVAILABLE);
    }

    @Test
    void aTypeThatThePlatformRefusesToLookUpIsNotOffered() {
        platform.then(400, "{'Code':'InvalidInstanceType.ValueNotSupported','Message':'never heard of it'}");

        assertThat(adapter().offers(query()).missing())
                .isNotEmpty()
                .allMatch(missing -> missing.reason() == Reason.NOT_OFFERED);
    }

    @Test
    void onlyTheRegionsOfTheQueryAreAsked() {
        AliyunAdapter two = adapter(platform.url(), List.of("cn-hangzhou", "cn-beijing"), options());
        platform.then(200, "{'AvailableZones':{'AvailableZone':[]}}");

        two.offers(new OfferQuery(List.of(new Ask(A100, 1)), window(), Set.of("cn-beijing")));

        assertThat(platform.actions()).hasSize(1);
    }

    @Test
    void aThrottledReadKeepsTheWaitOfItsHeader() {
        platform.thenWait(400, "{'Code':'Throttling.User','Message':'slow'}", "20");

        PlatformFault fault =
                catchThrowableOfType(PlatformFault.class, () -> adapter().offers(query()));

        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.THROTTLED);
        assertThat(fault.retryAfter()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void aRefusedBalanceComesWithStatus200AndIsNoBalance() {
        platform.then(200, "{'Code':'NotAuthorized','Message':'no','Success':false,'Data':{'AvailableAmount':'5'}}");

        PlatformFault fault =
                catchThrowableOfType(PlatformFault.class, () -> adapter().balance());

        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.BAD_CREDENTIALS);
    }

    @Test
    void theSecretStaysOutOfEveryMessageEvenIfThePlatformRepeatsIt() {
        platform.then(400, "{'Code':'Odd','Message':'your secret hunter2hunter2 and key LTAIkey are odd'}");

        PlatformFault fault =
                catchThrowableOfType(PlatformFault.class, () -> adapter().offers(query()));

        assertThat(fault).hasMessage("DescribeAvailableResource: Odd: your secret *** and key *** are odd");
    }

    // ---- steps ---------------------------------------------------------------------------------

    private AliyunAdapter adapter() {
        return adapter(platform.url());
    }

    private static AliyunAdapter adapter(URI url) {
        return adapter(url, List.of("cn-hangzhou"), options());
    }

    private static Map<String, String> options() {
        return Map.of(
                "imageId",
                "img",
                "securityGroupId",
                "sg-1",
                "vSwitchId.cn-hangzhou-j",
                "vsw-1",
                "vSwitchId.cn-beijing-k",
                "vsw-2");
    }

    private static AliyunAdapter adapter(URI url, List<String> regions, Map<String, String> options) {
        return (AliyunAdapter) new AliyunAdapterFactory()
                .create(new AccountSettings(
                        "test",
                        "inst0001",
                        regions,
                        url,
                        Map.of("accessKeyId", "LTAIkey", "accessKeySecret", "hunter2hunter2"),
                        options,
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(3),
                        true,
                        () -> NOW));
    }

    private static Window window() {
        return Window.of(NOW, Duration.ofDays(5));
    }

    private static OfferQuery query() {
        return new OfferQuery(List.of(new Ask(A100, 1)), window(), Set.of());
    }

    private static ClaimRequest claim() {
        return claim(MachineSpec.standard());
    }

    private static ClaimRequest claim(MachineSpec machine) {
        Offer offer = Offer.now("ecs.gn7e-c16g1.32xlarge", A100, "cn-hangzhou", "cn-hangzhou-j", Stock.plenty());
        return new ClaimRequest(
                KEY,
                "inst0001",
                offer,
                1,
                window(),
                AliyunPrices.HOURLY,
                window().end().plus(Duration.ofHours(1)),
                machine,
                null);
    }
}
