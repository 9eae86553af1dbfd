package dev.gpubroker.broker.booking;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Reason;
import org.junit.jupiter.api.Test;

/** What is said of a change, in both languages. */
class WhyTest {
    @Test
    void twoClausesFollowEachOtherInEachLanguage() {
        Why why = new Why("the proposal lapsed", "提议已过期").and("it waits", "继续等待");

        assertThat(why).isEqualTo(new Why("the proposal lapsed; it waits", "提议已过期；继续等待"));
    }

    @Test
    void aPlatformsSentenceIsAClauseOfOursAndItsWordsStandInBracketsInChinese() {
        assertThat(Why.said(Reason.SOLD_OUT, "The resource is sold out. Try another zone. ")
                        .and("it keeps 8", "仍保留 8 张"))
                .isEqualTo(new Why(
                        "The resource is sold out. Try another zone; it keeps 8",
                        "售罄（The resource is sold out. Try another zone）；仍保留 8 张"));
        assertThat(Why.said(null, "gone").chinese()).isEqualTo("未能购得（gone）");
    }
}
