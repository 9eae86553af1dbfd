package dev.gpubroker.broker.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.trigger.Trigger;
import dev.gpubroker.broker.webhook.Webhook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
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
    private static final List<SealedColumn> COLUMNS = List.of(new SealedColumn("thing", "thing_id", "secret"));

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

    private static final Map<String, String> CHANGED =
            Map.of("GPU_BROKER_SECRET_KEY", OTHER, "GPU_BROKER_OTHER_SECRET_KEY", KEY);

    private static List<String> kept() {
        List<String> texts = new ArrayList<>();
        DATABASE.database()
                .pool()
                .query("SELECT secret FROM thing WHERE secret IS NOT NULL ORDER BY thing_id")
                .execute()
                .await()
                .forEach(row -> texts.add(row.getString("secret")));
        return texts;
    }

    @Test
    void afterTheKeyWasChangedEverythingIsSealedWithTheNewOneAndTheOldOneCanGo() {
        SecretBox before = open(Map.of("GPU_BROKER_SECRET_KEY", KEY));
        keep(before.seal("thing", "t1", "first"));
        DATABASE.execute("INSERT INTO thing VALUES ('t3', '" + before.seal("thing", "t3", "third") + "')");

        open(CHANGED);

        SecretBox alone = open(Map.of("GPU_BROKER_SECRET_KEY", OTHER));
        assertThat(kept()).hasSize(2);
        assertThat(alone.open("thing", "t1", kept().get(0))).isEqualTo("first");
        assertThat(alone.open("thing", "t3", kept().get(1))).isEqualTo("third");
        assertThat(kept())
                .noneMatch(text -> text.startsWith(before.seal("thing", "x", "").substring(0, 11)));
        assertThatThrownBy(() -> open(Map.of("GPU_BROKER_SECRET_KEY", KEY))).isInstanceOf(StartException.class);
    }

    /** Their statements name tables and columns that no compiler looks at. */
    @Test
    void everythingThatTheBrokerSealsIsSealedAnew() {
        List<SealedColumn> all = new ArrayList<>(Webhook.SEALED);
        all.addAll(Trigger.SEALED);
        SecretBox before = SecretBox.of(new Secret(KEY));
        DATABASE.execute("DELETE FROM webhook; DELETE FROM pipeline_trigger");
        DATABASE.execute(
                "INSERT INTO webhook (webhook_id, team_id, url, topics, secret, old_secret, old_until_wall, created_by,"
                        + " created_at, updated_at) VALUES ('whk_1', 'default', 'https://a.example', '{}', '"
                        + before.seal("webhook", "whk_1", "new") + "', '" + before.seal("webhook", "whk_1", "old")
                        + "', now(), 'ann', now(), now())");
        DATABASE.execute(
                "INSERT INTO pipeline_trigger (trigger_id, team_id, on_state, labels, kind, target, token, api_token,"
                        + " created_by, created_at) VALUES ('trg_1', 'default', 'active', '{}', 'generic', '{}', '"
                        + before.seal("pipeline_trigger", "trg_1", "token") + "', '"
                        + before.seal("pipeline_trigger", "trg_1", "api") + "', 'ann', now())");
        Map<String, String> environment = new HashMap<>(CHANGED);
        environment.put("GPU_BROKER_DATA", data.toString());

        SecretBox.open(DATABASE.database(), Settings.load(null, environment), all)
                .await();

        SecretBox alone = SecretBox.of(new Secret(OTHER));
        assertThat(all)
                .extracting(column -> alone.open(
                        column.table(), column.table().equals("webhook") ? "whk_1" : "trg_1", stored(column)))
                .containsExactly("new", "old", "token", "api");
    }

    private static String stored(SealedColumn column) {
        return DATABASE.database()
                .pool()
                .query("SELECT " + column.column() + " AS sealed FROM " + column.table())
                .execute()
                .await()
                .iterator()
                .next()
                .getString("sealed");
    }

    @Test
    void whatIsSealedWithTheNewKeyAlreadyStaysAsItIs() {
        keep(open(CHANGED).seal("thing", "t1", "secret"));
        List<String> before = kept();

        open(CHANGED);

        assertThat(kept()).isEqualTo(before);
    }

    /** Of several brokers one is given the new key before the others: each opens what the others seal. */
    @Test
    void aBrokerThatHasBothKeysOpensWhatEitherSealed() {
        SecretBox ahead = open(CHANGED);
        SecretBox behind = open(Map.of("GPU_BROKER_SECRET_KEY", KEY, "GPU_BROKER_OTHER_SECRET_KEY", OTHER));

        assertThat(ahead.open("thing", "t1", behind.seal("thing", "t1", "a"))).isEqualTo("a");
        assertThat(behind.open("thing", "t1", ahead.seal("thing", "t1", "b"))).isEqualTo("b");
    }

    @Test
    void whereOneTextDoesNotOpenNothingIsSealedAnew() {
        SecretBox before = open(Map.of("GPU_BROKER_SECRET_KEY", KEY));
        keep(before.seal("thing", "t1", "first"));
        DATABASE.execute("INSERT INTO thing VALUES ('t3', '" + before.seal("thing", "another", "third") + "')");
        List<String> sealed = kept();

        assertThatThrownBy(() -> open(CHANGED))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("thing.secret of t3");

        assertThat(kept()).isEqualTo(sealed);
    }

    @Test
    void aThirdKeyIsStrangeStill() {
        String third = Base64.getEncoder().encodeToString("a third key of 32 bytes, longer.".getBytes());
        keep(open(Map.of("GPU_BROKER_SECRET_KEY", third)).seal("thing", "t1", "secret"));

        assertThatThrownBy(() -> open(CHANGED)).isInstanceOf(StartException.class);
        assertThat(kept()).hasSize(1);
    }

    @Test
    void aKeyFileCanBeReplacedByOneThatTheStartMakes() throws IOException {
        keep(open(Map.of()).seal("thing", "t1", "secret"));
        String old = Files.readString(data.resolve("secret.key")).strip();
        Files.move(data.resolve("secret.key"), data.resolve("secret.key.old"));

        open(Map.of("GPU_BROKER_OTHER_SECRET_KEY", old));

        assertThat(Files.readString(data.resolve("secret.key")).strip()).isNotEqualTo(old);
        assertThat(open(Map.of()).open("thing", "t1", kept().get(0))).isEqualTo("secret");
    }

    @Test
    void whatIsNoKeyIsRefusedAndNotRepeated() {
        assertThatThrownBy(() -> open(Map.of("GPU_BROKER_OTHER_SECRET_KEY", "hunter2")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("GPU_BROKER_OTHER_SECRET_KEY")
                .message()
                .doesNotContain("hunter2");
        assertThatThrownBy(() -> open(Map.of("GPU_BROKER_SECRET_KEY", "hunter2")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("32 random bytes")
                .message()
                .doesNotContain("hunter2");
    }
}
