package dev.gpubroker.broker.cli;

import static dev.gpubroker.broker.cli.StubBroker.example;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which command of ssh a login comes to. */
class SshCommandTest {
    private static final String ID = "rsv_06bq2v9x3k7m5n8p1r4s6t0w2y";
    private static final String PATH = "/v1/reservations/" + ID + "/access";

    private final StubBroker broker = StubBroker.start();
    private final CommandRun cli = CommandRun.against(broker);

    @TempDir
    private Path cache;

    private final ObjectNode access = example("Access.two-machines");

    @AfterEach
    void stop() {
        broker.close();
    }

    private ObjectNode node(int index) {
        return (ObjectNode) access.get("nodes").get(index);
    }

    private List<String> printed(String... arguments) {
        broker.on("GET " + PATH, 200, access);
        int before = cli.out().length();
        assertThat(cli.with("XDG_CACHE_HOME", cache.toString()).run(arguments))
                .as(cli.err())
                .isZero();
        return CommandRun.words(cli.out().substring(before).strip());
    }

    private static Path knownHosts(List<String> ssh) {
        return ssh.stream()
                .filter(word -> word.startsWith("UserKnownHostsFile="))
                .map(word -> Path.of(word.substring(word.indexOf('=') + 1)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theFirstMachineIsMeantAndItsKeyIsWanted() throws Exception {
        List<String> ssh = printed("ssh", ID, "--print");

        assertThat(ssh).startsWith("ssh", "-p", "22", "-l", "root").endsWith("--", "203.0.113.7");
        assertThat(ssh).contains("StrictHostKeyChecking=yes", "GlobalKnownHostsFile=/dev/null");
        assertThat(Files.readString(knownHosts(ssh)).strip())
                .isEqualTo(node(0).get("hostKey").asText());
        assertThat(cli.err()).contains("i-bp1f3c0a7e5d94b21c66");
    }

    @Test
    void printingAgainWritesTheSameFile() throws Exception {
        List<String> first = printed("ssh", ID, "--print");
        Files.writeString(knownHosts(first), "203.0.113.7 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOfAnotherDay\n");
        List<String> again = printed("ssh", ID, "--print");

        assertThat(again).isEqualTo(first);
        assertThat(Files.readString(knownHosts(again)).strip())
                .isEqualTo(node(0).get("hostKey").asText());
        assertThat(knownHosts(again)).startsWith(cache);
        try (Stream<Path> all = Files.list(knownHosts(again).getParent())) {
            assertThat(all).hasSize(1);
        }
    }

    @Test
    void aMachineIsMeantByItsNameAndWhatFollowsIsRunThere() throws Exception {
        List<String> ssh =
                printed("ssh", ID, "i-bp1f3c0a7e5d94b21c66", "--print", "-l", "ann", "--", "nvidia-smi", "-L");

        assertThat(ssh).contains("-l", "ann").endsWith("--", "10.0.0.8", "nvidia-smi", "-L");
        assertThat(ssh).as("nobody has seen its key").contains("StrictHostKeyChecking=accept-new");
        assertThat(Files.readString(knownHosts(ssh))).isEmpty();
    }

    @Test
    void aCommandWithoutAMachineIsRunOnTheFirst() {
        assertThat(printed("ssh", ID, "--print", "--", "echo", "hello world"))
                .endsWith("--", "203.0.113.7", "echo", "hello world");
    }

    @Test
    void aMachineThatHasNotAnsweredIsToldAndAPasswordIsShown() {
        node(0).put("readiness", "pending")
                .put("detail", "203.0.113.7 port 22: Connection refused")
                .put("password", "pw1");

        printed("ssh", ID, "--print");

        assertThat(cli.err())
                .contains("has not answered yet")
                .contains("Connection refused")
                .contains("pw1");
        assertThat(cli.out()).doesNotContain("pw1");
    }

    @Test
    void whereNoAddressIsKnownItSaysSo() {
        node(0).putNull("host");
        broker.on("GET " + PATH, 200, access);

        assertThat(cli.run("ssh", ID)).isEqualTo(ExitCode.REFUSED);
        assertThat(cli.err()).contains("No address is known of i-bp1655f0ce1fb1b4df1b");
    }

    /** It would be an option of ssh. */
    @Test
    void anAddressThatBeginsWithADashIsNone() {
        node(0).put("host", "-oProxyCommand=x");
        broker.on("GET " + PATH, 200, access);

        assertThat(cli.run("ssh", ID, "--print")).isEqualTo(ExitCode.REFUSED);
    }
}
