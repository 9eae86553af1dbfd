package dev.gpubroker.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUrlTest {
    @Test
    void bothSpellingsMeanTheSame() {
        DatabaseUrl plain =
                parse("postgresql://broker:p%40ss+1@db.example.com:6432/gpu?sslmode=verify-full&sslrootcert=/ca.pem");
        DatabaseUrl jdbc = parse("jdbc:postgresql://db.example.com:6432/gpu?user=broker&password=p%40ss+1"
                + "&sslmode=verify-full&sslrootcert=/ca.pem");

        assertThat(plain)
                .isEqualTo(jdbc)
                .isEqualTo(new DatabaseUrl(
                        "db.example.com", 6432, "gpu", "broker", new Secret("p@ss+1"), "verify-full", "/ca.pem"));
    }

    @Test
    void portAndEncryptionHaveDefaults() {
        DatabaseUrl url = parse("postgres://u:p@localhost/d");

        assertThat(url.port()).isEqualTo(5432);
        assertThat(url.sslMode()).isEqualTo("prefer");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:5432/d",
                "mysql://u:hunter2@h/d",
                "postgresql://u:hunter2@h",
                "postgresql://u:hunter2@h/",
                "postgresql://u:hunter2@h/a/b",
                "postgresql://u@h/d",
                "postgresql://h/d?user=u",
                "postgresql://u:hunter2@h1:1,h2:2/d",
                "postgresql://u:hunter2@h/d?sslmode=maybe",
                "postgresql://u:hunter2@h/d?ssl=true",
                "postgresql://u:hunter2 x@h/d"
            })
    void whatCannotBeUsedIsRefusedWithoutRepeatingThePassword(String text) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(StartException.class)
                .hasMessageStartingWith("GPU_BROKER_DATABASE_URL ")
                .hasMessageContaining("postgresql://user:password@host:5432/database")
                .hasNoCause()
                .message()
                .doesNotContain("hunter2");
    }

    private static DatabaseUrl parse(String text) {
        return DatabaseUrl.parse("GPU_BROKER_DATABASE_URL", text);
    }
}
