package dev.gpubroker.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.net.Network;
import dev.gpubroker.broker.net.OutboundRules;
import dev.gpubroker.broker.request.MachineWish;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SettingsTest {
    private static final String ACCOUNT = """
            accounts:
              - id: aliyun-main
                platform: aliyun
                regions: [cn-hangzhou, cn-beijing]
                credentials:
                  accessKeyId: {env: ALIYUN_ID}
                  accessKeySecret: {file: keys/aliyun}
                options: {image: ubuntu_22_04, vpc: vpc-1}
                purchases: auto
                caps: {perBooking: 5000.10 CNY, perMonth: {amount: "90000", currency: CNY}, openClaims: 4}
            """;

    @TempDir
    Path home;

    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void liveInAnEmptyHome() {
        environment.put("HOME", home.toString());
        environment.put("ALIYUN_ID", "LTAI-id");
    }

    @Test
    void withNothingSetTheDefaultsHold() {
        Settings settings = load("");

        assertThat(settings.port()).isEqualTo(8080);
        assertThat(settings.bind()).isEqualTo("127.0.0.1");
        assertThat(settings.publicUrl()).hasToString("http://127.0.0.1:8080");
        assertThat(settings.database()).isNull();
        assertThat(settings.data()).isEqualTo(home.resolve(".local/share/gpu-broker"));
        assertThat(settings.adminToken()).isNull();
        // The build runs in a zone of its own, so this shows that the machine's zone is not taken.
        assertThat(settings.timeZone()).isEqualTo(ZoneId.of("UTC"));
        assertThat(settings.simulators()).isEqualTo(Simulators.NONE);
        assertThat(settings.demoClock()).isFalse();
        assertThat(settings.accounts()).isEmpty();
        assertThat(settings.notifications()).isEqualTo(Notifications.NONE);
        assertThat(settings.policy()).isEqualTo(Policy.DEFAULT);
    }

    @Test
    void theEnvironmentWinsOverTheFile() {
        environment.put("GPU_BROKER_PORT", "9000");
        environment.put("GPU_BROKER_TIME_ZONE", "Asia/Shanghai");
        environment.put("GPU_BROKER_SIMULATORS", "true");
        environment.put("GPU_BROKER_DEMO_CLOCK", "true");
        environment.put("GPU_BROKER_ADMIN_TOKEN", "let-me-in");

        Settings settings = load("port: 8081\ntimeZone: Europe/Berlin\nbind: 0.0.0.0\n");

        assertThat(settings.port()).isEqualTo(9000);
        assertThat(settings.timeZone()).isEqualTo(ZoneId.of("Asia/Shanghai"));
        assertThat(settings.publicUrl()).hasToString("http://localhost:9000");
        assertThat(settings.simulators()).isEqualTo(Simulators.HOSTED);
        assertThat(settings.demoClock()).isTrue();
        assertThat(settings.adminToken()).isEqualTo(new Secret("let-me-in"));
    }

    @Test
    void anAccountIsReadWithItsSecretsFollowed() throws IOException {
        writeKey();

        Account account = load(ACCOUNT).accounts().get(0);

        assertThat(account.regions()).containsExactly("cn-hangzhou", "cn-beijing");
        assertThat(account.credentials())
                .containsEntry("accessKeyId", new Secret("LTAI-id"))
                .containsEntry("accessKeySecret", new Secret("s3cret"));
        assertThat(account.options()).containsEntry("vpc", "vpc-1");
        assertThat(account.purchases()).isEqualTo(Purchases.AUTO);
        assertThat(account.caps()).isEqualTo(new Caps(Money.of("5000.10", "CNY"), null, Money.of("90000", "CNY"), 4));
        assertThat(account.isReal()).isTrue();
        assertThat(account.toString()).doesNotContain("s3cret").doesNotContain("LTAI-id");
    }

    @Test
    void theKeyThatTheBrokerLogsInWithLiesBesideTheSettings() throws IOException {
        writeKey();
        Files.writeString(home.resolve("keys/broker"), "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n");

        MachineLogin login = load("machineLogin: {identityFile: keys/broker}").machineLogin();

        assertThat(login).isEqualTo(new MachineLogin(home.resolve("keys/broker"), "root"));
        for (String other : List.of("no-such-key", "keys", "keys/aliyun")) {
            assertThatThrownBy(() -> load("machineLogin: {identityFile: " + other + "}"))
                    .as(other)
                    .hasMessageContaining("machineLogin.identityFile")
                    .hasMessageContaining("private key");
        }
    }

    @Test
    void anAccountOnlyObservesUnlessToldOtherwise() {
        Account account = load("accounts: [{id: a, platform: aws, regions: us-east-1}]")
                .accounts()
                .get(0);

        assertThat(account.purchases()).isEqualTo(Purchases.OBSERVE);
        assertThat(account.caps()).isEqualTo(Caps.NONE);
    }

    @Test
    void anAccountSaysHowItsMachinesComeUpAndWhenTheyAreReady() {
        MachineSettings machines = load("""
                accounts:
                  - id: a
                    platform: aws
                    regions: [r]
                    machine: {sshKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB ops], dataDiskGb: 500, publicIp: false}
                    readiness: call_home
                    health: {port: 8000, path: /healthz}
                """).accounts().get(0).machines();

        assertThat(machines.defaults())
                .isEqualTo(new MachineWish(
                        null, List.of(), List.of("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB ops"), null, 500, false));
        assertThat(machines.readiness()).isEqualTo(MachineSettings.Readiness.CALL_HOME);
        assertThat(machines.health()).isEqualTo(new MachineSettings.Health(8000, "/healthz"));
    }

    @ParameterizedTest
    @MethodSource("endpoints")
    void onlyAnEndpointOnThisMachineIsSimulated(String endpoint, boolean real) {
        Account account = load("accounts: [{id: a, platform: aws, regions: [r], endpoint: '" + endpoint + "'}]")
                .accounts()
                .get(0);

        assertThat(account.isReal()).isEqualTo(real);
    }

    static Stream<Arguments> endpoints() {
        return Stream.of(
                Arguments.of("http://127.0.0.1:8181", false),
                Arguments.of("http://localhost:8181", false),
                Arguments.of("http://[::1]:8181/api", false),
                Arguments.of("https://ec2.us-east-1.amazonaws.com", true),
                Arguments.of("http://127.0.0.1.example.com", true),
                Arguments.of("http://10.0.0.5:80", true));
    }

    @Test
    void notificationsAndPolicyAreRead() {
        Settings settings = load("""
                notifications:
                  smtp: {host: mail.example.com, from: gpu@example.com, to: ops@example.com, tls: implicit}
                webhooks: {allowHttp: true, ports: [443, 8000-8100], allowNetworks: [10.20.0.0/16]}
                policy: {decideBefore: PT48H, startGrace: PT30M, releaseGrace: PT2H, allowHoldEarly: true, acquireLead: PT15M, maxAttempts: 5, strictLine: true, mostPasses: 3, leastPart: 75, noShowAfter: PT15M}
                """);

        assertThat(settings.notifications().smtp())
                .isEqualTo(new Notifications.Smtp(
                        "mail.example.com",
                        465,
                        null,
                        null,
                        "gpu@example.com",
                        List.of("ops@example.com"),
                        Notifications.Tls.IMPLICIT));
        assertThat(settings.webhooks())
                .isEqualTo(new OutboundRules(
                        true,
                        List.of(new OutboundRules.Ports(443, 443), new OutboundRules.Ports(8000, 8100)),
                        List.of(Network.of("10.20.0.0/16"))));
        assertThat(settings.policy())
                .isEqualTo(new Policy(
                        Duration.ofHours(48),
                        Duration.ofMinutes(30),
                        Duration.ofHours(2),
                        true,
                        Duration.ofMinutes(15),
                        5,
                        true,
                        3,
                        75,
                        Duration.ofMinutes(15)));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultNamesTheSettingTheValueAndWhatToWrite(String yaml, List<String> said) {
        assertThatLoading(yaml).satisfies(e -> assertThat(e.getMessage()).contains(said));
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                fault("port: 70000", "'port' is '70000'", "from 0 to 65534"),
                fault("port: -1", "'port' is '-1'"),
                fault("port: 99999999999999999999", "'port' is"),
                fault("port: 8080.5", "'port' is '8080.5'"),
                fault("timeZone: Mars/Olympus", "'timeZone' is 'Mars/Olympus'", "Asia/Shanghai"),
                fault("timeZone: CST", "'timeZone' is 'CST'"),
                fault("simulators: maybe", "'simulators' is 'maybe'", "true, false"),
                fault("demoClock: sometimes", "'demoClock' is 'sometimes'", "true or false"),
                fault("publicUrl: gpu.example.com", "'publicUrl'", "https://gpu.example.com"),
                fault("databaseUrl: mysql://u:secret@h/d", "'databaseUrl'", "postgresql://user:password@host"),
                fault("prot: 8080", "'prot' is not known", "port"),
                fault("port: 1\nport: 2", "line 2"),
                fault("- a\n- b", "not a mapping"),
                fault("port: [", "not well-formed"),
                fault("policy: {decideBefore: 24h}", "'policy.decideBefore' is '24h'", "PT24H"),
                fault("policy: {decideBefore: P90D}", "'policy.decideBefore' is 'P90D'", "PT1344H"),
                fault("policy: {maxAttempts: 0}", "'policy.maxAttempts' is '0'", "from 1 to 20"),
                fault("accounts: {id: a}", "'accounts'", "list"),
                fault("accounts: [{id: a, platform: aws}]", "'accounts[0].regions' is missing"),
                fault("accounts: [{platform: aws, regions: [r]}]", "'accounts[0].id' is missing"),
                fault("accounts: [{id: A b, platform: aws, regions: [r]}]", "'accounts[0].id' is 'A b'"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r]}, {id: a, platform: aws, regions: [r]}]",
                        "'accounts[1].id' is 'a'"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r], caps: {perBoking: 1 CNY}}]",
                        "'accounts[0].caps.perBoking' is not known",
                        "perBooking"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r], caps: {perDay: 100}}]",
                        "'accounts[0].caps.perDay' is '100'",
                        "5000.00 CNY"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r], caps: {perDay: 1.001 CNY}}]",
                        "'accounts[0].caps.perDay'"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r], caps: {perDay: 10 XQZ}}]",
                        "'accounts[0].caps.perDay' is '10 XQZ'"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r], machine: {sshKeys: [nonsense]}}]",
                        "'accounts[0].machine'",
                        "machine.sshKeys takes public keys"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r], machine: {sshKey: x}}]",
                        "'accounts[0].machine'",
                        "machine.sshKey"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r], readiness: ssh}]",
                        "'accounts[0].readiness' is 'ssh'",
                        "auto, call_home, none"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r], health: {path: healthz}}]",
                        "'accounts[0].health.path'"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r], purchases: always}]",
                        "'accounts[0].purchases' is 'always'",
                        "observe, approve, auto"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r], credentials: {key: {env: NO_SUCH}}}]",
                        "'accounts[0].credentials.key'",
                        "NO_SUCH",
                        "not set"),
                fault(
                        "accounts: [{id: a, platform: aws, regions: [r], credentials: {key: {file: nowhere}}}]",
                        "'accounts[0].credentials.key'",
                        "nowhere"),
                fault("notifications: {smtp: {host: h, from: 'a\\nb', to: [x@y]}}", "'notifications.smtp.from'"),
                fault("notifications: {smtp: {host: h, from: a@b, to: []}}", "'notifications.smtp.to'"),
                fault("notifications: {webhook: {url: 'https://x'}}", "'notifications.webhook'", "not known"),
                fault("webhooks: {allowNetworks: [10.0.0.1/8]}", "'webhooks.allowNetworks'", "10.0.0.1/8"),
                fault("webhooks: {ports: [8100-8000]}", "'webhooks.ports'", "8100-8000"),
                fault("secretKey: hunter2", "'secretKey'"));
    }

    @Test
    void aSecretWrittenIntoTheFileIsRefusedAndNotRepeated() {
        assertThatLoading("accounts: [{id: a, platform: aws, regions: [r], credentials: {key: AKIA123}}]")
                .hasMessageContaining("'accounts[0].credentials.key'")
                .hasMessageContaining("{env: NAME_OF_VARIABLE}")
                .message()
                .doesNotContain("AKIA123");
        assertThatLoading("adminToken: hunter2").message().doesNotContain("hunter2");
        assertThatLoading("databaseUrl: postgresql://u:hunter2@h:x/d").message().doesNotContain("hunter2");
        assertThatLoading("databaseUrl: {env: \"hunter2").message().doesNotContain("hunter2");
    }

    @Test
    void aFaultInTheEnvironmentIsNamedAsTheVariable() {
        environment.put("GPU_BROKER_PORT", "http");

        assertThatLoading("").hasMessageContaining("'GPU_BROKER_PORT' is 'http'");
    }

    @Test
    void aNamedFileThatIsMissingIsAnError() {
        assertThatThrownBy(() -> Settings.load(home.resolve("nope.yaml"), environment))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("nope.yaml");
    }

    @Test
    void theFileIsFoundInTheDataFolder() throws IOException {
        Path data = Files.createDirectories(home.resolve("data"));
        Files.writeString(data.resolve("gpu-broker.yaml"), "port: 8123\n");
        environment.put("GPU_BROKER_DATA", data.toString());

        assertThat(Settings.load(null, environment).port()).isEqualTo(8123);
    }

    @Test
    void theAdminTokenIsMadeOnceIntoAPrivateFile() throws IOException {
        environment.put("GPU_BROKER_DATA", home.resolve("data").toString());
        Settings settings = load("");

        Secret made = AdminToken.of(settings);

        assertThat(made.value()).hasSize(32);
        assertThat(AdminToken.of(settings)).isEqualTo(made);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(AdminToken.file(settings.data()))))
                .isEqualTo("rw-------");
    }

    private void writeKey() throws IOException {
        Files.createDirectories(home.resolve("keys"));
        Files.writeString(home.resolve("keys/aliyun"), "s3cret\n");
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertThatLoading(String yaml) {
        return assertThatThrownBy(() -> load(yaml)).isInstanceOf(StartException.class);
    }

    private Settings load(String yaml) {
        try {
            Path file = home.resolve("gpu-broker.yaml");
            Files.writeString(file, yaml);
            return Settings.load(file, environment);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Arguments fault(String yaml, String... said) {
        return Arguments.of(yaml, List.of(said));
    }
}
