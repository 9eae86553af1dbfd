package dev.gpubroker.broker.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.page.StubBroker.Bar;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** What the calendar shows, and that its view, filters, language and keyboard work. */
class CalendarPageTest extends InBrowser {
    /** Days, weekends and the lines between them. */
    private static final int MOST_COLOURS_OF_NOTHING = 4;

    private static final Bar TUNING = bar("rsv_1", "7B fine-tuning", "active", "2026-12-01", "2026-12-06");
    private static final Bar NIGHTLY = bar("rsv_2", "nightly evaluation", "queued", "2026-12-03", "2026-12-09");
    private static final Bar OLD = bar("rsv_3", "given up", "cancelled", "2026-12-10", "2026-12-12");

    @Test
    void theTokenIsAskedForOnceAndStaysInThisTab() {
        broker.show(TUNING);
        browser().open(broker.url());

        browser().find("dialog[open] input[type=password]").sendKeys("not the token");
        browser().click("dialog button.primary");
        browser().waitForText("dialog .wrong", "does not know this token");
        browser().find("dialog[open] input[type=password]").sendKeys(StubBroker.TOKEN);
        browser().click("dialog button.primary");

        browser().find("gb-bar-list button[data-reservation=rsv_1]");
        assertThat(browser().url()).isEqualTo(broker.url());
        assertThat(browser().<String>script("return JSON.stringify(localStorage)"))
                .doesNotContain(StubBroker.TOKEN);
        browser().open(broker.url());
        browser().find("gb-bar-list button[data-reservation=rsv_1]");
        assertThat(browser().all("dialog[open]")).isEmpty();
    }

    @Test
    void everyReservationIsDrawnAndListed() {
        broker.show(TUNING, NIGHTLY, OLD);
        open();

        assertThat(browser().all("gb-bar-list button")).hasSize(3);
        assertThat(browser().text(listed("rsv_1")))
                .contains("7B fine-tuning", "8×A100-SXM4-80GB", "active", "1 Dec 2026", "Alibaba Cloud");
        for (Bar bar : List.of(TUNING, NIGHTLY, OLD)) {
            waitUntilDrawn(bar.reservation());
        }
        assertThat(browser()
                        .<Boolean>script("return document.querySelector('gb-timeline').barRect('rsv_nobody') === null"))
                .isTrue();
        Path picture = browser().screenshot("calendar");
        assertThat(picture).isNotEmptyFile();

        List<Number> place = place("rsv_3");
        browser().click("[name=ended]");
        browser().waitUntil("what the filter hides is still drawn", () -> colours(place) <= MOST_COLOURS_OF_NOTHING);
        assertThat(browser().errors()).isEmpty();
    }

    @Test
    void theLanguageCanBeSwitchedAndIsKept() {
        broker.show(TUNING);
        open();
        browser().waitForText(".stamp-simulated", "simulated");

        browser().click("[data-lang=zh]");

        browser().waitForText(".stamp-simulated", "模拟环境");
        browser().waitForText(".ask .primary", "查看方案");
        browser().waitForText("gb-bar-list button", "使用中");
        browser().waitForText("gb-bar-list button", "阿里云");
        browser().open(broker.url());
        browser().waitForText(".ask .primary", "查看方案");
        browser().dark(true);
        browser().screenshot("calendar-zh-dark");
        assertThat(browser().errors()).isEmpty();
    }

    @Test
    void bothLanguagesSayEverything() {
        open();

        List<String> missing = browser().withModules(List.of("texts-en", "texts-zh"), """
                const [en, zh] = modules.map((module) => module.default);
                const slots = (text) => [...text.matchAll(/\\{(\\w+)/g)].map((found) => found[1]).sort().join();
                return [
                    ...Object.keys(en).filter((key) => !zh[key]),
                    ...Object.keys(zh).filter((key) => !en[key]),
                    ...Object.keys(en).filter((key) => new Set(slots(en[key]).split(",")).size
                            !== new Set(slots(en[key] + zh[key]).split(",")).size),
                ];""");

        assertThat(missing).isEmpty();
    }

    @Test
    void aTitleIsNeverReadAsMarkup() {
        String evil = "<img src=x onerror=\"document.title='hit'\"> עברית 🧪 " + "long ".repeat(50);
        broker.show(bar("rsv_evil", evil, "confirmed", "2026-12-02", "2026-12-08"));
        broker.on("readReservation", request -> {
            return ApiReply.ok(
                    StubBroker.reservation(request, "Reservation.queued").put("title", evil));
        });
        open();

        assertThat(browser().text(listed("rsv_evil"))).contains("<img src=x onerror=");
        clickBar("rsv_evil");
        browser().waitForText(".panel h2 bdi", "<img src=x onerror=");

        assertThat(browser().all("main img")).isEmpty();
        assertThat(browser().<String>script("return document.title")).doesNotContain("hit");
        browser().screenshot("title");
        assertThat(browser().errors()).isEmpty();
    }

