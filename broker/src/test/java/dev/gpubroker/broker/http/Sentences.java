package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;
import java.util.regex.Pattern;

/** What every text of an answer that people read must be, whichever test asked for it. */
public final class Sentences {
    /** A part that ended in a mark already was built into a sentence as if it had not. */
    private static final Pattern TWO_MARKS = Pattern.compile("(?<![.])[.?!:;,。？！：；，、][.?!:;,。？！：；，、](?![.])");

    private static final Set<String> READ = Set.of(
            "detail",
            "detailZh",
            "why",
            "whyZh",
            "how",
            "howZh",
            "what",
            "ifItFails",
            "ifItFailsZh",
            "echo",
            "echoZh",
            "reason");

    private Sentences() {}

    /** Fails if a sentence in it has two marks where one should be, or an event says why in one language only. */
    public static void check(JsonNode answer) {
        if (answer.has("before") && answer.has("after") && answer.hasNonNull("why")) {
            assertThat(answer.path("whyZh").asText())
                    .as("in Chinese: %s", answer.path("why").asText())
                    .containsPattern("\\p{IsHan}");
        }
        answer.fields().forEachRemaining(member -> {
            if (READ.contains(member.getKey()) && member.getValue().isTextual()) {
                assertThat(member.getValue().textValue()).as(member.getKey()).doesNotContainPattern(TWO_MARKS);
            }
        });
        answer.forEach(Sentences::check);
    }
}
