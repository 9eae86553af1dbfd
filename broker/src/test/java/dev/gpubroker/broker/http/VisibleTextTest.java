package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Text that others made, as a line that people see. */
class VisibleTextTest {
    @Test
    void halfOfACharacterPairAndWhatDoesNotShowAreReplaced() {
        assertThat(VisibleText.shown("run \ud800")).isEqualTo("run \uFFFD");
        assertThat(VisibleText.shown("\udc00\ud800a")).isEqualTo("\uFFFD\uFFFDa");
        assertThat(VisibleText.shown("a\nb\u202Ec\u2028d\u3164")).isEqualTo("a\uFFFDb\uFFFDc\uFFFDd\uFFFD");
    }

    @Test
    void whatShowsStaysAsItIs() {
        String text = "github 深度学习/训练 run 12 é 👨\u200D👩";

        assertThat(VisibleText.shown(text)).isEqualTo(text);
    }
}
