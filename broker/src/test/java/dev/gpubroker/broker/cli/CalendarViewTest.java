package dev.gpubroker.broker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.client.model.BarGpus;
import dev.gpubroker.client.model.Calendar;
import dev.gpubroker.client.model.CalendarBar;
import dev.gpubroker.client.model.CalendarRow;
import dev.gpubroker.client.model.State;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the calendar looks as text. */
class CalendarViewTest {
    private static final int COLUMNS = 60;

    @Test
    void aBarBeginsAndEndsUnderItsDays() {
        Calendar calendar = calendar(
                "2026-12-01", "2026-12-11", row("aliyun", bar("train", State.ACTIVE, "2026-12-03", "2026-12-07")));

        assertThat(lines(calendar))
                .startsWith(
                        "        2026-12",
                        "        1   2   3   4   5   6   7   8   9   10",
                        "aliyun  ········[A train=======]················");
    }

    @Test
    void chineseTitlesAndNamesTakeTwoColumnsEach() {
        Calendar calendar = calendar(
                "2026-12-01",
                "2026-12-11",
                row("阿里云", bar("微调 7B 大模型训练任务很长的标题", State.QUEUED, "2026-12-03", "2026-12-06")),
                row("lab"));

        List<String> lines = lines(calendar);

        assertThat(lines.get(2)).isEqualTo("阿里云  ········[Q 微调 7B…]····················");
        assertThat(lines.get(3)).isEqualTo("lab     ········································");
        assertThat(lines.subList(2, 4))
                .allSatisfy(line -> assertThat(Width.of(line)).isEqualTo(8 + 40));
    }

    @Test
    void barsThatFollowEachOtherShareALineAndThoseThatOverlapDoNot() {
        Calendar calendar = calendar(
                "2026-12-01",
                "2026-12-11",
                row(
                        "lab",
                        bar("a", State.ACTIVE, "2026-12-01", "2026-12-03"),
                        bar("b", State.CONFIRMED, "2026-12-03", "2026-12-05"),
                        bar("c", State.QUEUED, "2026-12-02", "2026-12-04")));

        assertThat(lines(calendar).subList(2, 4))
                .containsExactly(
                        "lab     [A a===][C b===]························",
                        "        ····[Q c===]····························");
    }

    @Test
    void whatGoesOnBeyondTheEdgesIsOpenThere() {
        Calendar calendar =
                calendar("2026-12-01", "2026-12-11", row("lab", bar("long", State.ACTIVE, "2026-11-20", "2027-01-05")));

        assertThat(lines(calendar).get(2)).isEqualTo("lab     <A long================================>");
    }

    @Test
    void aSubstituteIsMarkedAndTheLegendSaysSo() {
        CalendarBar bar = bar("t", State.ACTIVE, "2026-12-01", "2026-12-03").substituted(true);

        String text = CalendarView.text(calendar("2026-12-01", "2026-12-11", row("lab", bar)), COLUMNS, Lang.EN);

        assertThat(text)
                .contains("[A* t==]")
                .contains("A active   * another model stands in")
                .contains("rsv_t");
    }

    @Test
    void aNarrowBarStillHasItsLetter() {
        CalendarBar bar =
                bar("long", State.COMPLETED, "2026-11-30", "2026-12-02").substituted(true);

        String text = CalendarView.text(calendar("2026-12-01", "2026-12-11", row("lab", bar)), 40, Lang.EN);

        assertThat(text).contains("lab     <D]···");
    }

    @Test
    void anHourIsStillSeen() {
        Calendar calendar = calendar(
                "2026-12-01",
                "2026-12-11",
                row("lab", bar("x", State.ACTIVE, "2026-12-02T00:00:00+08:00", "2026-12-02T01:00:00+08:00")));

        assertThat(lines(calendar).get(2)).isEqualTo("lab     ····A···································");
    }

    @Test
    void manyDaysFitByNarrowerOnes() {
        Calendar calendar = calendar(
                "2026-12-01", "2027-01-12", row("lab", bar("train", State.ACTIVE, "2026-12-03", "2026-12-23")));

        List<String> lines = lines(calendar);

        assertThat(lines.subList(0, 3))
                .allSatisfy(line -> assertThat(Width.of(line)).isLessThanOrEqualTo(COLUMNS));
        assertThat(lines.get(2)).contains("[A train===========]");
        assertThat(lines.get(0)).contains("2026-12").contains("2027-01");
    }

    @Test
    void anEmptyCalendarSaysSo() {
        assertThat(CalendarView.text(calendar("2026-12-01", "2026-12-11", row("lab")), COLUMNS, Lang.ZH))
                .contains("没有预订。");
        assertThat(CalendarView.text(calendar("2026-12-01", "2026-12-02"), COLUMNS, Lang.EN))
                .contains("Nothing");
    }

    @Test
    void everyStateHasALetterOfItsOwn() {
        List<State> known = List.of(State.values()).subList(0, State.values().length - 1);

        assertThat(known.stream().map(CalendarView::letter))
                .doesNotHaveDuplicates()
                .doesNotContain("?");
    }

    @Test
    void aTitleCannotMoveTheCursor() {
        String text = CalendarView.text(
                calendar(
                        "2026-12-01",
                        "2026-12-11",
                        row("lab", bar("a\u001b[2Jb\r\nc", State.ACTIVE, "2026-12-01", "2026-12-09"))),
                COLUMNS,
                Lang.EN);

        assertThat(text).doesNotContain("\u001b").doesNotContain("\r").contains("[A a[2Jb c=");
    }

    private static List<String> lines(Calendar calendar) {
        return CalendarView.text(calendar, COLUMNS, Lang.EN).lines().toList();
    }

    private static Calendar calendar(String from, String to, CalendarRow... rows) {
        return new Calendar().from(time(from)).to(time(to)).rows(List.of(rows));
    }

    private static CalendarRow row(String label, CalendarBar... bars) {
        return new CalendarRow()
                .id(label)
                .label(label)
                .kind(CalendarRow.KindEnum.PLATFORM)
                .bars(List.of(bars));
    }

    private static CalendarBar bar(String title, State state, String start, String end) {
        return new CalendarBar()
                .reservation("rsv_" + title)
                .title(title)
                .state(state)
                .start(time(start))
                .end(time(end))
                .gpus(new BarGpus().model("A100").count(8))
                .substituted(false);
    }

    private static String time(String day) {
        return day.contains("T") ? day : day + "T00:00:00+08:00";
    }
}
