package dev.gpubroker.broker.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import dev.gpubroker.broker.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What is sealed opens only with its key, at its place, and a broker with another key does not start. */
@SuppressWarnings("NullAway.Init") // The folder is given before each test.
class SecretBoxTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);
    private static final String OTHER =
            Base64.getEncoder().encodeToString("another key of 32 bytes long!!!!".getBytes());
    private static final List<SealedColumn> COLUMNS = List.of(new SealedColumn("thing", "secret"));

    @TempDir
    private Path data;

    @BeforeEach
    void table() {
        DATABASE.execute("DROP TABLE IF EXISTS thing; CREATE TABLE thing (thing_id text, secret text)");
    }

    private SecretBox open(Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(more);
        environment.put("GPU_BROKER_DATA", data.toString());
        return SecretBox.open(DATABASE.database(), Settings.load(null, environment), COLUMNS)
                .await();
    }

    private void keep(String sealed) {
        DATABASE.execute("INSERT INTO thing VALUES ('t1', '" + sealed + "'), ('t2', NULL)");
    }

    @Test
    void whatIsSealedOpensAgainAndDoesNotShowWhatItIs() {
        SecretBox box = SecretBox.of(new Secret(KEY));

        String sealed = box.seal("thing", "t1", "whsec_秘密");

        assertThat(box.open("thing", "t1", sealed)).isEqualTo("whsec_秘密");
        assertThat(sealed).startsWith("v1.").doesNotContain("whsec");
        assertThat(box.seal("thing", "t1", "whsec_秘密")).isNotEqualTo(sealed);
    }

    @Test
    void aRowCopiedOverAnotherOneDoesNotOpenNorDoesAChangedOne() {
        SecretBox box = SecretBox.of(new Secret(KEY));
        String sealed = box.seal("thing", "t1", "secret");

        assertThatThrownBy(() -> box.open("thing", "t2", sealed)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> box.open("other", "t1", sealed)).isInstanceOf(IllegalStateException.class);
        String changed = sealed.substring(0, 20) + (sealed.charAt(20) == 'A' ? 'B' : 'A') + sealed.substring(21);
        assertThatThrownBy(() -> box.open("thing", "t1", changed)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theFirstStartMakesAKeyThatOnlyItsOwnerReadsAndTheNextOneFindsIt() throws IOException {
        String sealed = open(Map.of()).seal("thing", "t1", "secret");
        keep(sealed);

        assertThat(open(Map.of()).open("thing", "t1", sealed)).isEqualTo("secret");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("secret.key"))))
                .isEqualTo("rw-------");
    }

    @Test
    void aBrokerWithAnotherKeyDoesNotStartOnceSomethingIsSealed() {
        String sealed = open(Map.of("GPU_BROKER_SECRET_KEY", KEY)).seal("thing", "t1", "secret");
        assertThat(open(Map.of("GPU_BROKER_SECRET_KEY", OTHER))).isNotNull();

        keep(sealed);

        assertThatThrownBy(() -> open(Map.of("GPU_BROKER_SECRET_KEY", OTHER)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("another key")
                .hasMessageContaining("GPU_BROKER_SECRET_KEY");
        assertThat(open(Map.of("GPU_BROKER_SECRET_KEY", KEY)).open("thing", "t1", sealed))
                .isEqualTo("secret");
    }

    @Test
    void aLostKeyIsNotReplacedInSilence() {
        keep(open(Map.of("GPU_BROKER_SECRET_KEY", KEY)).seal("thing", "t1", "secret"));

        assertThatThrownBy(() -> open(Map.of())).isInstanceOf(StartException.class);
        assertThat(data.resolve("secret.key")).doesNotExist();
    }

    @Test
    void whatIsNoKeyIsRefusedAndNotRepeated() {
        assertThatThrownBy(() -> open(Map.of("GPU_BROKER_SECRET_KEY", "hunter2")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("32 random bytes")
                .message()
                .doesNotContain("hunter2");
    }
}
