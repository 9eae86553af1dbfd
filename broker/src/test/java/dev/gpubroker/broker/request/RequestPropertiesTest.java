package dev.gpubroker.broker.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.request.BookingRequest.AtEnd;
import dev.gpubroker.broker.request.BookingRequest.Constraints;
import dev.gpubroker.broker.request.BookingRequest.Gpu;
import dev.gpubroker.broker.request.BookingRequest.OnUnavailable;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class RequestPropertiesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant NOW = Instant.parse("2026-11-25T02:00:00Z");
    private static final RequestNormaliser NORMALISER = new RequestNormaliser(new FakeModelNames(), Phrases.KNOWN);
    private static final List<String> WORDS = List.of(
            "8×A100",
            "8卡",
            "A100",
            "两台",
            "2 nodes of",
            "-1",
            "1.5",
            "for",
            "5 days",
            "5天",
            "from",
            "从",
            "the 20th",
            "20号",
            "Feb 30",
            "next Monday",
            "下周一",
            "to",
            "到",
            "the 25th",
            "tomorrow",
            "6pm",
            "下午三点",
            "18:10",
            "now",
            "半天",
            "80GB",
            "SXM",
            "on",
            "4090",
            "until",
            "10/11",
            "-",
            "x",
            "🙂",
            "A100-8:8",
            "12",
            "月",
            "日",
            "八点五卡",
            "next",
            "last",
            "一",
            "周",
            "2026-11-31",
            "明早");

    @Property(tries = 500)
    void whatIsWrittenIsReadBackAsItWas(@ForAll("requests") BookingRequest request) {
        ObjectNode stored = stored(RequestJson.write(request));

        assertThat(RequestJson.read(stored)).isEqualTo(request);
        assertThat(RequestJson.write(RequestJson.read(stored)).toString())
                .isEqualTo(RequestJson.write(request).toString());
    }

    @Property(tries = 500)
    void whatAReadingSaysCanBePostedAndIsTheSameRequest(@ForAll("requests") BookingRequest request) {
        ObjectNode posted = stored(RequestJson.withoutPhrase(request));

        BookingRequest read = NORMALISER.normalise(posted, ZoneId.of("UTC"), NOW);

        assertThat(RequestJson.withoutPhrase(read).toString())
                .isEqualTo(RequestJson.withoutPhrase(request).toString());
    }

    @Property(tries = 500)
    void englishAndChineseSpellingsOfOneWishAgree(
            @ForAll @IntRange(min = 1, max = 64) int count,
            @ForAll @IntRange(min = 1, max = 55) int ahead,
            @ForAll @IntRange(min = 1, max = 20) int length,
            @ForAll @IntRange(min = 0, max = 2) int spelling,
            @ForAll("models") String model) {
        LocalDate day = LocalDate.of(2026, 11, 25).plusDays(ahead);
        List<String> english = List.of("MMM d", "d MMMM uuuu", "uuuu-MM-dd");
        List<String> chinese = List.of("M月d日", "uuuu年M月d号", "uuuu 年 M 月 d 日");
        DateTimeFormatter inEnglish = DateTimeFormatter.ofPattern(english.get(spelling), Locale.ENGLISH);
        DateTimeFormatter inChinese = DateTimeFormatter.ofPattern(chinese.get(spelling), Locale.CHINESE);
        String amount = spelling == 0 ? length + "天" : spelling == 1 ? length * 24 + "小时" : length + " 天";

        BookingRequest one = sure(count + "×" + model + " for " + length + " days from " + inEnglish.format(day));
        BookingRequest two = sure(count + "卡" + model + " 从" + inChinese.format(day) + "开始租" + amount);

        assertThat(RequestJson.withoutPhrase(two).toString())
                .isEqualTo(RequestJson.withoutPhrase(one).toString());
        assertThat(one.window().start())
                .isEqualTo(day.atStartOfDay(Phrases.SHANGHAI).toInstant());
        assertThat(one.window().length()).isEqualTo(Duration.ofDays(length));
    }

    @Property(tries = 2000)
    void whateverWordsAreSaidEachReadingCanBeBookedOrTheProblemIsNamed(
            @ForAll("words") @Size(max = 8) List<String> words, @ForAll("zones") ZoneId zone) {
        readable(String.join(" ", words), zone);
    }

    @Property(tries = 1000)
    void whateverCharactersAreSaidNothingBreaks(@ForAll String phrase) {
        readable(phrase, Phrases.SHANGHAI);
    }

    private static void readable(String phrase, ZoneId zone) {
        Phrases phrases = new Phrases(zone, NOW);
        try {
            Interpretation read = phrases.read(phrase);
            assertThat(read.needsConfirmation() || read.readings().size() == 1).isTrue();
            for (Reading reading : read.readings()) {
                Window window = reading.request().window();
                assertThat(window.start()).isBetween(NOW.minus(Limits.CLOCK_SKEW), NOW.plus(Limits.HORIZON));
                assertThat(window.start().atZone(zone).getMinute()).isZero();
                assertThat(reading.request().gpu().count()).isBetween(1, Limits.MAX_GPUS);
                assertThat(NORMALISER.normalise(RequestJson.withoutPhrase(reading.request()), ZoneId.of("UTC"), NOW))
                        .isEqualTo(RequestJson.read(RequestJson.withoutPhrase(reading.request())));
            }
        } catch (RequestProblem problem) {
            assertThat(problem.errors()).isNotEmpty();
            assertThat(problem.detail()).isNotBlank();
            assertThat(problem.detailZh()).isNotBlank();
        }
    }

    private static BookingRequest sure(String phrase) {
        return new Phrases(Phrases.SHANGHAI, NOW).sure(phrase);
    }

    /** As the database gives it back: without knowing which numbers were exact. */
    private static ObjectNode stored(ObjectNode json) {
        try {
            return (ObjectNode) JSON.readTree(JSON.writeValueAsString(json));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    @Provide
    Arbitrary<String> models() {
        return Arbitraries.of("A100", "RTX 4090", "4090D", "H20", "A10", "T4", "910B4", "V100");
    }

    @Provide
    Arbitrary<List<String>> words() {
        return Arbitraries.of(WORDS).list().ofMaxSize(8);
    }

    @Provide
    Arbitrary<ZoneId> zones() {
        return Arbitraries.of(
                        "Asia/Shanghai",
                        "America/New_York",
                        "UTC",
                        "Asia/Kolkata",
                        "Australia/Lord_Howe",
                        "Asia/Beirut",
                        "Asia/Kathmandu")
                .map(ZoneId::of);
    }

    @Provide
    Arbitrary<BookingRequest> requests() {
        Arbitrary<Gpu> gpus = Combinators.combine(
                        Arbitraries.of("A100", "RTX4090", "Ascend-910B", "A100-SXM4-80GB"),
                        Arbitraries.of(1, 2, 8, 16, 64, 1024),
                        Arbitraries.of(2, 4, 8).injectNull(0.6),
                        Arbitraries.of(24, 80).injectNull(0.6),
                        Arbitraries.of("sxm", "pcie").injectNull(0.6))
                .as((model, count, nodes, memory, form) ->
                        new Gpu(model, count, nodes != null && count % nodes == 0 ? nodes : null, memory, form));
        Arbitrary<ZonedDateTime> starts = Combinators.combine(
                        zones(), Arbitraries.integers().between(1, 1300))
                .as((zone, hours) -> MomentChoices.nextHour(NOW, zone).plusHours(hours))
                .filter(start -> start.getMinute() == 0);
        return Combinators.combine(
                        gpus,
                        starts,
                        Arbitraries.integers().between(1, 4000),
                        constraints(),
                        substitutions(),
                        machines(),
                        endings(),
                        Combinators.combine(
                                        Arbitraries.of("8×A100 for 5 days", "8卡A100 \"租\"5天\n")
                                                .injectNull(0.5),
                                        Arbitraries.of(OnUnavailable.class).injectNull(0.5),
                                        Arbitraries.of(Money.of("9600.00", "CNY"), Money.of("1", "USD"))
                                                .injectNull(0.5),
                                        Arbitraries.of("训练📞", "<b>&\"'", "7B fine-tuning")
                                                .injectNull(0.5),
                                        Arbitraries.of(
                                                Map.<String, String>of(),
                                                Map.of("project", "llm", "队", "甲, \"乙\"", "a", "")))
                                .as((phrase, onUnavailable, maxTotal, title, labels) -> new RequestOptions(
                                                Constraints.none(),
                                                Substitution.ask(),
                                                onUnavailable,
                                                null,
                                                null,
                                                maxTotal,
                                                title,
                                                labels)
                                        .request(
                                                phrase,
                                                new Gpu("A100", 1, null, null, null),
                                                Window.of(NOW, Duration.ofHours(1)),
                                                ZoneId.of("UTC"))))
                .as((gpu, start, hours, constraints, substitution, machine, atEnd, rest) -> new BookingRequest(
                        rest.phrase(),
                        gpu,
                        Window.of(start.toInstant(), Duration.ofHours(hours)),
                        start.getZone(),
                        constraints,
                        substitution,
                        rest.onUnavailable(),
                        machine,
                        atEnd,
                        rest.maxTotal(),
                        rest.title(),
                        rest.labels()))
                .filter(request ->
                        request.window().end().atZone(request.timeZone()).getMinute() == 0);
    }

    private static Arbitrary<Constraints> constraints() {
        return Combinators.combine(
                        Arbitraries.of("aliyun", "aws", "pool").set().ofMaxSize(3),
                        Arbitraries.of("cn-mlps-3", "iso-27001").set().ofMaxSize(2),
                        Arbitraries.of("encryptedDisks", "noPublicIp", "dedicatedHost")
                                .set()
                                .ofMaxSize(3),
                        Arbitraries.of("nvlink", "hccs").injectNull(0.5),
                        Arbitraries.of(Duration.ofDays(14), Duration.ofMinutes(90))
                                .injectNull(0.5),
                        Arbitraries.just(false).injectNull(0.5))
                .as((platforms, compliance, security, interconnect, lead, single) -> new Constraints(
                        platforms, platforms, compliance, platforms, single, interconnect, lead, null, "cn", security));
    }

    private static Arbitrary<Substitution> substitutions() {
        return Combinators.combine(
                        Arbitraries.of(Substitution.Mode.class),
                        Arbitraries.of("RTX4090", "A100", "H20")
                                .list()
                                .uniqueElements()
                                .ofMaxSize(3),
                        Arbitraries.of("1", "1.3", "2.05", "100")
                                .map(BigDecimal::new)
                                .injectNull(0.3),
                        Arbitraries.of(true, false),
                        Arbitraries.of(true, false))
                .as(Substitution::new);
    }

    private static Arbitrary<MachineWish> machines() {
        return Arbitraries.of(
                        MachineWish.none(),
                        new MachineWish(
                                "img",
                                List.of(),
                                List.of("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB a@b"),
                                "#!/bin/sh\nexit 0\n",
                                500,
                                true),
                        new MachineWish(null, List.of("jax", "pytorch"), List.of(), null, 0, false))
                .injectNull(0.4);
    }

    private static Arbitrary<AtEnd> endings() {
        return Arbitraries.of(
                        new AtEnd("rsync -a /out store:\n", Duration.ofMinutes(20), AtEnd.Keep.DISK, 7),
                        new AtEnd(null, null, AtEnd.Keep.NONE, 0))
                .injectNull(0.4);
    }
}
