package dev.gpubroker.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsReloaderTest {
    private static final String FIRST = """
            port: 8080
            accounts:
              - {id: a, platform: aws, regions: [us-east-1], purchases: observe}
            """;

    @TempDir
    Path folder;

    private Path file;
    private SettingsReloader reloader;
    private final List<Settings> told = new ArrayList<>();

    @BeforeEach
    void startWithOneAccount() {
        file = folder.resolve("gpu-broker.yaml");
        write(FIRST);
        reloader = new SettingsReloader(read(), this::read);
        reloader.onChange(told::add);
    }

    @Test
    void modesCapsAndPolicyChangeAtOnce() {
        write("""
                accounts:
                  - {id: a, platform: aws, regions: [us-east-1], purchases: auto, caps: {openClaims: 2}}
                policy: {maxAttempts: 7}
                """);

        assertThat(reloader.reload()).isEmpty();

        Account account = reloader.current().accounts().get(0);
        assertThat(account.purchases()).isEqualTo(Purchases.AUTO);
        assertThat(account.caps().openClaims()).isEqualTo(2);
        assertThat(reloader.current().policy().maxAttempts()).isEqualTo(7);
        assertThat(told).containsExactly(reloader.current());
    }

    @Test
    void whatNeedsARestartKeepsItsValueAndIsNamed() {
        write("""
                port: 9090
                accounts:
                  - {id: a, platform: aws, regions: [us-west-2], purchases: approve}
                  - {id: b, platform: aws, regions: [us-east-1]}
                """);

        assertThat(reloader.reload()).containsExactly("account a", "account b", "port", "publicUrl");

        assertThat(reloader.current().port()).isEqualTo(8080);
        assertThat(reloader.current().accounts()).singleElement().satisfies(account -> {
            assertThat(account.regions()).containsExactly("us-east-1");
            assertThat(account.purchases()).isEqualTo(Purchases.APPROVE);
        });
    }

    @Test
    void settingsThatCannotBeReadChangeNothing() {
        Settings before = reloader.current();
        write("policy: {maxAttempts: many}");

        assertThatThrownBy(reloader::reload).isInstanceOf(StartException.class);

        assertThat(reloader.current()).isSameAs(before);
        assertThat(told).isEmpty();
    }

    private Settings read() {
        return Settings.load(file, Map.of("HOME", folder.toString()));
    }

    private void write(String yaml) {
        try {
            Files.writeString(file, yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
