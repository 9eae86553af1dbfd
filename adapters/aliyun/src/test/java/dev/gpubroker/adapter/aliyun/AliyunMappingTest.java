package dev.gpubroker.adapter.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AliyunMappingTest {
    private static final Instant NOW = Instant.parse("2026-11-01T02:00:00Z");
    private static final Flavor A100 = new Flavor("A100-SXM4-80GB", 4);
    private static final String SKU = "ecs.gn7e-c16g1.16xlarge";
    private static final AliyunOptions NO_OPTIONS = options(Map.of());

    // ---- stock ---------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "WithStock, Available, PLENTY",
        "ClosedWithStock, Available, SCARCE",
        "AlmostWithStock, Available, SCARCE",
        "'', Available, SCARCE",
    })
    void stockCategoriesBecomeLevels(String category, String status, Stock.Level level) {
        Offers offers = stock(cell("cn-hangzhou-j", category, status));

        assertThat(offers.available())
                .extracting(offer -> offer.stock().level())
                .containsExactly(level);
        assertThat(offers.missing()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "WithoutStock, SoldOut, SOLD_OUT",
        "ClosedWithoutStock, SoldOut, SOLD_OUT",
        "'', SoldOut, SOLD_OUT",
        "'', '', STOCK_UNKNOWN",
    })
    void whatIsNotInStockKeepsThePlatformsWord(String category, String status, Reason reason) {
        Offers offers = stock(cell("cn-hangzhou-j", category, status));

        assertThat(offers.available()).isEmpty();
        assertThat(offers.missing()).singleElement().satisfies(missing -> {
            assertThat(missing.reason()).isEqualTo(reason);
            assertThat(missing.detail()).contains("cn-hangzhou-j").contains(category);
        });
    }

    @Test
    void aTypeThatNoZoneListsIsNotOffered() {
        assertThat(stock().missing()).extracting(Offers.Missing::reason).containsExactly(Reason.NOT_OFFERED);
    }

    @Test
    void eachZoneIsAnOfferOfItsOwnAndTheFullerOneComesFirst() {
        Offers offers = stock(
                cell("cn-hangzhou-i", "WithoutStock", "SoldOut"),
                cell("cn-hangzhou-j", "ClosedWithStock", "Available"),
                cell("cn-hangzhou-k", "WithStock", "Available"));

        assertThat(offers.available())
                .extracting(Offer::id)
                .containsExactly("cn-hangzhou/cn-hangzhou-k/" + SKU, "cn-hangzhou/cn-hangzhou-j/" + SKU);
        assertThat(offers.missing()).isEmpty();
    }

    @Test
    void aZoneWithoutASubnetOfOursIsLeftOutAndNamed() {
        AliyunOptions options = options(Map.of("vSwitchId.cn-hangzhou-k", "vsw-1"));

        Offers offers = AliyunMapping.offers(
                zones(cell("cn-hangzhou-j", "WithStock", "Available")), asks(), "cn-hangzhou", options);

        assertThat(offers.available()).isEmpty();
        assertThat(offers.missing()).singleElement().satisfies(missing -> {
            assertThat(missing.reason()).isEqualTo(Reason.NOT_ELIGIBLE);
            assertThat(missing.detail()).contains("vSwitchId.cn-hangzhou-j");
        });
    }

    @Test
    void aStockReplyWithoutZonesIsAFaultAndNotAnEmptyShelf() {
        assertThatThrownBy(() -> AliyunMapping.offers(json("{'RequestId':'R'}"), asks(), "cn-hangzhou", NO_OPTIONS))
                .isInstanceOf(PlatformFault.class);
    }

    // ---- price ---------------------------------------------------------------------------------

    @Test
    void aPriceIsOneLineForEachPartTimesHoursAndNodes() {
        Price price = hourly("277.93", part("InstanceType", "277.79") + "," + part("SystemDisk", "0.14"), 2);

        assertThat(price.billed()).isEqualTo(Window.of(NOW, Duration.ofDays(5)));
        assertThat(price.lines())
                .containsExactly(
                        line(LineKind.GPU, "InstanceType", "240", "277.79"),
                        line(LineKind.SYSTEM_DISK, "SystemDisk", "240", "0.14"));
    }

    @Test
    void noDigitOfAPriceIsLost() {
        Price price = hourly("1234567.890123456789", part("InstanceType", "1234567.890123456789"), 1);

        assertThat(price.lines()).containsExactly(line(LineKind.GPU, "InstanceType", "120", "1234567.890123456789"));
    }

    @Test
    void partsThatDoNotAddUpGiveWayToTheTotal() {
        Price price = hourly("300.00", part("InstanceType", "277.79") + "," + part("SystemDisk", "0.14"), 1);

        assertThat(price.lines()).containsExactly(line(LineKind.GPU, "InstanceType", "120", "300.00"));
    }

    @Test
    void aTotalWithoutPartsIsEnough() {
        assertThat(hourly("277.93", "", 1).lines())
                .containsExactly(line(LineKind.GPU, "InstanceType", "120", "277.93"));
    }

    @Test
    void aMissingPriceStaysMissingAndAZeroStaysZero() {
        assertThat(hourly("null", "", 1).lines().get(0).unitPrice()).isNull();
        assertThat(hourly("0.0", part("InstanceType", "0.0"), 1).lines().get(0).unitPrice())
                .isEqualByComparingTo(BigDecimal.ZERO);
    }

    @Test
    void aRoundPriceInScientificNotationIsPlain() {
        assertThat(hourly("3e2", "", 1).lines()).containsExactly(line(LineKind.GPU, "InstanceType", "120", "300"));
    }

    @Test
    void anAbsurdNumberIsAFaultAndIsNeverSpeltOut() {
        assertThatThrownBy(() -> hourly("1e999999999", "", 1)).isInstanceOf(PlatformFault.class);
        assertThatThrownBy(() -> hourly("'free'", "", 1)).isInstanceOf(PlatformFault.class);
    }

    @Test
    void aBegunHourIsPaidAsAWholeOne() {
        PriceQuery query = new PriceQuery(offer(), 1, Window.of(NOW, Duration.ofMinutes(90)), MachineSpec.standard());

        Price price = AliyunPrices.hourly(priceReply("277.93", ""), query, NO_OPTIONS, true);

        assertThat(price.billed().length()).isEqualTo(Duration.ofHours(2));
        assertThat(price.lines().get(0).quantity()).isEqualByComparingTo("2");
    }

    @Test
    void whatIsNotPricedIsALineWithoutAPrice() {
        MachineSpec open = new MachineSpec(null, List.of(), List.of(), null, 0, true);
        PriceQuery query = new PriceQuery(offer(), 1, Window.of(NOW, Duration.ofHours(1)), open);

        Price price = AliyunPrices.hourly(priceReply("277.93", ""), query, NO_OPTIONS, false);

        assertThat(price.lines())
                .filteredOn(line -> line.unitPrice() == null)
                .extracting(Price.Line::kind)
                .containsExactly(LineKind.SYSTEM_DISK, LineKind.NETWORK);
    }

    // ---- machines ------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "Pending, '', STARTING",
        "Starting, '', STARTING",
        "Running, 2026-11-01T02:00Z, RUNNING",
        "Stopping, 2026-11-01T02:00Z, ENDING",
        "Stopped, 2026-11-01T02:00Z, ENDING",
        "Stopped, '', STARTING",
        "Hibernating, '', UNKNOWN",
        "'', '', UNKNOWN",
    })
    void statesOfAMachineBecomePhases(String status, String startTime, ClaimStatus.Phase phase) {
        assertThat(AliyunMapping.phase(
                        json("{'InstanceId':'i-1','Status':'" + status + "','StartTime':'" + startTime + "'}")))
                .isEqualTo(phase);
    }

    @Test
    void aClaimIsAsFarAsItsSlowestMachineAndKeepsEveryWord() {
        ClaimStatus status = AliyunMapping.status(
                List.of("i-1", "i-2", "i-3"),
                List.of(
                        json("{'InstanceId':'i-1','Status':'Running'}"),
                        json("{'InstanceId':'i-2','Status':'Starting'}")),
                "root",
                22);

        assertThat(status.phase()).isEqualTo(ClaimStatus.Phase.STARTING);
        assertThat(status.machines())
                .extracting(ClaimStatus.Machine::phase)
                .containsExactly(ClaimStatus.Phase.RUNNING, ClaimStatus.Phase.STARTING, ClaimStatus.Phase.GONE);
        assertThat(status.detail()).isEqualTo("1 Running, 1 Starting, 1 gone");
    }

    @Test
    void aWordWeDoNotKnowMakesTheWholeClaimUnknownAndIsKept() {
        ClaimStatus status = AliyunMapping.status(
                List.of("i-1", "i-2"),
                List.of(
                        json("{'InstanceId':'i-1','Status':'Running'}"),
                        json("{'InstanceId':'i-2','Status':'Levitating'}")),
                "root",
                22);

        assertThat(status.phase()).isEqualTo(ClaimStatus.Phase.UNKNOWN);
        assertThat(status.detail()).contains("Levitating");
    }

    @Test
    void aLockedMachineSaysWhatLocksIt() {
        ClaimStatus status = AliyunMapping.status(
                List.of("i-1"),
                List.of(json("{'InstanceId':'i-1','Status':'Stopped','StartTime':'2026-11-01T02:00Z',"
                        + "'OperationLocks':{'LockReason':[{'LockReason':'financial'}]}}")),
                "root",
                22);

        assertThat(status.detail()).isEqualTo("Stopped (locked: financial)");
    }

    @Test
    void theAddressIsThePublicOneElseThePrivate() {
        String withBoth = "{'InstanceId':'i-1','Status':'Running','PublicIpAddress':{'IpAddress':['203.0.113.7']},"
                + "'EipAddress':{'IpAddress':''},'VpcAttributes':{'PrivateIpAddress':{'IpAddress':['10.0.0.2']}}}";
        String inside = withBoth.replace("'203.0.113.7'", "");

        assertThat(endpoint(withBoth)).isEqualTo(new ClaimStatus.Endpoint("203.0.113.7", 22, "admin"));
        assertThat(endpoint(inside)).isEqualTo(new ClaimStatus.Endpoint("10.0.0.2", 22, "admin"));
        assertThat(endpoint("{'InstanceId':'i-1','Status':'Pending'}")).isNull();
    }

    @ParameterizedTest
    @CsvSource({"'12,345.67', 12345.67", "0.00, 0.00", "-3.5, -3.50"})
    void theBalanceIsReadWithAndWithoutSeparators(String sent, String amount) {
        assertThat(AliyunMapping.balance(json("{'Data':{'AvailableAmount':'" + sent + "','Currency':'CNY'}}")))
                .isEqualTo(Money.of(amount, "CNY"));
    }

    @Test
    void aBalanceThatCannotBeReadIsAFault() {
        assertThatThrownBy(() -> AliyunMapping.balance(json("{'Data':{}}"))).isInstanceOf(PlatformFault.class);
    }

    // ---- requests ------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "2026-11-06T03:00:00Z, 2026-11-06T03:00:00Z",
        "2026-11-06T03:00:01Z, 2026-11-06T03:01:00Z",
        "2026-11-01T02:10:00Z, 2026-11-01T02:31:00Z",
    })
    void aReleaseTimeIsAWholeMinuteNeverEarlyAndNeverTooNear(Instant end, String sent) {
        assertThat(AliyunRequests.releaseTime(end, NOW)).isEqualTo(sent);
    }

    @Test
    void aScriptGoesAsItIsAndWithKeysAsCloudConfig() {
        assertThat(userData(machine(List.of(), "#!/bin/bash\necho hi"))).isEqualTo("#!/bin/bash\necho hi");
        assertThat(userData(machine(List.of(), "echo hi"))).isEqualTo("#!/bin/sh\necho hi");
        assertThat(userData(machine(List.of("ssh-ed25519 AAAA me"), "echo hi")))
                .startsWith("#cloud-config\n")
                .contains("\"ssh_authorized_keys\":[\"ssh-ed25519 AAAA me\"]", "\"runcmd\"");
        assertThat(AliyunUserData.of(MachineSpec.standard())).isNull();
    }

    @Test
    void aScriptLongerThanThePlatformTakesIsRefusedBeforeItIsSent() {
        PlatformFault fault = catchThrowableOfType(
                PlatformFault.class, () -> AliyunUserData.of(machine(List.of(), "#!/bin/sh\n" + "x".repeat(33_000))));
        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.BAD_REQUEST);
    }

    @Test
    void anOptionThatCannotBeUsedIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options(Map.of("systemDiskGb", "plenty")))
                .withMessageContaining("systemDiskGb");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options(Map.of("site", "moon")))
                .withMessageContaining("site");
    }

    @Test
    void realAddressesAreThoseOfTheRegionUnlessAnOptionSaysOtherwise() {
        AliyunOptions abroad =
                options(Map.of("site", "international", "ecsEndpoint.cn-beijing", "ecs-vpc.cn-beijing.aliyuncs.com"));

        assertThat(NO_OPTIONS.ecsEndpoint("cn-beijing")).isEqualTo("ecs.cn-beijing.aliyuncs.com");
        assertThat(NO_OPTIONS.bssEndpoint()).isEqualTo("business.aliyuncs.com");
        assertThat(abroad.ecsEndpoint("cn-beijing")).isEqualTo("ecs-vpc.cn-beijing.aliyuncs.com");
        assertThat(abroad.bssEndpoint()).isEqualTo("business.ap-southeast-1.aliyuncs.com");
        assertThat(abroad.currency().getCurrencyCode()).isEqualTo("USD");
    }

    // ---- steps ---------------------------------------------------------------------------------

    private static Offers stock(String... cells) {
        return AliyunMapping.offers(zones(cells), asks(), "cn-hangzhou", NO_OPTIONS);
    }

    private static List<Ask> asks() {
        return List.of(new Ask(A100, 1));
    }

    private static String cell(String zone, String category, String status) {
        return "{'ZoneId':'" + zone + "','AvailableResources':{'AvailableResource':[{'Type':'InstanceType',"
                + "'SupportedResources':{'SupportedResource':[{'Value':'" + SKU + "','Status':'" + status
                + "','StatusCategory':'" + category + "'}]}}]}}";
    }

    private static JsonNode zones(String... cells) {
        return json("{'AvailableZones':{'AvailableZone':[" + String.join(",", cells) + "]}}");
    }

    private static Offer offer() {
        return Offer.now(SKU, A100, "cn-hangzhou", "cn-hangzhou-j", Stock.plenty());
    }

    private static Price hourly(String total, String parts, int nodes) {
        PriceQuery query = new PriceQuery(offer(), nodes, Window.of(NOW, Duration.ofDays(5)), MachineSpec.standard());
        return AliyunPrices.hourly(priceReply(total, parts), query, NO_OPTIONS, true);
    }

    private static JsonNode priceReply(String total, String parts) {
        return json("{'PriceInfo':{'Price':{'TradePrice':" + total + ",'Currency':'CNY','DetailInfos':{'DetailInfo':["
                + parts + "]}}}}");
    }

    private static String part(String resource, String price) {
        return "{'Resource':'" + resource + "','TradePrice':" + price + "}";
    }

    private static Price.Line line(LineKind kind, String description, String quantity, String price) {
        return new Price.Line(
                kind, description, "instance-hour", new BigDecimal(quantity), new BigDecimal(price), "CNY");
    }

    private static ClaimStatus.@Nullable Endpoint endpoint(String instance) {
        return AliyunMapping.status(List.of("i-1"), List.of(json(instance)), "admin", 22)
                .machines()
                .get(0)
                .endpoint();
    }

    private static MachineSpec machine(List<String> keys, String script) {
        return new MachineSpec(null, List.of(), keys, script, 0, false);
    }

    private static String userData(MachineSpec machine) {
        return new String(Base64.getDecoder().decode(AliyunUserData.of(machine)), StandardCharsets.UTF_8);
    }

    private static AliyunOptions options(Map<String, String> options) {
        return AliyunOptions.of(new AccountSettings(
                "test",
                "inst0001",
                List.of("cn-hangzhou"),
                null,
                Map.of(),
                options,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                true,
                () -> NOW));
    }

    private static JsonNode json(String text) {
        try {
            return AliyunClient.JSON.readTree(text.replace('\'', '"'));
        } catch (com.fasterxml.jackson.core.JsonProcessingException unreadable) {
            throw new IllegalArgumentException(text, unreadable);
        }
    }
}