    @Test
    void aBarThatSpansMonthsIsSeenInEachOfThem() {
        broker.show(
                bar("rsv_turn", "over the turn", "active", "2026-11-30", "2026-12-02"),
                bar("rsv_long", "all autumn", "active", "2026-08-10", "2026-10-20"));
        open();

        look("2026-11-01", "2026-12-01");
        listed("rsv_turn");
        look("2026-12-01", "2027-01-01");
        listed("rsv_turn");
        waitUntilDrawn("rsv_turn");
        for (String month : List.of("2026-08", "2026-09", "2026-10")) {
            look(month + "-05", month + "-28");
            listed("rsv_long");
            waitUntilDrawn("rsv_long");
        }
    }

    @Test
    void viewAndFiltersStayWhenRowsAreGroupedOtherwiseAndWhenThePageIsLoadedAgain() {
        broker.show(TUNING, NIGHTLY, OLD);
        open();
        browser().click("[data-view=week]");
        browser().click(".legend [data-state=queued]");
        browser().click("[name=ended]");
        browser()
                .waitUntil(
                        "the filters did nothing",
                        () -> browser().all("gb-bar-list button").size() == 1);
        String range = browser().text(browser().find(".range"));

        browser().click("[data-group=pool]");
        browser().waitUntil("not grouped", () -> pressed("[data-group=pool]"));

        assertThat(browser().text(browser().find(".range"))).isEqualTo(range);
        assertThat(pressed("[data-view=week]")).isTrue();
        assertThat(pressed(".legend [data-state=queued]")).isFalse();
        browser().open(broker.url());
        listed("rsv_1");
        assertThat(browser().all("gb-bar-list button")).hasSize(1);
        assertThat(pressed("[data-group=pool]")).isTrue();
    }

    @Test
    void theListIsOneStopOfTheTabKeyAndOpensByKeyboard() {
        broker.show(TUNING, NIGHTLY);
        open();

        WebElement first = listed("rsv_1");
        assertThat(browser().all("gb-bar-list button[tabindex='0']")).hasSize(1);
        browser().script("arguments[0].focus(); return true", first);
        first.sendKeys(Keys.ARROW_DOWN);
        browser()
                .waitUntil(
                        "the arrow moved nothing",
                        () -> "rsv_2"
                                .equals(browser()
                                        .<String>script("return document.activeElement.dataset.reservation ?? ''")));
        listed("rsv_2").sendKeys(Keys.ENTER);

        browser().waitForText(".panel .id", "rsv_2");
        assertThat(browser().url()).endsWith("#rsv_2");
    }

    @Test
    void fiveThousandBarsNeverOverlapAndUseNoMoreLanesThanTheyMust() {
        open();

        List<Object> layout = browser().withModules(List.of("timeline-layout"), """
                const [{ layout, LANE }] = modules;
                let seed = 7;
                const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
                const day = 86400000, start = Date.UTC(2026, 11, 1);
                const rows = [0, 1, 2].map((row) => ({ id: `row${row}`, label: "row", kind: "platform", bars: [] }));
                for (let i = 0; i < 5000; i++) {
                    const from = start + Math.floor(random() * 56 * 24) * 3600000;
                    const to = from + (1 + Math.floor(random() * 96)) * 3600000;
                    rows[i % 3].bars.push({ reservation: `rsv_${i}`, title: null, state: "queued", substituted: false,
                        gpus: { model: "A100", count: 1 },
                        start: new Date(from).toISOString(), end: new Date(to).toISOString() });
                }
                const laidOut = layout(rows, { hidden: new Set(), model: "", ended: true });
                let overlaps = 0, outside = 0, count = 0;
                const depths = [], lanes = [];
                for (const row of laidOut.rows) {
                    const ends = [];
                    const turns = [];
                    for (const item of row.items) {
                        count++;
                        if ((ends[item.lane] ?? 0) > item.start) overlaps++;
                        ends[item.lane] = item.end;
                        if (item.y < row.top || item.y + LANE > row.top + row.height + LANE) outside++;
                        turns.push([item.start, 1], [item.end, -1]);
                    }
                    turns.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
                    let now = 0, most = 0;
                    turns.forEach(([, turn]) => (most = Math.max(most, (now += turn))));
                    depths.push(most);
                    lanes.push(row.lanes);
                }
                return [count, overlaps, outside, depths.join(), lanes.join()];""");

        assertThat(layout.subList(0, 3)).containsExactly(5000L, 0L, 0L);
        assertThat(layout.get(4)).isEqualTo(layout.get(3));
    }

