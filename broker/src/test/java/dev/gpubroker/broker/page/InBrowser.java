package dev.gpubroker.broker.page;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gpubroker.broker.page.StubBroker.Bar;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.openqa.selenium.WebElement;

/**
 * The page in a real browser, served by the real server. Business time there is 1 December 2026, 10:00 in Shanghai. Skipped
 * where the machine has no browser.
 */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // The server is made before the first test.
abstract class InBrowser {
    StubBroker broker;
    private @Nullable Browser browser;

    @BeforeAll
    void start() {
        browser = Browser.start().orElse(null);
        broker = new StubBroker();
    }

    @AfterAll
    void stop() {
        broker.close();
        Optional.ofNullable(browser).ifPresent(Browser::close);
    }

    @BeforeEach
    void forget() {
        assumeTrue(browser != null, "neither Chromium nor its driver is on the PATH");
        broker.reset();
        browser().open(broker.url());
        browser().script("sessionStorage.clear(); localStorage.clear(); return true");
        browser().dark(false);
        browser().size(1400, 900);
    }

    Browser browser() {
        return requireNonNull(browser);
    }

    /** Opens the page as somebody who has given the token. */
    void open() {
        browser().script("sessionStorage.setItem('gpu-broker.token', arguments[0]); return true", StubBroker.TOKEN);
        browser().errors(); // Those of the page before are not this one's.
        browser().open(broker.url());
        browser().find(".stamp-simulated");
        browser()
                .waitUntil(
                        "no calendar came",
                        () -> browser()
                                .<Boolean>withModules(List.of("state"), "return modules[0].store.calendar !== null"));
    }

    static Bar bar(String id, String title, String state, String from, String to) {
        return new Bar("aliyun", id, title, state, from + "T00:00:00+08:00", to + "T00:00:00+08:00");
    }

    WebElement listed(String reservation) {
        return browser().find("gb-bar-list button[data-reservation=" + reservation + "]");
    }

    /** Clicks in the middle of a bar on the picture. */
    void clickBar(String reservation) {
        listed(reservation);
        List<Number> middle = browser().script("""
                const canvas = document.querySelector("gb-timeline canvas").getBoundingClientRect();
                const bar = document.querySelector("gb-timeline").barRect(arguments[0]);
                return [canvas.x + bar.x + bar.width / 2, canvas.y + bar.y + bar.height / 2];""", reservation);
        browser().clickAt(middle.get(0).intValue(), middle.get(1).intValue());
    }
}
