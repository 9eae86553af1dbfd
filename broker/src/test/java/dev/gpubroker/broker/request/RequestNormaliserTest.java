package dev.gpubroker.broker.request;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.request.BookingRequest.AtEnd;
import dev.gpubroker.broker.request.BookingRequest.Gpu;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestNormaliserTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String GPU = "'gpu': {'model': 'A100', 'count': 8}";
    private static final String WINDOW = "'start': '2026-12-20T00:00:00+08:00', 'duration': 'P5D'";

    private Set<String> regions = Set.of("cn-hangzhou", "own");

    private final RequestNormaliser normaliser = new RequestNormaliser(
            new FakeModelNames(),
            new KnownNames(
                    Set.of("cn-mlps-3", "iso-27001"),
                    Set.of("CNY", "USD"),
                    () -> Set.of("aliyun", "tencent", "pool"),
                    () -> regions));

    private Instant now = OffsetDateTime.parse("2026-11-25T10:00+08:00").toInstant();

    private static ObjectNode body(String... members) {
        try {
            return (ObjectNode) JSON.readTree(("{" + String.join(", ", members) + "}").replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private BookingRequest normal(String... members) {
        return normaliser.normalise(body(members), Phrases.SHANGHAI, now);
    }

    private RequestProblem problem(String... members) {
        RequestProblem problem = catchThrowableOfType(RequestProblem.class, () -> normal(members));
        assertThat(problem).as("%s is refused", List.of(members)).isNotNull();
        return problem;
    }

    /** "code of the problem: field code, field code". */
    private String refused(String... members) {
        RequestProblem problem = problem(members);
        return problem.code() + ": "
                + String.join(
                        ", ",
                        problem.errors().stream()
                                .map(error -> error.field() + " " + error.code())
                                .toList());
    }

    @Test
    void aPhraseAndItsPartsAreTheSameRequest() {
        BookingRequest parts = normal(GPU, WINDOW);

        assertThat(RequestJson.withoutPhrase(normal("'phrase': '8卡A100 从20号开始租5天'")))
                .isEqualTo(RequestJson.withoutPhrase(parts));
        assertThat(parts.window())
                .isEqualTo(new Window(Instant.parse("2026-12-19T16:00:00Z"), Instant.parse("2026-12-24T16:00:00Z")));
    }

    @Test
    void endDurationAndHoursAreTheSameRequest() {
        BookingRequest days = normal(GPU, WINDOW);

        assertThat(normal(GPU, "'start': '2026-12-20T00:00:00+08:00', 'duration': 'PT120H'"))
                .isEqualTo(days);
        assertThat(normal(GPU, "'start': '2026-12-20T00:00+08:00', 'end': '2026-12-24T16:00:00Z'"))
                .isEqualTo(days);
        assertThat(normal(GPU, "'start': '2026-12-20', 'end': '2026-12-25', 'timeZone': 'Asia/Shanghai'"))
                .isEqualTo(days);
        assertThat(normal(GPU, "'start': '2026-12-20T00:00', 'duration': 'P4DT24H', 'timeZone': 'Asia/Shanghai'"))
                .isEqualTo(days);
    }

    @Test
    void aDayOverAClockChangeIsADayAndHoursAreHours() {
        now = Instant.parse("2027-03-01T00:00:00Z");
        String start = "'start': '2027-03-14T00:00', 'timeZone': 'America/New_York'";

        assertThat(normal(GPU, start, "'duration': 'P1D'").window().length()).isEqualTo(Duration.ofHours(23));
        assertThat(normal(GPU, start, "'duration': 'PT24H'").window().length()).isEqualTo(Duration.ofHours(24));
    }

    @Test
    void aTimeWithoutOffsetNeedsAZone() {
        assertThat(refused(GPU, "'start': '2026-12-20T00:00:00', 'duration': 'P5D'"))
                .isEqualTo("invalid_request: start offset_missing");
        assertThat(normal(GPU, "'start': '2026-12-20T00:00:00', 'duration': 'P5D', 'timeZone': 'Europe/Berlin'")
                        .window()
                        .start())
                .isEqualTo("2026-12-19T23:00:00Z");
    }

    @Test
    void anHourThatComesTwiceAsksAndBothCanBeBooked() {
        now = Instant.parse("2027-10-20T00:00:00Z");
        RequestProblem problem =
                problem(GPU, "'start': '2027-11-07T01:00', 'duration': 'PT5H', 'timeZone': 'America/New_York'");

        assertThat(problem.code()).isEqualTo("needs_confirmation");
        assertThat(problem.status()).isEqualTo(422);
        JsonNode readings = (JsonNode) requireNonNull(problem.extra().get("readings"));
        assertThat(readings).hasSize(2);
        List<Instant> starts = readings.valueStream()
                .map(reading -> normaliser
                        .normalise((ObjectNode) reading.get("request"), Phrases.SHANGHAI, now)
                        .window()
                        .start())
                .toList();
        assertThat(starts)
                .containsExactly(Instant.parse("2027-11-07T05:00:00Z"), Instant.parse("2027-11-07T06:00:00Z"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2026-11-31T00:00:00+08:00 | no_such_date: start no_such_date",
                "2027-02-29T00:00:00+08:00 | no_such_date: start no_such_date",
                "2026-12-20T24:00:00+08:00 | no_such_date: start no_such_date",
                "2026-13-20T00:00:00+08:00 | no_such_date: start no_such_date",
                "2026-12-20T00:00:00+25:00 | no_such_date: start no_such_date",
                "2026-11-25T09:54:59+08:00 | in_the_past: start in_the_past",
                "2026-11-24T00:00:00+08:00 | in_the_past: start in_the_past",
                "2027-01-20T11:00:00+08:00 | beyond_horizon: start beyond_horizon",
                "9999-12-31T00:00:00+08:00 | beyond_horizon: start beyond_horizon",
                "2026-12-20T00:30:00+08:00 | invalid_request: start not_on_the_hour",
                "2026-12-20T00:00:00.5+08:00 | invalid_request: start not_on_the_hour",
                "20 December | invalid_request: start bad_value",
                "2026-12-20 | invalid_request: start offset_missing"
            })
    void aStartThatCannotBeBookedIsRefused(String start, String problem) {
        assertThat(refused(GPU, "'start': '" + start + "', 'duration': 'P5D'")).isEqualTo(problem);
    }

    @Test
    void theLastHourOfTheHorizonCanBeBookedAndIsNamed() {
        assertThat(normal(GPU, "'start': '2027-01-20T10:00:00+08:00', 'duration': 'P5D'"))
                .isNotNull();
        assertThat(problem(GPU, "'start': '2027-04-20T00:00:00+08:00', 'duration': 'P5D'")
                        .extra())
                .containsEntry("lastBookable", "2027-01-20T10:00:00+08:00");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-25T09:55:00+08:00, 2026-11-25T02:00:00Z",
        "2026-11-25T09:59:30.123+08:00, 2026-11-25T02:00:00Z",
        "2026-11-25T10:00:00+08:00, 2026-11-25T02:00:00Z"
    })
    void aStartThatIsPastOnlyByTheCallersClockCountsAsNow(String start, String read) {
        assertThat(normal(GPU, "'start': '" + start + "', 'duration': 'PT5H'")
                        .window()
                        .start())
                .isEqualTo(read);
    }

    @Test
    void theEndMustFollowTheStart() {
        String start = "'start': '2026-12-20T00:00:00+08:00'";

        assertThat(refused(GPU, start, "'end': '2026-12-20T00:00:00+08:00'"))
                .isEqualTo("end_before_start: end end_before_start");
        assertThat(refused(GPU, start, "'end': '2026-12-19T00:00:00+08:00'"))
                .isEqualTo("end_before_start: end end_before_start");
        assertThat(refused(GPU, start, "'end': '2026-12-20T00:59:00+08:00'"))
                .isEqualTo("invalid_request: end not_on_the_hour");
        assertThat(refused(GPU, start, "'end': '2027-12-20T00:00:00+08:00'"))
                .isEqualTo("invalid_request: end too_long");
        assertThat(refused(GPU, start, "'duration': 'P183D'")).isEqualTo("invalid_request: duration too_long");
        assertThat(refused(GPU, start, "'duration': 'P999999W'")).isEqualTo("invalid_request: duration too_long");
        assertThat(normal(GPU, start, "'duration': 'P182D'")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"P0D", "-P5D", "P-5D", "PT90M", "PT0S", "5D", "P", "PT", "P5DT", "5 days", "P1.5D", "PT1.5H"})
    void aDurationThatIsNoWholeHoursIsRefused(String duration) {
        assertThat(refused(GPU, "'start': '2026-12-20T00:00:00+08:00'", "'duration': '" + duration + "'"))
                .isEqualTo("invalid_request: duration bad_value");
    }

    @Test
    void whatIsMissingIsNamed() {
        assertThat(refused("'title': 'x'")).isEqualTo("invalid_request: gpu missing, start missing, end missing");
        assertThat(refused("'gpu': {}", WINDOW)).isEqualTo("invalid_request: gpu.model missing, gpu.count missing");
        assertThat(refused(GPU, WINDOW, "'end': '2026-12-25T00:00:00+08:00'"))
                .isEqualTo("invalid_request: duration conflict");
    }

    @Test
    void aPhraseBesideItsPartsNamesTheConflicts() {
        assertThat(refused("'phrase': '8×A100 for 5 days from the 20th'", GPU, WINDOW))
                .isEqualTo(
                        "invalid_request: gpu conflicts_with_phrase, start conflicts_with_phrase, duration conflicts_with_phrase");
    }

    @Test
    void aPhraseTakesConstraintsAndTheRest() {
        BookingRequest request = normal(
                "'phrase': '8×A100 for 5 days from the 20th'",
                "'constraints': {'compliance': ['cn-mlps-3']}",
                "'title': ' 7B fine-tuning '",
                "'timeZone': 'Asia/Tokyo'");

        assertThat(request.phrase()).isEqualTo("8×A100 for 5 days from the 20th");
        assertThat(request.constraints().compliance()).containsExactly("cn-mlps-3");
        assertThat(request.title()).isEqualTo("7B fine-tuning");
        assertThat(request.timeZone()).isEqualTo(ZoneId.of("Asia/Tokyo"));
        assertThat(request.window().start()).isEqualTo("2026-12-19T15:00:00Z");
    }

    @Test
    void aPhraseMayHaveLinesButNotTooManyCharacters() {
        assertThat(normal("'phrase': '8×A100\\nfrom the 20th\\n\\tfor 5 days'").window())
                .isEqualTo(normal(GPU, WINDOW).window());
        assertThat(refused("'phrase': '" + "8".repeat(501) + "'")).isEqualTo("invalid_request: phrase too_long");
        assertThat(refused("'phrase': ''"))
                .isEqualTo("invalid_request: gpu.model missing, gpu.count missing, start missing, duration missing");
    }

    @Test
    void aPhraseThatAsksGivesReadingsThatCanBePostedWithAllElseThatWasSaid() {
        RequestProblem problem = problem(
                "'phrase': '8卡A100 从25号开始租5天'",
                "'title': 'nightly'",
                "'maxTotal': {'amount': '9600', 'currency': 'CNY'}");

        assertThat(problem.code()).isEqualTo("needs_confirmation");
        JsonNode second = ((JsonNode) requireNonNull(problem.extra().get("readings"))).get(1);
        BookingRequest posted = normaliser.normalise((ObjectNode) second.get("request"), ZoneId.of("UTC"), now);
        assertThat(posted.window().start()).isEqualTo("2026-12-24T16:00:00Z");
        assertThat(posted.title()).isEqualTo("nightly");
        assertThat(posted.maxTotal()).isEqualTo(Money.of("9600.00", "CNY"));
        assertThat(posted.timeZone()).isEqualTo(Phrases.SHANGHAI);
        assertThat(second.path("why").asText()).isNotEmpty();
    }

    @Test
    void anInterpretationNeverRefusesToAsk() {
        Interpretation read = normaliser.interpret(body("'phrase': '8卡A100 从25号开始租5天'"), Phrases.SHANGHAI, now);
        ObjectNode json = RequestJson.interpretation(read);

        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly("request", "readings", "needsConfirmation", "echo", "echoZh");
        assertThat(json.path("needsConfirmation").booleanValue()).isTrue();
        assertThat(json.path("request")).isEqualTo(json.path("readings").path(0).path("request"));
        assertThat(json.path("request").has("phrase")).isFalse();
    }

    @Test
    void everythingThatIsWrongIsSaidAtOnce() {
        assertThat(refused(
                        "'gpu': {'model': 'A1000', 'count': 0, 'memoryGb': 99999}",
                        "'start': '2026-11-31T00:00:00+08:00', 'duration': 'x'",
                        "'timeZone': 'Mars/Olympus'",
                        "'constraints': {'compliance': ['iso-1'], 'singleNod': true}",
                        "'maxTotal': {'amount': '-1', 'currency': 'CNY'}",
                        "'labels': {'': 'x'}",
                        "'durration': 'P5D'"))
                .isEqualTo(
                        "invalid_request: durration unknown_field, constraints.singleNod unknown_field, maxTotal bad_value,"
                                + " labels. bad_value, constraints.compliance unknown_compliance, timeZone time_zone_unknown,"
                                + " gpu.model unknown_model, gpu.count out_of_range, gpu.memoryGb out_of_range,"
                                + " start no_such_date, duration bad_value");
    }

    @Test
    void wrongWordsOfAPhraseAndWrongMembersAreSaidTogether() {
        assertThat(refused("'phrase': '0×A100 for 5 days'", "'constraints': {'compliance': ['iso-1']}"))
                .isEqualTo(
                        "invalid_request: constraints.compliance unknown_compliance, gpu.count out_of_range, start missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"JPY", "EUR"})
    void aCurrencyThatNoPriceCanBeComparedInIsRefused(String currency) {
        RequestProblem problem = problem(GPU, WINDOW, "'maxTotal': {'amount': '10', 'currency': '" + currency + "'}");

        assertThat(problem.status()).isEqualTo(400);
        assertThat(problem.code()).isEqualTo("invalid_request");
        assertThat(problem.errors()).extracting(FieldError::field).containsExactly("maxTotal.currency");
        assertThat(problem.detail()).contains(currency, "CNY, USD");
        assertThat(problem.extra().get("known")).isEqualTo(List.of("CNY", "USD"));
    }

    @Test
    void goldIsNoCurrencyEither() {
        assertThat(refused(GPU, WINDOW, "'maxTotal': {'amount': '10', 'currency': 'XAU'}"))
                .startsWith("invalid_request: maxTotal");
    }

    @Test
    void anUnknownPlatformIsRefusedWithThoseThatAreKnown() {
        RequestProblem problem = problem(GPU, WINDOW, "'constraints': {'platforms': ['aliyn', 'Tencent']}");

        assertThat(problem.status()).isEqualTo(400);
        assertThat(problem.code()).isEqualTo("unknown_platform");
        assertThat(problem.errors()).extracting(FieldError::field).containsExactly("constraints.platforms");
        assertThat(problem.detail()).contains("aliyn", "aliyun, pool, tencent").doesNotContain("“tencent”");
    }

    @Test
    void aRegionOfNobodyIsRefusedWithThoseThatAreKnown() {
        assertThat(refused(GPU, WINDOW, "'constraints': {'regions': ['atlantis', 'cn-hangzhou']}"))
                .isEqualTo("invalid_request: constraints.regions bad_value");
        assertThat(problem(GPU, WINDOW, "'constraints': {'regions': ['atlantis']}")
                        .detail())
                .contains("atlantis", "cn-hangzhou, own");
    }

    @Test
    void withoutAnyAccountNobodyCanSayWhichRegionsThereAre() {
        regions = Set.of();

        assertThat(normal(GPU, WINDOW, "'constraints': {'regions': ['atlantis']}")
                        .constraints()
                        .regions())
                .containsExactly("atlantis");
    }

    @Test
    void oneKindOfErrorNamesTheProblem() {
        assertThat(problem(GPU, WINDOW, "'constraints': {'compliance': ['iso-1']}")
                        .code())
                .isEqualTo("unknown_compliance");
        assertThat(problem("'gpu': {'model': 'A1000', 'count': 8}", WINDOW).code())
                .isEqualTo("unknown_model");
        assertThat(problem(GPU, WINDOW, "'durration': 'P5D'").code()).isEqualTo("unknown_field");
        for (String none : List.of("Mars/Olympus", "+08:00", "Z", "UTC+8", "GMT+08:00", "asia/shanghai")) {
            assertThat(problem(GPU, WINDOW, "'timeZone': '" + none + "'").code())
                    .as(none)
                    .isEqualTo("time_zone_unknown");
        }
        assertThat(normal(GPU, WINDOW, "'timeZone': 'UTC'").timeZone()).isEqualTo(ZoneId.of("UTC"));
        assertThat(problem("'gpu': {'model': 'A100', 'count': 8, 'nodes': 3}", WINDOW)
                        .code())
                .isEqualTo("shape_impossible");
    }

    @Test
    void anUnknownModelComesWithSuggestions() {
        RequestProblem problem = problem("'gpu': {'model': 'A1000', 'count': 8}", WINDOW);

        assertThat(problem.extra().get("suggestions")).asString().contains("A100");
        assertThat(problem.detailZh()).contains("A1000");
    }

    @Test
    void namesBecomeCanonical() {
        BookingRequest request = normal(
                "'gpu': {'model': 'geforce rtx 4090', 'count': 8, 'formFactor': 'SXM4'}",
                WINDOW,
                "'substitution': {'models': ['4090 D', 'RTX4090D', 'a100'], 'maxSlowdown': 1.30}");

        assertThat(request.gpu()).isEqualTo(new Gpu("RTX4090", 8, null, null, "sxm"));
        assertThat(request.substitution())
                .isEqualTo(new Substitution(
                        Substitution.Mode.ASK, List.of("RTX4090D", "A100"), new BigDecimal("1.3"), false, false));
    }

    @Test
    void shapesThatCannotBeAreRefusedAndImpliedOnesLeftOut() {
        assertThat(refused(
                        "'gpu': {'model': 'A100', 'count': 8, 'nodes': 2}",
                        WINDOW,
                        "'constraints': {'singleNode': true}"))
                .isEqualTo("shape_impossible: gpu.nodes shape_impossible");
        assertThat(normal("'gpu': {'model': 'A100', 'count': 8, 'nodes': 1}", WINDOW))
                .isEqualTo(normal(GPU, WINDOW));
        assertThat(normal("'gpu': {'model': 'A100', 'count': 16, 'nodes': 2}", WINDOW)
                        .gpu()
                        .nodes())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5", "1025", "'8'", "1e400", "99999999999", "true"})
    void aCountThatIsNoneIsRefused(String count) {
        assertThat(refused("'gpu': {'model': 'A100', 'count': " + count + "}", WINDOW))
                .isEqualTo("invalid_request: gpu.count out_of_range");
    }

    @Test
    void theWholeBodyIsRead() {
        BookingRequest request = normal(
                GPU,
                WINDOW,
                "'onUnavailable': 'queue'",
                "'machine': {'image': 'pytorch-2.6', 'sshKeys': ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB a@b'], 'dataDiskGb': 500}",
                "'atEnd': {'hook': 'rsync -a /out store:', 'hookTimeout': 'PT20M', 'keep': 'disk', 'keepDays': 7}",
                "'constraints': {'maxLeadTime': 'P2W', 'security': {'noPublicIp': true, 'dedicatedHost': false}}",
                "'labels': {'project': 'llm'}");

        assertThat(request.onUnavailable()).isEqualTo(BookingRequest.OnUnavailable.QUEUE);
        assertThat(request.machine())
                .isEqualTo(new MachineWish(
                        "pytorch-2.6",
                        List.of(),
                        List.of("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB a@b"),
                        null,
                        500,
                        null));
        assertThat(request.atEnd())
                .isEqualTo(new AtEnd("rsync -a /out store:", Duration.ofMinutes(20), AtEnd.Keep.DISK, 7));
        assertThat(request.constraints().maxLeadTime()).isEqualTo(Duration.ofDays(14));
        assertThat(request.constraints().security()).containsExactly("noPublicIp");
        assertThat(request.labels()).isEqualTo(Map.of("project", "llm"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'machine': {'image': 'a', 'frameworks': ['pytorch']} | machine.frameworks conflict",
                "'machine': {'sshKeys': ['-----BEGIN OPENSSH PRIVATE KEY-----']} | machine.sshKeys bad_value",
                "'machine': {'dataDiskGb': -1} | machine.dataDiskGb out_of_range",
                "'atEnd': {'keep': 'disk'} | atEnd.keepDays conflict",
                "'atEnd': {'keep': 'all'} | atEnd.keep bad_value",
                "'atEnd': {'hook': 'x', 'hookTimeout': '-PT5M'} | atEnd.hookTimeout bad_value",
                "'atEnd': {'hook': 'x', 'hookTimeout': 'PT59S'} | atEnd.hookTimeout out_of_range",
                "'atEnd': {'hook': 'x', 'hookTimeout': 'PT2H1S'} | atEnd.hookTimeout out_of_range",
                "'onUnavailable': 'wait' | onUnavailable bad_value",
                "'substitution': {'maxSlowdown': 0.9} | substitution.maxSlowdown out_of_range",
                "'substitution': {'models': 'RTX4090'} | substitution.models bad_value",
                "'constraints': {'interconnect': 'ethernet'} | constraints.interconnect bad_value",
                "'constraints': {'customerType': 'hobby'} | constraints.customerType bad_value",
                "'constraints': 'none' | constraints bad_value",
                "'maxTotal': {'amount': '1.005', 'currency': 'CNY'} | maxTotal bad_value",
                "'maxTotal': {'amount': '1e9', 'currency': 'CNY'} | maxTotal bad_value",
                "'maxTotal': {'amount': '10', 'currency': 'RMB'} | maxTotal bad_value",
                "'substitution': {'maxSlowdown': 1e999} | substitution.maxSlowdown out_of_range",
                "'title': 5 | title bad_value",
                "'title': 'a\\u0000b' | title bad_value",
                "'title': 'a\\ud800b' | title bad_value"
            })
    void aMemberThatIsWrongIsNamed(String member, String error) {
        assertThat(refused(GPU, WINDOW, member)).isEqualTo("invalid_request: " + error);
    }

    @Test
    void titlesAndLabelsAreCountedInCharacters() {
        assertThat(normal(GPU, WINDOW, "'title': '" + "📞".repeat(300) + "'").title())
                .hasSize(600);
        assertThat(problem(GPU, WINDOW, "'title': '" + "📞".repeat(301) + "'").detail())
                .contains("at most 300 characters");
        assertThat(refused(GPU, WINDOW, "'labels': {'k': '" + "v".repeat(256) + "'}"))
                .isEqualTo("invalid_request: labels.k too_long");
    }
}
