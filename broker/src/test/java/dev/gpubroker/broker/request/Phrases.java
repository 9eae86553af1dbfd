package dev.gpubroker.broker.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;

/** Reads phrases as the case bank does: on Wednesday 25 November 2026 at 10:00 in Shanghai unless a case says otherwise. */
record Phrases(ZoneId zone, Instant now) {
    static final ZoneId SHANGHAI = ZoneId.of("Asia/Shanghai");
    /** Names that a body may use; there is no account to tell regions by. */
    static final KnownNames KNOWN = new KnownNames(
            Set.of("cn-mlps-3", "iso-27001"), Set.of("CNY", "USD"), () -> Set.of("aliyun", "aws", "pool"), Set::of);

    private static final PhraseReader READER = new PhraseReader(new FakeModelNames());

    static Phrases usual() {
        return at("2026-11-25T10:00+08:00");
    }

    static Phrases at(String now) {
        return new Phrases(SHANGHAI, OffsetDateTime.parse(now).toInstant());
    }

    Phrases in(String zone) {
        return new Phrases(ZoneId.of(zone), now);
    }

    Interpretation read(String phrase) {
        return READER.read(phrase, zone, now);
    }

    /** The request of a phrase that leaves nothing to ask. */
    BookingRequest sure(String phrase) {
        Interpretation read = read(phrase);
        assertThat(read.needsConfirmation())
                .as("%s: %s", phrase, read.readings())
                .isFalse();
        assertThat(read.readings()).hasSize(1);
        return read.request();
    }

    /** "2026-12-20T00:00:00+08:00/2026-12-25T00:00:00+08:00" of a phrase that leaves nothing to ask. */
    String window(String phrase) {
        return window(sure(phrase));
    }

    /** The windows of a phrase that asks, likeliest first. */
    List<String> asked(String phrase) {
        Interpretation read = read(phrase);
        assertThat(read.needsConfirmation())
                .as("%s: %s", phrase, read.readings())
                .isTrue();
        return read.readings().stream()
                .map(reading -> window(reading.request()))
                .toList();
    }

    RequestProblem problem(String phrase) {
        RequestProblem problem = catchThrowableOfType(RequestProblem.class, () -> read(phrase));
        assertThat(problem).as("%s is refused", phrase).isNotNull();
        return problem;
    }

    /** "code field" of the first error. */
    String refused(String phrase) {
        RequestProblem problem = problem(phrase);
        FieldError first = problem.errors().get(0);
        return problem.code() + " " + first.field();
    }

    private String window(BookingRequest request) {
        return short_(request.window().start()) + "/" + short_(request.window().end());
    }

    private String short_(Instant instant) {
        return RequestJson.time(instant, zone).replaceFirst(":00(?=[+-])", "");
    }
}
