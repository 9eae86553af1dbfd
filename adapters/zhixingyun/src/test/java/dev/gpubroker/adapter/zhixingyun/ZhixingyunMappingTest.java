package dev.gpubroker.adapter.zhixingyun;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimStatus.Endpoint;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformFault.Kind;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZhixingyunMappingTest {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
    private static final Instant NOW = Instant.ofEpochSecond(1796000000L);

    // ---- errors ---------------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "4000, accesskey不存在, BAD_CREDENTIALS",
        "4000, sign验证失败, BAD_CREDENTIALS",
        "4001, '', BAD_CREDENTIALS",
        "4000, nonce重复, BAD_REQUEST",
        "4000, 请求过于频繁, THROTTLED",
        "4000, page_size参数超限, BAD_REQUEST",
        "4000, 该状态不能退租, BAD_REQUEST",
        "5000, 系统错误, PLATFORM_ERROR"
    })
    void aRefusedReadIsTheFaultThatItsWordsSay(String code, String message, Kind kind) {
        assertThat(ZhixingyunMapping.refusedRead(answer(code, message)).kind()).isEqualTo(kind);
    }

    @ParameterizedTest
    @CsvSource({"资源不足, SOLD_OUT", "无资源, SOLD_OUT", "库存不足, SOLD_OUT", "账户余额不足, NO_BALANCE", "请先实名认证, NOT_ELIGIBLE"})
    void aRefusedCreateKeepsTheReasonOfItsWords(String message, Reason reason) {
        assertThat(ZhixingyunMapping.atTheGate(answer("4000", message))).isNull();
        assertThat(ZhixingyunMapping.whyRefused(answer("4000", message))).contains(reason);
    }

    @Test
    void aCreateRefusedInUnknownWordsHasNoReasonAndIsNotSoldOut() {
        assertThat(ZhixingyunMapping.whyRefused(answer("4000", "套餐参数有误"))).isEmpty();
        assertThat(ZhixingyunMapping.isDefinite(answer("4000", "套餐参数有误"))).isTrue();
    }

    @Test
    void aServerErrorOnCreateProvesNothing() {
        assertThat(ZhixingyunMapping.isDefinite(answer("5000", "系统错误"))).isFalse();
    }

    @Test
    void aMissingAccessKeyIsNotAMissingMachine() {
        assertThat(ZhixingyunMapping.isNoSuchMachine(answer("4000", "实例不存在"))).isTrue();
        assertThat(ZhixingyunMapping.isNoSuchMachine(answer("4000", "accesskey不存在")))
                .isFalse();
    }

    // ---- machines ---------------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "4, STARTING",
        "1, RUNNING",
        "5, RUNNING",
        "7, FAILED",
        "-1, FAILED",
        "-2, GONE",
        "8, ENDING",
        "0, GONE",
        "42, UNKNOWN"
    })
    void eachStatusHasItsPhaseAndAnUnknownOneIsKept(int status, Phase phase) {
        Machine machine = machine("{\"Container_name\":\"m1\",\"Status\":" + status + "}");

        assertThat(machine.phase()).isEqualTo(phase);
        assertThat(machine.detail()).isEqualTo("Status " + status);
    }

    @Test
    void aRolledBackCreateFailedBecauseNothingWasLeft() {
        Machine machine = machine("{\"Container_name\":\"m1\",\"Status\":-1,\"Message\":\"[fail]回滚成功!\"}");

        assertThat(machine.asClaimed().failure()).isEqualTo(Reason.SOLD_OUT);
        assertThat(machine.detail()).isEqualTo("Status -1 [fail]回滚成功!");
        assertThat(machine.isOver()).isFalse();
    }

    @Test
    void numbersMayBeTexts() {
        Machine machine = machine("""
                {"Container_name":"m1","Status":"1","IsAbnormal":"2","Gpu_num":"8","Ctime":"1796000000",
                 "Due_time":"1796003600","Url":"js1.example.invalid","SshPort":"10022","LoginUserName":""}""");

        assertThat(machine.status()).isEqualTo(1);
        assertThat(machine.gpuNum()).isEqualTo(8);
        assertThat(machine.window()).isEqualTo(Window.of(NOW, Duration.ofHours(1)));
        assertThat(machine.endpoint()).isEqualTo(new Endpoint("js1.example.invalid", 10022, "root"));
        assertThat(machine.detail()).isEqualTo("Status 1 IsAbnormal 2");
    }

    @Test
    void aMachineWithoutStatusIsAFaultAndNotAbsent() {
        assertThatThrownBy(() -> machine("{\"Container_name\":\"m1\"}")).isInstanceOf(PlatformFault.class);
        assertThatThrownBy(() -> machine("{\"Status\":1}")).isInstanceOf(PlatformFault.class);
    }

    @Test
    void onlyOurOwnMarkIsReadAsOne() {
        Mark mark = new Mark("inst0001", new ClaimKey("gb-inst0001-rsv1-1-aaaaaa"));

        assertThat(Mark.read(mark.text())).contains(mark);
        assertThat(Mark.read("18600000000")).isEmpty();
        assertThat(Mark.read("已手动操作退款")).isEmpty();
        assertThat(Mark.read("inst0001.")).isEmpty();
        assertThat(Mark.read("")).isEmpty();
    }

    // ---- stock ---------------------------------------------------------------------------------------------------

    @Test
    void stockIsReadByCardCountAndASpellingThatDiffersALittleIsTheSameModel() {
        ShopState shop = ShopState.read(json("""
                {"gpu_resource_map":{"NVIDIA GeForce RTX4090":{"ValidImages":["ubuntu22_cuda12.4"],
                 "ValidCardsRentable":{"1":true,"8":"false","x":true}}},"last_refresh_time":1796000000}"""));

        ShopState.Model model = shop.model("GeForce RTX 4090").orElseThrow();
        assertThat(model.gpuType()).isEqualTo("NVIDIA GeForce RTX4090");
        assertThat(model.rentable()).isEqualTo(Map.of(1, true, 8, false));
        assertThat(shop.model("GeForce RTX 4090 D")).isEmpty();
        assertThat(shop.isStale(NOW.plusSeconds(299))).isFalse();
        assertThat(shop.isStale(NOW.plusSeconds(301))).isTrue();
    }

    @Test
    void theRefreshTimeMayBeATextOfChineseLocalTime() {
        ShopState shop =
                ShopState.read(json("{\"gpu_resource_map\":{},\"last_refresh_time\":\"2024-12-10 11:01:23\"}"));

        assertThat(shop.refreshedAt()).isEqualTo(Instant.parse("2024-12-10T03:01:23Z"));
    }

    @Test
    void stockWithoutAnAgeIsStale() {
        assertThat(ShopState.read(json("{\"gpu_resource_map\":{}}")).isStale(NOW))
                .isTrue();
        assertThatThrownBy(() -> ShopState.read(json("{}"))).isInstanceOf(PlatformFault.class);
    }

    @Test
    void theCheapestSizeThatIsSoldIsTakenUnlessTheAccountNamesOne() {
        List<Size> sizes = Size.read(json("""
                {"Specifications":[
                 {"SpecName":"gcs.g8.xlarge","GpuNum":8,"HourPrice":1.32,"Disabled":false},
                 {"SpecName":"gcs.g8.tiny","GpuNum":8,"HourPrice":0,"Disabled":true},
                 {"SpecName":"gcs.g8.large","GpuNum":8,"HourPrice":"0.5","Disabled":false},
                 {"SpecName":"gcs.g1.base","GpuNum":1,"HourPrice":0,"Disabled":false}]}"""));

        assertThat(Size.choose(sizes, 8, "").map(Size::name)).contains("gcs.g8.large");
        assertThat(Size.choose(sizes, 8, "xlarge").map(Size::name)).contains("gcs.g8.xlarge");
        assertThat(Size.choose(sizes, 8, "gcs.g8.large").map(Size::name)).contains("gcs.g8.large");
        assertThat(Size.choose(sizes, 8, "tiny")).isEmpty();
        assertThat(Size.choose(sizes, 4, "")).isEmpty();
    }

    // ---- packs and prices ------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "PT1S, hour, 1, hour",
        "PT1H, day, 1, hour",
        "PT120H, hour, 120, hour",
        "PT120H, day, 5, day",
        "PT118H, day, 5, day",
        "PT117H, day, 117, hour",
        "PT120H0.5S, hour, 121, hour",
        "PT120H5M, day, 121, hour"
    })
    void aPackCoversTheWindowAndWastesLittle(Duration length, String billing, int amount, String unit) {
        assertThat(Pack.covering(NOW, NOW.plus(length), billing)).isEqualTo(new Pack(amount, unit));
    }

    /** The figures of a live quote that third parties noted (2026): 8 cards, 120 hours. */
    private static final String QUOTE = """
            {"PackPriceInfoSheet":{"HourLen":120,"FinalCost":"1589.376","InstanceSubPriceSheet":[
             {"ResourceType":"gpu","Title":"租用GPU:8卡","SingleHourPrice":"1.32","Amount":8,"HourLen":120,"FinalDiscount":"0.98"},
             {"ResourceType":"spec","Title":"实例规格","SingleHourPrice":"0.2","Amount":1,"HourLen":120,"FinalDiscount":"0.98"},
             {"ResourceType":"disk","Title":"数据盘","SingleHourPrice":"0.0006","Amount":4500,"HourLen":120,"FinalDiscount":"1"}]}}""";

    @Test
    void theLinesOfALiveQuoteAddUpToItsTotal() {
        List<Price.Line> lines = quote(QUOTE).lines(1);

        assertThat(lines)
                .extracting(Price.Line::kind)
                .containsExactly(LineKind.GPU, LineKind.CPU_MEMORY, LineKind.DATA_DISK);
        assertThat(lines.get(0).unitPrice()).isEqualByComparingTo("1.2936");
        assertThat(lines.get(0).quantity()).isEqualByComparingTo("960");
        assertThat(total(lines)).isEqualByComparingTo("1589.376");
        assertThat(total(quote(QUOTE).lines(3))).isEqualByComparingTo("4768.128");
    }

    @Test
    void whatThePartsDoNotExplainIsALineOfItsOwn() {
        List<Price.Line> lines = quote(QUOTE.replace("1589.376", "1600")).lines(2);

        assertThat(lines.get(3).kind()).isEqualTo(LineKind.OTHER);
        assertThat(lines.get(3).unitPrice()).isEqualByComparingTo("10.624");
        assertThat(total(lines)).isEqualByComparingTo("3200");
    }

    @Test
    void partsThatComeToMoreThanTheTotalOrCannotBeReadGiveWayToTheTotal() {
        assertThat(quote(QUOTE.replace("1589.376", "1500")).lines(1))
                .singleElement()
                .satisfies(line -> assertThat(line.unitPrice()).isEqualByComparingTo("1500"));
        assertThat(quote(QUOTE.replace("\"0.2\"", "null")).lines(1))
                .singleElement()
                .satisfies(line -> assertThat(line.unitPrice()).isEqualByComparingTo("1589.376"));
    }

    @Test
    void aFreeSizeIsNoLineAndAFreeGpuIsOne() {
        String free = QUOTE.replace("\"0.2\"", "0").replace("1589.376", "1565.856");
        String nothing = QUOTE.replace("1.32", "0").replace("\"0.2\"", "0").replace("1589.376", "324");

        assertThat(quote(free).lines(1))
                .extracting(Price.Line::kind)
                .doesNotContain(LineKind.CPU_MEMORY, LineKind.OTHER);
        assertThat(quote(nothing).lines(1).get(0).unitPrice()).isEqualByComparingTo("0");
    }

    @Test
    void aQuoteWithoutATotalOrForFewerHoursIsAFault() {
        assertThatThrownBy(() -> quote(QUOTE.replace("\"1589.376\"", "null"))).isInstanceOf(PlatformFault.class);
        assertThatThrownBy(() -> quote(QUOTE.replace("\"HourLen\":120,\"FinalCost\"", "\"HourLen\":119,\"FinalCost\"")))
                .isInstanceOf(PlatformFault.class);
    }

    @Test
    void numbersBeyondReasonAreNoNumbers() {
        assertThat(Json.decimal(json("\"1e999999999\""))).isNull();
        assertThat(Json.decimal(json("\"12,5\""))).isNull();
        assertThat(Json.decimal(json("0.10"))).isEqualByComparingTo("0.10");
        assertThat(Json.whole(json("1.5"))).isNull();
    }

    // ---- signature ----------------------------------------------------------------------------------------------

    @Test
    void aFormIsSignedAsThePlatformAsks() {
        FormSigner signer = new FormSigner("AK1", "SK1");

        // MD5 of apikey=AK1&instance_name=js1-kvm-9f2c&nonce=8c1f02ab77&timestamp=1796000000&secret=SK1, by another
        // tool.
        assertThat(signer.body(Map.of("instance_name", "js1-kvm-9f2c", "keyword", ""), NOW, "8c1f02ab77"))
                .isEqualTo(
                        "apikey=AK1&instance_name=js1-kvm-9f2c&nonce=8c1f02ab77&sign=dcd159143967681ea3c6b13f39a00317&timestamp=1796000000");
    }

    private static Answer answer(String code, String message) {
        return new Answer(code, message, MissingNode.getInstance());
    }

    private static Machine machine(String text) {
        return Machine.read(json(text));
    }

    private static PackQuote quote(String text) {
        return PackQuote.read(json(text), new Pack(120, Pack.HOUR));
    }

    private static BigDecimal total(List<Price.Line> lines) {
        return lines.stream()
                .map(line -> requireNonNull(line.unitPrice()).multiply(line.quantity()))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException wrong) {
            throw new IllegalArgumentException(wrong);
        }
    }
}