    @Test
    void aRowIsAsHighAsWhatIsSeenOfItNeeds() {
        open();

        List<Object> seen = browser().withModules(List.of("timeline-layout"), """
                const [{ layout, LANE }] = modules;
                const day = 86400000, start = Date.UTC(2026, 11, 1);
                const bar = (id, from, to) => ({ reservation: id, title: null, state: "active", substituted: false,
                    gpus: { model: "A100", count: 1 },
                    start: new Date(start + from * day).toISOString(), end: new Date(start + to * day).toISOString() });
                const bars = [];
                for (let i = 0; i < 15; i++) bars.push(bar(`later_${i}`, 20, 25));
                bars.push(bar("long", 2, 21), bar("one", 1, 3), bar("two", 3, 5));
                const rows = [{ id: "pool:lab", label: "lab", kind: "pool", bars }];
                const filters = { hidden: new Set(), model: "", ended: true };
                const view = { from: start, to: start + 7 * day };
                const all = layout(rows, filters).rows[0];
                const row = layout(rows, filters, 0, view).rows[0];
                const drawn = row.items.filter((item) => item.start < view.to);
                const inside = row.items.every((item) => item.y >= row.top && item.y + LANE <= row.top + row.height + LANE);
                return [all.lanes, row.lanes, drawn.length, Math.max(...drawn.map((item) => item.lane)), inside,
                    row.active, row.height < all.height / 4];""");

        assertThat(seen).containsExactly(16L, 2L, 3L, 1L, true, 18L, true);
    }

    @Test
    void daysAreThoseOfTheChosenZoneEvenWhereTheClockIsChanged() {
        open();

        Map<String, Object> days = browser().withModules(List.of("time"), """
                const [{ days }] = modules;
                const hours = (from, to, zone) =>
                    days(Date.parse(from), Date.parse(to), zone).map((day) => `${day.day}:${(day.end - day.at) / 3600000}`).join();
                return {
                    spring: hours("2027-03-27T12:00:00+01:00", "2027-03-29T12:00:00+02:00", "Europe/Berlin"),
                    autumn: hours("2026-10-24T12:00:00+02:00", "2026-10-26T12:00:00+01:00", "Europe/Berlin"),
                    shanghai: hours("2026-12-19T17:00:00Z", "2026-12-20T17:00:00Z", "Asia/Shanghai"),
                };""");

        assertThat(days)
                .containsEntry("spring", "27:24,28:23,29:24")
                .containsEntry("autumn", "24:24,25:25,26:24")
                .containsEntry("shanghai", "20:24,21:24");
    }

    @Test
    void itFitsOnAPhone() {
        broker.show(TUNING, NIGHTLY);
        browser().size(390, 844);
        open();

        assertThat(browser().<Boolean>script("return document.documentElement.scrollWidth <= innerWidth"))
                .isTrue();
        waitUntilDrawn("rsv_1");
        browser().screenshot("phone");
    }

    private boolean pressed(String css) {
        return "true".equals(browser().find(css).getDomAttribute("aria-pressed"));
    }

    /** Shows a span of days in Shanghai. */
    private void look(String from, String to) {
        browser()
                .withModules(
                        List.of("state"),
                        "modules[0].store.set({ view: { from: Date.parse(values[0]), to: Date.parse(values[1]) } }); return true",
                        from + "T00:00:00+08:00",
                        to + "T00:00:00+08:00");
    }

    private void waitUntilDrawn(String reservation) {
        listed(reservation);
        browser().waitUntil(reservation + " is not drawn", () -> colours(place(reservation)) > MOST_COLOURS_OF_NOTHING);
    }

    /** Where a bar is on the picture: x, y, width and height. */
    private List<Number> place(String reservation) {
        return browser().script("""
                const bar = document.querySelector("gb-timeline").barRect(arguments[0]);
                return [bar.x, bar.y, bar.width, bar.height];""", reservation);
    }

    /** How many colours are on the picture in a place. */
    private int colours(List<Number> place) {
        Number count = browser().script("""
                const [x, y, width, height] = arguments[0].map((side) => Math.max(1, side * devicePixelRatio));
                const canvas = document.querySelector("gb-timeline canvas");
                const pixels = canvas.getContext("2d").getImageData(x, y, width, height).data;
                const seen = new Set();
                for (let i = 0; i < pixels.length; i += 4) {
                    seen.add(`${pixels[i]} ${pixels[i + 1]} ${pixels[i + 2]}`);
                }
                return seen.size;""", place);
        return count.intValue();
    }
}
