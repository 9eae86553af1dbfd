package dev.gpubroker.broker.request;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PhraseDatesTest {
    private static final String MISSION = "2026-12-20T00:00+08:00/2026-12-25T00:00+08:00";

    private final Phrases usual = Phrases.usual();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8×A100 for 5 days from the 20th",
                "8卡A100 从20号开始租5天",
                "8×A100 from Dec 20 for 5 days",
                "8×A100 from December 20th for 120 hours",
                "8×A100 from 20 December 2026, 5 days",
                "8×A100 from the 20th of December for 5d",
                "8×A100 from 2026-12-20 for 5 days",
                "8×A100 from 2026/12/20 for 5 days",
                "8×A100 on Dec 20, 2026 for five days",
                "8×A100 12/20 120h",
                "8×A100 20/12 120h",
                "8×A100 starting on the 20th for 5 days",
                "from the 20th for 5 days 8×A100",
                "I want 8 A100s for 5 days from the 20th, please",
                "8×A100 from 20.12.2026 for 5 days",
                "8×A100 20.12 - 24.12",
                "8卡A100 12.20-12.24",
                "8卡A100 从12.20开始租5天",
                "8卡A100 12.20到12.24吧",
                "8×A100 from Sunday Dec 20 for 5 days",
                "8×A100 from Sun, Dec 20, 2026 for 5 days",
                "8×A100 from Dec 20 (Sunday) for 5 days",
                "8×A100 from Sunday the 20th for 5 days",
                "8×A100 from Sunday, 2026-12-20 for 5 days",
                "8卡A100 12月20日周日开始租5天",
                "8卡A100 20号（星期日）开始租5天呗",
                "8卡A100 从20号开始租5天，谢谢",
                "麻烦订8卡A100 从20号开始租5天吧，多谢",
                "8×A100 for 5 days from the 20th, thanks",
                "8×A100 from 2026-12-19 16:00 UTC for 5 days",
                "8×A100 from 2026-12-19 16:00Z for 5 days",
                "8×A100 from 2026-12-20 00:00 +08:00 for 5 days",
                "8×A100 from 2026-12-20 00:00 UTC+8 for 5 days",
                "8×A100 from Dec 19 11:00 GMT-05:00 for 5 days",
                "8卡A100 2026-12-20 00:00 北京时间 租5天",
                "8×A100 from 2026-12-20T00:00+08:00 for 5 days",
                "8×A100 from 2026-12-19T16:00Z for 5 days",
                "8卡A100，12月20日起，租5天",
                "8卡A100 2026年12月20日 五天",
                "8卡A100 2026 年 12 月 20 日 租 120 小时",
                "8卡A100 二〇二六年十二月二十日开始用五天",
                "我要8张A100，从12月20号开始，租用5天。",
                "从20号到24号租8卡A100",
                "20th to 24th 8×A100",
                "20th-24th 8×A100",
                "8×A100 Dec 20-24",
                "8×A100 20th to 24th December",
                "8×A100 Dec 20 to Dec 24",
                "8×A100 Dec 20 - 24, 2026",
                "8卡A100 20-24号",
                "8卡A100 20号到24号",
                "8卡A100 12月20日至24日",
                "8卡A100 12月20到24号",
                "8卡A100 20号到24号 租5天"
            })
    void theTwentiethForFiveDays(String phrase) {
        assertThat(usual.window(phrase)).isEqualTo(MISSION);
    }

    @Test
    void aDayWhoseNextMonthThatHasItIsTooFarIsBeyondTheHorizon() {
        RequestProblem problem = Phrases.at("2027-01-31T10:00+08:00").problem("8×A100 from the 30th for 5 days");

        assertThat(problem.code()).isEqualTo("beyond_horizon");
        assertThat(problem.detail()).contains("30 Mar 2027");
        assertThat(problem.extra()).containsEntry("lastBookable", "2027-03-28T10:00:00+08:00");
    }

    @Test
    void theTwentiethIsNextMonthsOnceThisMonthsIsPast() {
        assertThat(usual.window("8×A100 from the 20th for 5 days")).startsWith("2026-12-20");
        assertThat(Phrases.at("2026-12-10T10:00+08:00").window("8×A100 from the 20th for 5 days"))
                .startsWith("2026-12-20");
    }

    @Test
    void aDateBeyondTheHorizonIsRefusedWithTheLastOneThatCanBeBooked() {
        RequestProblem problem = usual.problem("8卡A100 4月20日开始租5天");

        assertThat(problem.code()).isEqualTo("beyond_horizon");
        assertThat(problem.detail()).contains("20 Apr 2027");
        assertThat(problem.extra()).containsEntry("lastBookable", "2027-01-20T10:00:00+08:00");
    }

    @Test
    void todaysOwnDateAsksForTodayOrNextMonth() {
        assertThat(usual.asked("8卡A100 从25号开始租5天"))
                .containsExactly(
                        "2026-11-25T11:00+08:00/2026-11-30T11:00+08:00",
                        "2026-12-25T00:00+08:00/2026-12-30T00:00+08:00");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8×A100 from today for 5 days",
                "8×A100 from Nov 25 for 5 days",
                "8×A100 from 2026-11-25 for 5 days",
                "8卡A100 从今天开始租5天",
                "8卡A100 从11月25日开始租5天"
            })
    void todaySaidOutrightIsTheNextFullHourAndNeedsNoQuestion(String phrase) {
        assertThat(usual.window(phrase)).isEqualTo("2026-11-25T11:00+08:00/2026-11-30T11:00+08:00");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-12-20T00:00:00+08:00, 2026-12-20T00:00+08:00/2026-12-25T00:00+08:00",
        "2026-12-20T00:00:02+08:00, 2026-12-20T00:00+08:00/2026-12-25T00:00+08:00",
        "2026-12-20T00:05:00+08:00, 2026-12-20T00:00+08:00/2026-12-25T00:00+08:00",
        "2026-12-20T00:05:01+08:00, 2026-12-20T01:00+08:00/2026-12-25T01:00+08:00"
    })
    void midnightUpToFiveMinutesAgoIsNow(String now, String window) {
        for (String start : List.of("today", "2026-12-20", "Dec 20", "the 20th of December", "今天", "12月20号")) {
            assertThat(Phrases.at(now).window("8×A100 from " + start + " for 5 days"))
                    .as(start)
                    .isEqualTo(window);
        }
    }

    @Test
    void aBareDayNumberThatIsTodaysStillAsksAtMidnight() {
        assertThat(Phrases.at("2026-12-20T00:00:02+08:00").asked("8×A100 from the 20th for 5 days"))
                .containsExactly(
                        "2026-12-20T00:00+08:00/2026-12-25T00:00+08:00",
                        "2027-01-20T00:00+08:00/2027-01-25T00:00+08:00");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8×A100 from Feb 30 for 5 days",
                "8卡A100 2月30号开始租5天",
                "8×A100 from 2026-11-31 for 5 days",
                "8×A100 from 2027-02-29 for 5 days",
                "8×A100 from 31 November for 5 days",
                "8卡A100 2026年11月31日 5天",
                "8×A100 from the 32nd for 5 days",
                "8×A100 from the 0th for 5 days",
                "8卡A100 13月1号 5天",
                "8×A100 from 2026-12-20 25:00 for 5 days",
                "8×A100 tomorrow 13pm for 5 hours",
                "8卡A100 星期八 5天",
                "8×A100 from Dec 28 to Dec 32",
                "8×A100 from 2026-12-20T00:00+25:00 for 5 days"
            })
    void aDateOnNoCalendarIsAnErrorAndNeverMoved(String phrase) {
        assertThat(usual.refused(phrase)).isEqualTo("no_such_date start");
    }

    @ParameterizedTest
    @CsvSource({
        "Nov 31, 'November 2026 has 30 days, there is no 31', 2026年11月只有 30 天",
        "Feb 30, 'February 2027 has 28 days, there is no 30', 2027年2月只有 28 天",
        "Feb 29, 'February 2027 has 28 days, there is no 29', 2027年2月只有 28 天",
        "2月30号, 'February 2027 has 28 days, there is no 30', 2027年2月只有 28 天",
        "Dec 32, 'December 2026 has 31 days, there is no 32', 2026年12月只有 31 天"
    })
    void anImpossibleDateIsExplainedByTheYearThatWasMeant(String start, String english, String chinese) {
        RequestProblem problem = usual.problem("8×A100 from " + start + " for 5 days");

        assertThat(problem.code()).isEqualTo("no_such_date");
        assertThat(problem.detail()).contains(english);
        assertThat(problem.detailZh()).contains(chinese);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8×A100 from Tue Dec 21 for 5 days",
                "8×A100 from Tuesday the 21st for 5 days",
                "8×A100 from Dec 21, Tuesday for 5 days",
                "8卡A100 12月21日周二开始租5天",
                "8卡A100 21号（星期二）开始租5天"
            })
    void aWeekdayThatTheDateIsNotOnIsSaid(String phrase) {
        RequestProblem problem = usual.problem(phrase);

        assertThat(problem.code()).isEqualTo("no_such_date");
        assertThat(problem.detail()).contains("21 December 2026 is a Monday, not a Tuesday.");
        assertThat(problem.detailZh()).contains("2026年12月21日是星期一，不是星期二。");
    }

    @Test
    void aWeekdayTellsTodaysNumberFromNextMonths() {
        assertThat(usual.window("8×A100 from Wednesday the 25th for 1 day")).startsWith("2026-11-25T11:00");
        assertThat(usual.window("8×A100 from Friday the 25th for 1 day")).startsWith("2026-12-25T00:00");
    }

    @Test
    void aWeekdayBesideTheEndMustAgreeToo() {
        assertThat(usual.window("8×A100 Mon Dec 21 to Wed Dec 23"))
                .isEqualTo("2026-12-21T00:00+08:00/2026-12-24T00:00+08:00");
        assertThat(usual.refused("8×A100 Mon Dec 21 to Thu Dec 23")).isEqualTo("no_such_date start");
    }

    @Test
    void aDateWithPointsThatMayBeTwoAsks() {
        assertThat(Phrases.at("2026-12-20T10:00+08:00").asked("8×A100 from 1.2.2027 for 1 day"))
                .extracting(window -> window.substring(0, 10))
                .containsExactly("2027-01-02", "2027-02-01");
    }

    @Test
    void hoursOfTheDayAreStillARange() {
        assertThat(usual.window("8×A100 tomorrow 9:00-17:00"))
                .isEqualTo("2026-11-26T09:00+08:00/2026-11-26T17:00+08:00");
    }

    @Test
    void theTwentyNinthOfFebruaryIsThereInALeapYear() {
        assertThat(Phrases.at("2028-02-01T10:00+08:00").window("8卡A100 从29号开始租1天"))
                .isEqualTo("2028-02-29T00:00+08:00/2028-03-01T00:00+08:00");
    }

    @Test
    void aMonthThatLacksTheDayIsSkippedAndTheReadingSaysSo() {
        Reading only = usual.read("8×A100 from the 31st for 1 day").readings().get(0);

        assertThat(usual.window("8×A100 from the 31st for 1 day"))
                .isEqualTo("2026-12-31T00:00+08:00/2027-01-01T00:00+08:00");
        assertThat(only.why()).contains("the month before has no day 31");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-25T10:00+08:00, 2026-11-30",
        "2026-11-30T10:00+08:00, 2026-12-07",
        "2026-11-29T10:00+08:00, 2026-11-30"
    })
    void nextMondayIsTheMondayAfterToday(String now, String monday) {
        assertThat(Phrases.at(now).window("8×A100 starting next Monday for 5 days"))
                .startsWith(monday + "T00:00");
    }

    @ParameterizedTest
    @ValueSource(strings = {"下周一", "下礼拜一", "下星期一", "下个星期一", "下周周一"})
    void chineseNextMondayIsThatOfTheNextCalendarWeek(String monday) {
        assertThat(usual.window("8卡A100 " + monday + "开始租5天")).startsWith("2026-11-30T00:00");
        assertThat(Phrases.at("2026-11-29T10:00+08:00").window("8卡A100 " + monday + "开始租5天"))
                .startsWith("2026-11-30T00:00");
    }

    @Test
    void nextFridayMayBeThisWeeksInEnglishButNotInChinese() {
        assertThat(usual.asked("8×A100 next Friday for 1 day"))
                .extracting(window -> window.substring(0, 10))
                .containsExactly("2026-12-04", "2026-11-27");
        assertThat(usual.window("8卡A100 下周五 1天")).startsWith("2026-12-04");
        assertThat(usual.window("8×A100 Friday next week for 1 day")).startsWith("2026-12-04");
    }

    @Test
    void aWeekdayThatIsPastIsRefusedWithTheNearestFutureReading() {
        RequestProblem problem = Phrases.at("2026-11-27T10:00+08:00").problem("8卡A100 这周周三开始租2天");

        assertThat(problem.code()).isEqualTo("in_the_past");
        assertThat(problem.detail()).contains("25 Nov 2026").contains("2 Dec 2026");
        JsonNode readings = (JsonNode) problem.extra().get("readings");
        assertThat(requireNonNull(readings)
                        .path(0)
                        .path("request")
                        .path("start")
                        .asText())
                .isEqualTo("2026-12-02T00:00:00+08:00");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8×A100 from 2026-11-20 for 5 days",
                "8×A100 yesterday for 5 days",
                "8×A100 today 9am for 5 hours",
                "8卡A100 今天上午9点 5小时",
                "8卡A100 上周一 5天"
            })
    void thePastIsRefused(String phrase) {
        assertThat(usual.refused(phrase)).isEqualTo("in_the_past start");
    }

    @Test
    void mondayToFridayIsTheComingOnesFiveDays() {
        assertThat(Phrases.at("2026-11-26T10:00+08:00").window("8×A100 Monday - Friday"))
                .isEqualTo("2026-11-30T00:00+08:00/2026-12-05T00:00+08:00");
        assertThat(Phrases.at("2026-11-26T10:00+08:00").window("8卡A100 下周一到周五"))
                .isEqualTo("2026-11-30T00:00+08:00/2026-12-05T00:00+08:00");
    }

    @Test
    void nextMonthMayBeInTheNextYear() {
        Phrases december = Phrases.at("2026-12-21T10:00+08:00");

        assertThat(december.window("8卡A100 下个月5号 5天")).startsWith("2027-01-05T00:00");
        assertThat(december.window("8×A100 the 5th of next month for 5 days")).startsWith("2027-01-05T00:00");
        assertThat(december.window("8卡A100 明年1月5号 5天")).startsWith("2027-01-05T00:00");
        assertThat(december.window("8卡A100 1月5号 5天")).startsWith("2027-01-05T00:00");
    }

    @Test
    void aTimeThatIsNotOnTheHourAsksWhichHour() {
        assertThat(usual.asked("8卡A100 12月20日 18:10 2小时"))
                .containsExactly(
                        "2026-12-20T18:00+08:00/2026-12-20T20:00+08:00",
                        "2026-12-20T19:00+08:00/2026-12-20T21:00+08:00");
        assertThat(usual.asked("8卡A100 2026年12月20日09时30分 2小时"))
                .containsExactlyElementsOf(usual.asked("8卡A100 2026 年 12 月 20 日 09 时 30 分 2小时"))
                .first()
                .asString()
                .startsWith("2026-12-20T09:00");
    }

    @ParameterizedTest
    @ValueSource(strings = {"8卡A100 20号到25号", "8×A100 20th to 25th", "8×A100 from the 20th through the 25th"})
    void aRangeOfDaysCountsItsLastDay(String phrase) {
        assertThat(usual.window(phrase)).isEqualTo("2026-12-20T00:00+08:00/2026-12-26T00:00+08:00");
        assertThat(usual.read(phrase).echo()).contains("6 days");
        assertThat(usual.read(phrase).echoZh()).contains("6 天");
    }

    @Test
    void untilADayAsksWhetherThatDayCounts() {
        assertThat(usual.asked("8×A100 from the 20th until the 25th"))
                .containsExactly(
                        "2026-12-20T00:00+08:00/2026-12-26T00:00+08:00",
                        "2026-12-20T00:00+08:00/2026-12-25T00:00+08:00");
    }

    @Test
    void aRangeThatEndsAtATimeEndsThen() {
        assertThat(usual.window("8×A100 tomorrow 9am to 5pm"))
                .isEqualTo("2026-11-26T09:00+08:00/2026-11-26T17:00+08:00");
        assertThat(usual.window("8卡A100 明天晚上10点到后天早上6点")).isEqualTo("2026-11-26T22:00+08:00/2026-11-27T06:00+08:00");
        assertThat(usual.window("8×A100 tomorrow 10pm to 6am"))
                .isEqualTo("2026-11-26T22:00+08:00/2026-11-27T06:00+08:00");
    }

    @Test
    void aRangeThatEndsBeforeItStartsIsRefused() {
        assertThat(usual.refused("8×A100 from 2026-12-25 to 2026-12-20")).isEqualTo("end_before_start end");
        assertThat(usual.refused("8×A100 from the 20th to the 25th for 3 days")).isEqualTo("invalid_request duration");
    }

    @ParameterizedTest
    @CsvSource({
        "for 1w, 168",
        "for 2w3d, 408",
        "1d 12h, 36",
        "for 1 week, 168",
        "for a week, 168",
        "a day, 24",
        "half a day, 12",
        "for 2 weeks and 3 days, 408",
        "120 hours, 120",
        "48h, 48",
        "租5天, 120",
        "五天, 120",
        "一周, 168",
        "两个星期, 336",
        "48小时, 48",
        "半天, 12",
        "一天半, 36",
        "5天12小时, 132",
        "一个月, 744",
        "1.5 days, 36",
        "1.5天, 36",
        "0.5 days, 12",
        "1.5d, 36",
        "2.25 days, 54",
        "1.5 weeks, 252",
        "俩星期, 336",
        "俩小时, 2",
        "十天, 240"
    })
    void lengthsAreReadInBothLanguages(String length, long hours) {
        assertThat(usual.sure("8×A100 Dec 20 " + length).window().length()).isEqualTo(Duration.ofHours(hours));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1.5h", "-1h", "for -1 days", "0 days", "0h", "30 minutes", "90m", "1.3 days", "1.5 months"})
    void aLengthThatIsNoWholeHoursIsRefused(String length) {
        RequestProblem problem = usual.problem("8×A100 from Dec 20 " + length);

        assertThat(problem.code()).isEqualTo("invalid_request");
        assertThat(problem.errors()).extracting(FieldError::field).containsExactly("duration");
        assertThat(problem.detail()).contains("at character ");
    }

    @Test
    void lengthsAddUpOnlyWhereTheirUnitsDescend() {
        assertThat(usual.window("8×A100 Dec 20 1 week 2 days")).endsWith("/2026-12-29T00:00+08:00");
        assertThat(usual.window("8×A100 5 days Dec 20 5 days")).endsWith("/2026-12-25T00:00+08:00");
        assertThat(usual.refused("8×A100 Dec 20 5 days 3 days")).isEqualTo("invalid_request duration");
        assertThat(usual.refused("8×A100 Dec 20 12h 1d")).isEqualTo("invalid_request duration");
    }

    @Test
    void aNumberBehindAnHourIsMinutesOnlyWhereItIsGluedToIt() {
        assertThat(usual.asked("明早8点30 8卡4090 12小时"))
                .extracting(window -> window.substring(0, 16))
                .containsExactly("2026-11-26T08:00", "2026-11-26T09:00");
        assertThat(usual.window("今晚8点到明早8点 8卡4090")).isEqualTo("2026-11-25T20:00+08:00/2026-11-26T08:00+08:00");
    }

    @Test
    void aBadPartIsNamedWithItsPlace() {
        RequestProblem problem = usual.problem("8×A100 from Dec 20 123abc");

        assertThat(problem.code()).isEqualTo("not_understood");
        assertThat(problem.detail()).contains("“123abc” at character 20");
    }

    @Test
    void aLengthBeyondAllBookingsIsRefused() {
        assertThat(usual.problem("8×A100 from Dec 20 for 200 days").errors())
                .extracting(FieldError::code)
                .containsExactly("too_long");
        assertThat(usual.problem("8×A100 from Dec 20 for 99999999999 weeks").errors())
                .extracting(FieldError::code)
                .containsExactly("too_long");
    }

    @Test
    void timesAreTheCallersOwn() {
        Phrases california = new Phrases(
                ZoneId.of("America/Los_Angeles"),
                OffsetDateTime.parse("2026-11-25T17:00-08:00").toInstant());

        BookingRequest request = california.sure("8×A100 tomorrow 6pm for 5 hours");

        assertThat(request.window().start()).isEqualTo("2026-11-27T02:00:00Z");
        assertThat(california.read("8×A100 tomorrow 6pm for 5 hours").echo())
                .contains("26 Nov 2026 18:00 -08:00")
                .contains("America/Los_Angeles");
    }

    @Test
    void anHourThatComesTwiceAsksWhichOne() {
        Phrases newYork = Phrases.at("2027-10-20T10:00+08:00").in("America/New_York");

        assertThat(newYork.asked("8×A100 from 2027-11-07 01:00 for 5 hours"))
                .containsExactly(
                        "2027-11-07T01:00-04:00/2027-11-07T05:00-05:00",
                        "2027-11-07T01:00-05:00/2027-11-07T06:00-05:00");
        assertThat(newYork.asked("8×A100 from 2027-11-07T01:30 for 5 hours")).hasSize(3);
    }

    @Test
    void anHourThatTheClocksSkipIsNoTime() {
        Phrases newYork = Phrases.at("2027-03-01T10:00+08:00").in("America/New_York");

        RequestProblem problem = newYork.problem("8×A100 2027-03-14 02:00 for 5 hours");

        assertThat(problem.code()).isEqualTo("no_such_date");
        assertThat(problem.detail()).contains("skip 02:00");
    }

    @Test
    void aDayOverTheSpringChangeEndsAtTheSameWallTime() {
        Phrases newYork = Phrases.at("2027-03-01T10:00+08:00").in("America/New_York");

        BookingRequest request = newYork.sure("8×A100 from 2027-03-14 for 1 day");

        assertThat(request.window().length()).isEqualTo(Duration.ofHours(23));
        assertThat(newYork.read("8×A100 from 2027-03-14 for 1 day").echo()).contains("23 h (1 day)");
    }

    @ParameterizedTest
    @CsvSource({
        "明天下午一点, 2026-11-26T13:00",
        "明天上午9点, 2026-11-26T09:00",
        "明天中午12点, 2026-11-26T12:00",
        "明天晚上8点, 2026-11-26T20:00",
        "明天中午, 2026-11-26T12:00",
        "今天中午, 2026-11-25T12:00",
        "中午, 2026-11-25T12:00",
        "12月20日中午, 2026-12-20T12:00",
        "明天中午1点, 2026-11-26T13:00",
        "2026-12-20 09:00 UTC, 2026-12-20T17:00",
        "明晚八点, 2026-11-26T20:00",
        "明早6点, 2026-11-26T06:00",
        "今晚10点, 2026-11-25T22:00",
        "后天凌晨2点, 2026-11-27T02:00",
        "明天晚上12点, 2026-11-27T00:00",
        "下午3点, 2026-11-25T15:00",
        "明天下午15点, 2026-11-26T15:00",
        "明天18点, 2026-11-26T18:00",
        "tomorrow 6pm, 2026-11-26T18:00",
        "tomorrow at 6 pm, 2026-11-26T18:00",
        "6pm tomorrow, 2026-11-26T18:00",
        "tomorrow at noon, 2026-11-26T12:00",
        "tomorrow 12am, 2026-11-26T00:00",
        "at 6pm, 2026-11-25T18:00",
        "at 9am, 2026-11-26T09:00",
        "tonight at 8pm, 2026-11-25T20:00",
        "now, 2026-11-25T11:00",
        "现在, 2026-11-25T11:00",
        "此刻, 2026-11-25T11:00",
        "tomorrow, 2026-11-26T00:00",
        "the day after tomorrow, 2026-11-27T00:00",
        "大后天, 2026-11-28T00:00",
        "in 3 days, 2026-11-28T00:00",
        "3天后, 2026-11-28T00:00",
        "3小时后, 2026-11-25T14:00",
        "Friday, 2026-11-27T00:00",
        "周五, 2026-11-27T00:00",
        "下下周一, 2026-12-07T00:00",
        "the 20th at 6pm, 2026-12-20T18:00",
        "20号下午3点, 2026-12-20T15:00"
    })
    void startsAreReadInBothLanguages(String start, String local) {
        assertThat(usual.window("8×A100 " + start + " 5 days")).startsWith(local + "+08:00/");
    }

    @Test
    void anHourWithoutItsHalfOfTheDayAsks() {
        assertThat(usual.asked("8卡A100 明天6点 2小时"))
                .extracting(window -> window.substring(0, 16))
                .containsExactly("2026-11-26T06:00", "2026-11-26T18:00");
        assertThat(usual.asked("8×A100 tomorrow at 6 for 2 hours"))
                .extracting(window -> window.substring(0, 16))
                .containsExactly("2026-11-26T06:00", "2026-11-26T18:00");
        assertThat(usual.window("8卡A100 今天6点 2小时")).startsWith("2026-11-25T18:00");
    }

    @Test
    void aDateOfNumbersThatMayBeTwoAsks() {
        assertThat(Phrases.at("2026-12-20T10:00+08:00").asked("8×A100 1/2 for 1 day"))
                .extracting(window -> window.substring(0, 10))
                .containsExactly("2027-01-02", "2027-02-01");
        assertThat(usual.window("8×A100 12/11 1 day")).startsWith("2026-12-11");
        assertThat(usual.window("8×A100 12/12 1 day")).startsWith("2026-12-12");
    }

    @Test
    void aMissingStartIsNeverNow() {
        assertThat(usual.refused("8×A100 for 5 days")).isEqualTo("invalid_request start");
        assertThat(usual.problem("8×A100 for 5 days").errors())
                .extracting(FieldError::code)
                .containsExactly("missing");
    }

    @Test
    void everyMissingPartIsNamedAtOnce() {
        assertThat(usual.problem("A100").errors())
                .extracting(FieldError::field)
                .containsExactly("gpu.count", "start", "duration");
        assertThat(usual.problem("from the 20th").errors())
                .extracting(FieldError::field)
                .containsExactly("gpu.model", "gpu.count", "duration");
    }

    @Test
    void twoStartsAreOneTooMany() {
        assertThat(usual.refused("8×A100 from the 20th from the 21st for 5 days"))
                .isEqualTo("invalid_request start");
    }

    @Test
    void theEchoSaysEverythingThatWillBeBooked() {
        Interpretation read = usual.read("8×A100 for 5 days from the 20th");

        assertThat(read.echo())
                .isEqualTo("8 × A100 (any variant), on one node, 20 Dec 2026 00:00 +08:00 → 25 Dec 2026 00:00 +08:00"
                        + " (Asia/Shanghai), 120 h (5 days)");
        assertThat(read.echoZh())
                .isEqualTo("8 × A100（型号不限），单节点，2026年12月20日 00:00 +08:00 → 2026年12月25日 00:00 +08:00"
                        + "（Asia/Shanghai），共 120 小时（5 天）");
        assertThat(List.of(read.readings().get(0).why(), read.readings().get(0).whyZh()))
                .doesNotContain("");
    }
}
