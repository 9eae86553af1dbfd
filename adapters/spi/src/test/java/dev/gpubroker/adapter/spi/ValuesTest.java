package dev.gpubroker.adapter.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Currency;
import org.junit.jupiter.api.Test;

class ValuesTest {
    private static final Instant NOON = Instant.parse("2026-12-20T12:00:00Z");

    @Test
    void aWindowMayEndAtTheInstantTheNextBegins() {
        Window first = Window.of(NOON, Duration.ofHours(2));
        Window second = Window.of(first.end(), Duration.ofHours(2));

        assertThat(first.overlaps(second)).isFalse();
        assertThat(first.contains(first.end())).isFalse();
        assertThat(first.covers(first)).isTrue();
    }

    @Test
    void anEmptyWindowIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Window(NOON, NOON));
    }

    @Test
    void equalAmountsAreEqualWhateverTheirScale() {
        assertThat(Money.of("17.6", "CNY")).isEqualTo(Money.of("17.60", "CNY"));
        assertThat(Money.of("17.60", "CNY").toString()).isEqualTo("17.60 CNY");
    }

    @Test
    void moneyIsRoundedHalfEvenAndOnlyWhenAsked() {
        Currency yuan = Currency.getInstance("CNY");
        assertThat(Money.rounded(new BigDecimal("0.125"), yuan)).isEqualTo(Money.of("0.12", "CNY"));
        assertThat(Money.rounded(new BigDecimal("0.135"), yuan)).isEqualTo(Money.of("0.14", "CNY"));
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> Money.of("0.125", "CNY"))
                .isInstanceOf(ArithmeticException.class);
    }

    @Test
    void currenciesAreNeverMixed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Money.of("1", "CNY").plus(Money.of("1", "USD")));
    }

    /** The expected value was computed with another implementation of RFC 9562 (Python's uuid5). */
    @Test
    void theTokenOfAKeyIsItsVersion5Uuid() {
        assertThat(new ClaimKey("gb-inst0001-rsv0001-1-abc123").token().toString())
                .isEqualTo("a7d953fb-c47d-5e4b-8d56-1b44eab905a7");
    }

    @Test
    void aClaimKeyThatWouldNotSurviveATagIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new ClaimKey("has space in it"));
        assertThatIllegalArgumentException().isThrownBy(() -> new ClaimKey("a".repeat(64)));
    }

    @Test
    void settingsNeverPrintTheirCredentials() {
        AccountSettings settings = new AccountSettings(
                "acc",
                "inst0001",
                java.util.List.of("r1"),
                null,
                java.util.Map.of("secret", "hunter2"),
                java.util.Map.of(),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                true,
                () -> NOON);
        assertThat(settings.toString()).doesNotContain("hunter2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.credential("other"))
                .withMessageContaining("other");
    }
}
