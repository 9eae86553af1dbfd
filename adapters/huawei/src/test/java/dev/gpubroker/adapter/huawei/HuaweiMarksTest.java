package dev.gpubroker.adapter.huawei;

import static org.assertj.core.api.Assertions.assertThat;

import com.huaweicloud.sdk.ecs.v2.model.PostPaidServer;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.Tags;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How servers and pools carry a claim key within the platform's limits. */
class HuaweiMarksTest {
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final ClaimKey LONGEST = new ClaimKey("gb-" + "installation-".repeat(4) + "12345678");

    @Test
    void aPoolsNameFitsThePlatformAndIsTheSameEachTime() {
        assertThat(PoolName.of(KEY)).matches("[a-z][a-z0-9-]{3,24}").isEqualTo(PoolName.of(new ClaimKey(KEY.text())));
        assertThat(PoolName.of(LONGEST)).hasSize(25).isNotEqualTo(PoolName.of(KEY));
    }

    @Test
    void aPoolsDescriptionHoldsInstallationAndKey() {
        String description = PoolName.description("inst0001", LONGEST);

        assertThat(PoolName.key(description)).isEqualTo(LONGEST);
        assertThat(PoolName.mark(description, Tags.INSTALLATION)).isEqualTo("inst0001");
        assertThat(PoolName.key("somebody else's pool")).isNull();
    }

    @Test
    void noTagIsLongerThanThePlatformAllowsAndALongKeyIsReadBack() {
        PostPaidServer server = new ServerRequest(Claims.settings("http://127.0.0.1:1")).of(Claims.server(LONGEST, 1));
        List<String> shown = server.getServerTags().stream()
                .map(tag -> tag.getKey() + "=" + tag.getValue())
                .toList();

        assertThat(server.getServerTags()).allSatisfy(tag -> {
            assertThat(tag.getKey().length()).isLessThanOrEqualTo(36);
            assertThat(tag.getValue().length()).isLessThanOrEqualTo(43);
        });
        assertThat(ServerRequest.key(shown)).isEqualTo(LONGEST);
    }

    @Test
    void tagsAreReadInBothSpellings() {
        assertThat(ServerRequest.key(List.of(Tags.CLAIM + "=" + KEY))).isEqualTo(KEY);
        assertThat(ServerRequest.key(List.of(Tags.CLAIM + "." + KEY))).isEqualTo(KEY);
        assertThat(ServerRequest.key(List.of(Tags.CLAIM + "x=" + KEY))).isNull();
    }

    @Test
    void aServerWithoutReadableTagsIsKnownByItsName() {
        assertThat(ServerRequest.bears(KEY, KEY.text(), List.of())).isTrue();
        assertThat(ServerRequest.bears(KEY, KEY.text() + "-0002", null)).isTrue();
        assertThat(ServerRequest.bears(KEY, KEY.text() + "-other", null)).isFalse();
    }

    @Test
    void aTagWithAnotherKeySpeaksAgainstTheName() {
        List<String> others = List.of(Tags.CLAIM + "=gb-inst0001-rsv00000002-1-bbbbbb");

        assertThat(ServerRequest.bears(KEY, KEY.text(), others)).isFalse();
    }

    @Test
    void aTimedEndIsRoundedUpSinceThePlatformCutsSeconds() {
        assertThat(ServerRequest.minute(Instant.parse("2026-12-25T00:00:00Z"))).isEqualTo("2026-12-25T00:00:00Z");
        assertThat(ServerRequest.minute(Instant.parse("2026-12-25T00:00:01Z"))).isEqualTo("2026-12-25T00:01:00Z");
    }
}
