package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CursorTest {
    private static final Cursor CURSOR = new Cursor(Instant.parse("2026-11-25T02:00:00.123456789Z"), "rsv_训练1");

    @Test
    void aCursorComesBackWithItsMicroseconds() {
        Cursor back = Cursor.decoded(CURSOR.encoded("list"), "list");

        assertThat(back.at()).isEqualTo(Instant.parse("2026-11-25T02:00:00.123456Z"));
        assertThat(back.id()).isEqualTo("rsv_训练1");
    }

    @Test
    void instantsBeforeTheEpochAndFarAheadComeBackToo() {
        for (String at : List.of("1969-12-31T23:59:59.999999Z", "9999-01-01T00:00:00Z", "0001-01-01T00:00:00Z")) {
            Cursor cursor = new Cursor(Instant.parse(at), "x");

            assertThat(Cursor.decoded(cursor.encoded(""), "")).isEqualTo(cursor);
        }
    }

    @Test
    void aCursorIsGoodForItsFilterOnly() {
        String text = CURSOR.encoded("state=queued");

        assertThatThrownBy(() -> Cursor.decoded(text, "state=active")).satisfies(CursorTest::namesTheCursor);
    }

    @Test
    void garbageIsRefused() {
        String good = CURSOR.encoded("f");
        for (String bad : List.of(
                "",
                "x",
                "!!!",
                "AQ",
                good.substring(2),
                good.substring(0, good.length() - 2),
                good + "AA",
                "AX" + good.substring(2),
                "A".repeat(30),
                "_".repeat(60),
                "A".repeat(501))) {
            assertThatThrownBy(() -> Cursor.decoded(bad, "f")).as(bad).satisfies(CursorTest::namesTheCursor);
        }
    }

    @Test
    void aCursorCanStandInAnAddress() {
        assertThat(CURSOR.encoded("f")).matches("[A-Za-z0-9_-]+");
    }

    private static void namesTheCursor(Throwable thrown) {
        assertThat(thrown).isInstanceOfSatisfying(ApiProblem.class, refusal -> {
            assertThat(refusal.problem().status()).isEqualTo(400);
            assertThat(refusal.problem().code()).isEqualTo("invalid_request");
            assertThat(refusal.problem().errors()).extracting(FieldError::field).containsExactly("cursor");
        });
    }
}
