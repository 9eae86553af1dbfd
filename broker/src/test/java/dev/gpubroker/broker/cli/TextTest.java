package dev.gpubroker.broker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Widths, lengths, languages, quoting. */
class TextTest {
    @Test
    void chineseTakesTwoColumnsAndCombiningMarksNone() {
        assertThat(Width.of("8卡A100")).isEqualTo(7);
        assertThat(Width.of("e\u0301")).isEqualTo(1);
        assertThat(Width.of("，（")).isEqualTo(4);
        assertThat(Width.of("×")).isEqualTo(1);
        assertThat(Width.of("\uD840\uDC00")).isEqualTo(2);
    }

    @Test
    void aCutNeverSplitsACharacterNorExceedsItsRoom() {
        assertThat(Width.cut("微调任务", 8)).isEqualTo("微调任务");
        assertThat(Width.cut("微调任务", 7)).isEqualTo("微调任…");
        assertThat(Width.cut("微调任务", 6)).isEqualTo("微调…");
        assertThat(Width.cut("abc", 1)).isEqualTo("…");
        assertThat(Width.cut("abc", 0)).isEmpty();
    }

    @Test
    void columnsAreAlignedAcrossScripts() {
        Table table = new Table("name", "x", "empty").row("平台", "1", "").row("aliyun", "2", null);

        assertThat(table.text("")).isEqualTo("name    x\n平台    1\naliyun  2\n");
    }

    @ParameterizedTest
    @CsvSource({"5d, P5D", "36H, PT36H", "P5D, P5D", "PT120H, PT120H", "nonsense, nonsense"})
    void lengthsHaveAShortForm(String typed, String wire) {
        assertThat(Times.duration(typed)).isEqualTo(wire);
    }

    @Test
    void aWindowAcrossAClockChangeIsCountedInCalendarDays() {
        assertThat(Times.length("2027-03-27T00:00:00+01:00", "2027-03-29T00:00:00+02:00", "Europe/Berlin"))
                .isEqualTo("P2D");
        assertThat(Times.length("2027-03-27T00:00:00+01:00", "2027-03-29T01:00:00+02:00", "Europe/Berlin"))
                .isEqualTo("PT48H");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-12-20, true",
        "2026-12-20T08:00, true",
        "2026-12-20T08:00:00+08:00, false",
        "2026-12-20T08:00:00Z, false",
        "2026-12-20T08:00:00-05:00, false",
    })
    void onlyATimeWithoutOffsetNeedsAZone(String typed, boolean isLocal) {
        assertThat(Times.isLocal(typed)).isEqualTo(isLocal);
    }

    @Test
    void theLanguageIsThatOfTheFirstVariableThatNamesOne() {
        assertThat(Lang.of(null, Map.of("LC_ALL", "C.UTF-8", "LANG", "zh_CN.UTF-8")))
                .isEqualTo(Lang.ZH);
        assertThat(Lang.of(null, Map.of("LC_ALL", "en_US.UTF-8", "LANG", "zh_CN.UTF-8")))
                .isEqualTo(Lang.EN);
        assertThat(Lang.of(null, Map.of())).isEqualTo(Lang.EN);
        assertThat(Lang.of("zh", Map.of("LANG", "de_DE"))).isEqualTo(Lang.ZH);
    }

    @Test
    void whatAShellWouldReadIsQuoted() {
        assertThat(Shell.quoted("A100-SXM4-80GB")).isEqualTo("A100-SXM4-80GB");
        assertThat(Shell.quoted("it's")).isEqualTo("'it'\\''s'");
        assertThat(Shell.quoted("")).isEqualTo("''");
        assertThat(CommandRun.words(Shell.quoted("a 'b' $c"))).containsExactly("a 'b' $c");
    }
}
