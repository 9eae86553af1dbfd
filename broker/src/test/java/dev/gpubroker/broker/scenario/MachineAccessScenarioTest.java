package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gpubroker.broker.access.SshServer;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a key in the booking to a command that runs on the machine. */
class MachineAccessScenarioTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String KEY =
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEOZYTMIGu5fkm1TlUkQpy+OhRWRkDpVT+5Q5Tg7ZW+q";

    @TempDir
    Path data;

    @TempDir
    Path ssh;

    private TestDatabase database;
    private RunningBroker broker;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.create();
        broker = new RunningBroker(database, data);
        broker.walkTo("2026-11-01T10:00:00+08:00");
    }

    @AfterEach
    void stop() {
        broker.close();
        database.close();
    }

    private JsonNode booked(String platform, String model, String machine) {
        Answer booked = broker.book("""
                {"gpu":{"model":"%s","count":8},"start":"2026-11-03T00:00:00+08:00","duration":"P2D",
                 "constraints":{"platforms":["%s"]},"substitution":{"mode":"never"}%s}""".formatted(model, platform, machine.isEmpty() ? "" : ",\"machine\":" + machine));
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        return booked.body();
    }

    private static String machine(Map<String, Object> fields) {
        try {
            return JSON.writeValueAsString(fields);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private String state(JsonNode booked) {
        return broker.reservation(booked).get("state").asText();
    }

    private Answer access(JsonNode booked) {
        return broker.call("GET", "/v1/reservations/" + booked.get("id").asText() + "/access", null);
    }

    private JsonNode node(JsonNode booked) {
        Answer access = access(booked);
        assertThat(access.status()).as("%s", access.body()).isEqualTo(200);
        return access.body().get("nodes").get(0);
    }

    private JsonNode ordered(String platform) {
        return broker.machines(platform).get(0).get("machine");
    }

    private List<String> eventsCalled(JsonNode booked, String what) {
        List<String> reasons = new ArrayList<>();
        broker.get("/v1/reservations/" + booked.get("id").asText() + "/events?limit=200")
                .get("items")
                .forEach(event -> {
                    if (event.get("what").asText().equals(what)) {
                        reasons.add(event.get("who").asText() + ": "
                                + event.get("why").asText());
                    }
                });
        return reasons;
    }

    /** The command line, as a process of its own. */
    private String cli(int exit, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "dev.gpubroker.broker.cli.GpuBroker"));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder cli = new ProcessBuilder(command).redirectErrorStream(true);
        cli.environment().putAll(broker.forClients());
        Process process = cli.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(out).isEqualTo(exit);
        return out;
    }

    @Test
    void aReservationIsActiveOnceItsMachineAnswersAndItsOwnerLogsIn() throws Exception {
        try (SshServer server = new SshServer(ssh)) {
            Path key = server.makeKey("owner", "ed25519");
            String publicKey = SshServer.publicHalf(key);
            broker.access("aliyun", server.port());
            JsonNode booked = booked("aliyun", "A100", machine(Map.of("sshKeys", List.of(publicKey))));
            String id = booked.get("id").asText();
            assertThat(access(booked).status()).isEqualTo(409);
            assertThat(access(booked).body().get("detail").asText())
                    .contains("queued")
                    .contains("order at 2026-11-03");

            broker.walkTo("2026-11-03T00:06:00+08:00");

            assertThat(state(booked)).as("nothing listens there yet").isEqualTo("provisioning");
            assertThat(node(booked).get("readiness").asText()).isEqualTo("pending");
            assertThat(node(booked).get("hostKey").isNull()).isTrue();
            assertThat(eventsCalled(booked, "readiness")).hasSize(1);

            JsonNode keys = ordered("aliyun").get("sshKeys");
            assertThat(keys).hasSize(1);
            server.start(List.of(keys.get(0).asText()));
            broker.walkTo("2026-11-03T00:08:00+08:00");

            assertThat(state(booked)).isEqualTo("active");
            JsonNode node = node(booked);
            int gateway = node.get("port").asInt();
            assertThat(node.get("readiness").asText()).isEqualTo("ready");
            assertThat(node.get("host").asText()).isEqualTo("127.0.0.1");
            assertThat(node.get("hostKey").asText()).isEqualTo("[127.0.0.1]:" + gateway + " " + server.hostKey());
            assertThat(broker.reasons(booked)).anyMatch(why -> why.contains("its machines answer"));

            String user = System.getProperty("user.name");
            Path said = ssh.resolve("said");
            String hello = "echo hello | tee " + said;
            assertThat(cli(0, "ssh", id, "-l", user, "-i", key.toString(), "--", hello))
                    .contains("hello");
            assertThat(Files.readString(said)).isEqualTo("hello\n");
            assertThat(cli(7, "ssh", id, "-l", user, "-i", key.toString(), "--", "exit 7"))
                    .isEmpty();
            String printed = cli(0, "ssh", id, "--print", "-l", user);
            assertThat(printed).contains("StrictHostKeyChecking=yes").contains("-p " + gateway);
            assertThat(eventsCalled(booked, "access_read"))
                    .hasSizeGreaterThanOrEqualTo(6)
                    .allMatch(read -> read.startsWith("admin: "));

            broker.cancel(booked);
            broker.walkTo("2026-11-03T01:00:00+08:00");
            assertThat(access(booked).status()).isEqualTo(409);
            assertThat(cli(4, "ssh", id)).contains("no machines any more");
        }
    }

    /** Somebody else's server on the same address is not logged in to. */
    @Test
    void anotherKeyThanTheOneThatWasSeenStopsTheLogin() throws Exception {
        Path first = Files.createDirectory(ssh.resolve("first"));
        Path second = Files.createDirectory(ssh.resolve("second"));
        try (SshServer machine = new SshServer(first);
                SshServer impostor = new SshServer(second)) {
            Path key = machine.makeKey("owner", "ed25519");
            machine.start(List.of(SshServer.publicHalf(key)));
            impostor.start(List.of(SshServer.publicHalf(key)));
            broker.access("aliyun", machine.port());
            JsonNode booked = booked("aliyun", "A100", "");
            broker.walkTo("2026-11-03T00:06:00+08:00");
            assertThat(state(booked)).isEqualTo("active");

            broker.access("aliyun", impostor.port());

            assertThat(cli(255, "ssh", booked.get("id").asText(), "-i", key.toString(), "--", "true"))
                    .containsIgnoringCase("host key verification failed");
        }
    }

    @Test
    void aMachineThatNeverAnswersIsGivenBackAndAnotherOneIsOrdered() throws Exception {
        broker.access("aliyun", SshServerPort.closed());
        JsonNode booked = booked("aliyun", "A100", "");

        broker.walkTo("2026-11-03T00:50:00+08:00");

        assertThat(broker.machines("aliyun").size()).isGreaterThan(1);
        assertThat(broker.machines("aliyun").get(0).get("releasedAt").isNull()).isFalse();
        assertThat(broker.reasons(booked))
                .contains("the machines never came up")
                .anyMatch(why -> why.contains("what answers there is no SSH server"));
    }

    @Test
    void simulatedMachinesAreReadyAtOnceAndNobodyLogsIn() {
        JsonNode booked = booked("aliyun", "A100", "");

        broker.walkTo("2026-11-03T00:02:00+08:00");

        assertThat(state(booked)).isEqualTo("active");
        JsonNode node = node(booked);
        assertThat(node.get("readiness").asText()).isEqualTo("ready");
        assertThat(node.get("host").asText()).isEqualTo("127.0.0.1");
        assertThat(node.get("hostKey").isNull()).isTrue();
    }

    @Test
    void aPersonsKeysAndImageGoWithEveryBookingThatSaysNothing() {
        Answer written = broker.call(
                "PUT",
                "/v1/me",
                "{\"timeZone\":\"Europe/Berlin\",\"machine\":{\"image\":\"mine.vhd\",\"sshKeys\":[\"" + KEY
                        + " ann\"],\"dataDiskGb\":200,\"publicIp\":true}}");
        assertThat(written.status()).as("%s", written.body()).isEqualTo(200);
        assertThat(broker.get("/v1/me")).isEqualTo(written.body());

        JsonNode booked = booked("aliyun", "A100", "{\"dataDiskGb\":0}");

        JsonNode asked = booked.get("request").get("machine");
        assertThat(asked.get("image").asText()).isEqualTo("mine.vhd");
        assertThat(asked.get("dataDiskGb").asInt()).isZero();
        assertThat(booked.get("request").get("timeZone").asText()).isEqualTo("Europe/Berlin");
        broker.call("PUT", "/v1/me", "{}"); // What is booked keeps what it was booked with.
        broker.walkTo("2026-11-03T00:02:00+08:00");
        JsonNode ordered = ordered("aliyun");
        assertThat(ordered.get("image").asText()).isEqualTo("mine.vhd");
        assertThat(ordered.get("sshKeys").get(0).asText()).isEqualTo(KEY + " ann");
        assertThat(ordered.get("publicIp").asBoolean()).isTrue();
        assertThat(ordered.get("dataDiskGb").asInt()).isZero();
    }

    @Test
    void aPersonsTimeZoneIsARegionAndNoOffset() {
        for (String none : List.of("+08:00", "UTC+8", "Z")) {
            Answer refused = broker.call("PUT", "/v1/me", "{\"timeZone\":\"" + none + "\"}");
            assertThat(refused.status()).as(none).isEqualTo(400);
            assertThat(refused.body().get("code").asText()).isEqualTo("time_zone_unknown");
        }
    }

    @Test
    void aKeyThatIsNoneIsRefusedInAPersonsDefaultsAsInARequest() {
        Answer refused =
                broker.call("PUT", "/v1/me", "{\"machine\":{\"sshKeys\":[\"-----BEGIN OPENSSH PRIVATE KEY-----\"]}}");

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.body().get("errors").get(0).get("field").asText()).isEqualTo("machine.sshKeys");
        assertThat(refused.body().toString()).doesNotContain("BEGIN");
    }

    /** The machine runs its script, whose last line is what is played here. */
    @Test
    void aMachineThatCallsHomeIsReadyAlthoughNobodyCanReachIt() throws Exception {
        broker.access("aliyun", SshServerPort.closed());
        JsonNode booked = booked("aliyun", "A100", machine(Map.of("startupScript", "#!/bin/bash\necho up\n")));
        broker.walkTo("2026-11-03T00:06:00+08:00");
        assertThat(state(booked)).isEqualTo("provisioning");
        String script = ordered("aliyun").get("startupScript").asText();
        assertThat(script).startsWith("#!/bin/bash\necho up\ncurl ").contains("/v1/machines/ready");
        String token = script.replaceAll("(?s).*\"token\":\"([^\"]+)\".*", "$1");
        assertThat(database.read("SELECT request::text FROM claim")).doesNotContain(token);

        assertThat(home("no-such-token").status()).isEqualTo(204);
        broker.walkTo("2026-11-03T00:07:00+08:00");
        assertThat(state(booked)).isEqualTo("provisioning");

        assertThat(home(token).status()).isEqualTo(204);
        broker.walkTo("2026-11-03T00:08:00+08:00");
        assertThat(state(booked)).isEqualTo("active");
        assertThat(node(booked).get("readiness").asText()).isEqualTo("ready");
    }

    private Answer home(String token) {
        return broker.anonymously("POST", "/v1/machines/ready", "{\"token\":\"" + token + "\",\"machine\":\"boot-1\"}");
    }

    @Test
    void aTokenIsGoodForItsOwnMachinesAndItsTimeOnly() throws Exception {
        broker.access("aliyun", SshServerPort.closed());
        booked("aliyun", "A100", machine(Map.of("startupScript", "echo up")));
        broker.walkTo("2026-11-03T00:06:00+08:00");
        String token =
                ordered("aliyun").get("startupScript").asText().replaceAll("(?s).*\"token\":\"([^\"]+)\".*", "$1");

        broker.walkTo("2026-11-03T00:46:00+08:00");
        assertThat(home(token).status()).isEqualTo(204);

        assertThat(database.read("SELECT count(*) FROM call_home WHERE cardinality(called) > 0"))
                .isEqualTo("0");
    }

    @Test
    void whereAPlatformTakesNoKeysItsPasswordIsShownAndKeptNowhere() {
        JsonNode booked = booked("zhixingyun", "RTX4090", machine(Map.of("sshKeys", List.of(KEY))));
        assertThat(booked.get("explanation").toString()).contains("take no SSH keys");
        broker.walkTo("2026-11-03T00:10:00+08:00");
        assertThat(state(booked)).isEqualTo("active");

        JsonNode node = node(booked);

        assertThat(node.get("password").asText()).isEqualTo("sim-Pw-peeNa3qu");
        String token = broker.call(
                        "POST", "/v1/tokens", "{\"name\":\"ci\",\"team\":\"default\",\"scopes\":[\"lease\"]}")
                .body()
                .get("secret")
                .asText();
        JsonNode asJob = broker.callAs(
                        token, "GET", "/v1/reservations/" + booked.get("id").asText() + "/access", null)
                .body()
                .get("nodes")
                .get(0);
        assertThat(asJob.get("host")).isEqualTo(node.get("host"));
        assertThat(asJob.has("password")).isFalse();
        assertThat(node.get("user").asText()).isEqualTo("root");
        for (String table :
                List.of("claim", "node", "reservation", "reservation_event", "machine_readiness", "outbox")) {
            assertThat(database.read("SELECT coalesce(string_agg(t::text, ' '), '') FROM " + table + " t"))
                    .as(table)
                    .doesNotContain("sim-Pw");
        }
    }

    @Test
    void aPlatformThatRunsNoScriptIsLeftAsideAndSaysSo() {
        Answer booked = broker.book("""
                {"gpu":{"model":"RTX4090","count":8},"start":"2026-11-03T00:00:00+08:00","duration":"P2D",
                 "constraints":{"platforms":["zhixingyun"]},"machine":{"startupScript":"echo up"}}""");

        assertThat(booked.status()).isEqualTo(422);
        assertThat(booked.body().get("explanation").toString()).contains("its orders take no start-up script");
    }

    @Test
    void anOwnMachineIsAskedWhereItsPoolWantsItAndNeverForLong() throws Exception {
        try (SshServer server = new SshServer(ssh)) {
            Answer pool = broker.call(
                    "POST",
                    "/v1/pools",
                    "{\"name\":\"lab\",\"model\":\"H100-SXM5-80GB\",\"gpusPerNode\":8,\"readiness\":\"ssh\",\"hosts\":["
                            + "{\"name\":\"up\",\"address\":\"ann@127.0.0.1:" + server.port() + "\"},"
                            + "{\"name\":\"down\",\"address\":\"127.0.0.1:" + SshServerPort.closed() + "\"}]}");
            assertThat(pool.status()).as("%s", pool.body()).isEqualTo(201);
            server.start(List.of());
            JsonNode both = broker.book("""
                    {"gpu":{"model":"H100-SXM5-80GB","count":16},"start":"2026-11-03T00:00:00+08:00","duration":"P2D"}""").body();

            broker.walkTo("2026-11-03T00:01:00+08:00");
            assertThat(state(both)).isEqualTo("provisioning");

            broker.walkTo("2026-11-03T00:07:00+08:00");
            assertThat(state(both)).isEqualTo("active");
            JsonNode nodes = access(both).body().get("nodes");
            assertThat(nodes).hasSize(2);
            nodes.forEach(node -> {
                boolean up = node.get("name").asText().equals("up");
                assertThat(node.get("readiness").asText()).isEqualTo(up ? "ready" : "unverified");
                assertThat(node.get("user").asText(null)).isEqualTo(up ? "ann" : null);
            });
            assertThat(eventsCalled(both, "readiness")).anyMatch(why -> why.contains("down: no way from here"));
        }
    }

    @Test
    void anOwnMachineOfAPoolThatWantsNothingAskedStartsAtOnce() {
        broker.call(
                "POST", "/v1/pools", "{\"name\":\"lab\",\"model\":\"H100-SXM5-80GB\",\"gpusPerNode\":8,\"nodes\":1}");
        JsonNode booked = broker.book("""
                {"gpu":{"model":"H100-SXM5-80GB","count":4},"start":"2026-11-03T00:00:00+08:00","duration":"P2D"}""").body();

        broker.walkTo("2026-11-03T00:00:30+08:00");

        assertThat(state(booked)).isEqualTo("active");
        JsonNode node = node(booked);
        assertThat(node.get("readiness").asText()).isEqualTo("unverified");
        assertThat(node.get("host").isNull()).isTrue();
        assertThat(node.get("gpus")).hasSize(4);
    }

    @Test
    void anotherTeamsReservationIsNoReservation() {
        assertThat(broker.call("GET", "/v1/reservations/rsv_01m6adbprrfypa9p95fpn5nt70/access", null)
                        .status())
                .isEqualTo(404);
    }
}
