package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Access;
import dev.gpubroker.client.model.AccessNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Logs in to a machine of a reservation with the {@code ssh} of this computer. */
@Command(
        name = "ssh",
        mixinStandardHelpOptions = true,
        description = {
            "Logs in to a machine of a reservation, or runs a command there; its exit code is that of ssh.",
            "  gpu-broker ssh rsv_…",
            "  gpu-broker ssh rsv_… lab-2 -- nvidia-smi -L"
        })
final class SshCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "RESERVATION", description = "Its id, rsv_…")
    private String id = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "[NODE] [-- COMMAND…]",
            description = "A machine by its name, else the first; and what to run on it.")
    private List<String> rest = List.of();

    @Option(
            names = {"-l", "--user"},
            paramLabel = "NAME",
            description = "Else the user that the platform names.")
    private @Nullable String user;

    @Option(
            names = {"-i", "--identity"},
            paramLabel = "FILE",
            description = "A private key; else those that ssh finds.")
    private @Nullable Path identity;

    @Option(names = "--print", description = "Prints the command of ssh instead of running it.")
    private boolean print;

    SshCommand(Supplier<Session> sessions) {
        super(sessions);
    }

    @Override
    int run(Session session) throws ApiException {
        Access access = session.reservations().readAccess(id);
        if (session.json()) {
            session.print(access);
            return ExitCode.OK;
        }
        Lang lang = session.lang();
        List<AccessNode> nodes = access.getNodes();
        if (nodes.isEmpty()) {
            throw new CliFailure(
                    ExitCode.REFUSED, lang.pick("The platform has not named its machines yet.", "平台尚未给出机器信息。"));
        }
        Optional<AccessNode> named = nodes.stream()
                .filter(each -> !rest.isEmpty() && each.getName().equals(rest.get(0)))
                .findFirst();
        AccessNode node = named.orElse(nodes.get(0));
        List<String> command = named.isPresent() ? rest.subList(1, rest.size()) : rest;
        Path knownHosts = print ? lastingKnownHosts(session, id, node) : knownHosts(node);
        List<String> ssh = command(session, node, knownHosts, command);
        tell(session, node, nodes);
        if (print) {
            session.say(ssh.stream().map(Shell::quoted).collect(Collectors.joining(" ")));
            return ExitCode.OK;
        }
        return execute(session, ssh, knownHosts);
    }

    private void tell(Session session, AccessNode node, List<AccessNode> all) {
        Lang lang = session.lang();
        if (all.size() > 1) {
            session.note(lang.pick("Machine ", "机器 ")
                    + node.getName()
                    + lang.pick("; all: ", "；全部：")
                    + all.stream().map(AccessNode::getName).collect(Collectors.joining(", ")));
        }
        if (node.getReadiness() == AccessNode.ReadinessEnum.PENDING) {
            session.note(lang.pick("It has not answered yet", "机器尚未应答")
                    + (node.getDetail() == null ? "" : ": " + Width.clean(node.getDetail())));
        }
        if (node.getPassword() != null) {
            session.note(lang.pick("The platform takes no keys. Its password: ", "该平台不支持密钥登录。密码：")
                    + Width.clean(node.getPassword()));
        }
    }

    private List<String> command(Session session, AccessNode node, Path knownHosts, List<String> command) {
        String host = node.getHost();
        if (host == null || host.startsWith("-") || host.isBlank()) {
            throw new CliFailure(
                    ExitCode.REFUSED,
                    session.lang()
                            .pick("No address is known of " + node.getName() + ".", "不知道 " + node.getName() + " 的地址。"));
        }
        String login = user == null ? node.getUser() : user;
        List<String> ssh = new ArrayList<>(List.of("ssh"));
        if (node.getPort() != null) {
            ssh.addAll(List.of("-p", String.valueOf(node.getPort())));
        }
        if (login != null) {
            ssh.addAll(List.of("-l", login));
        }
        if (identity != null) {
            ssh.addAll(List.of("-i", identity.toString()));
        }
        // Addresses are used again by other machines, so what was known of one earlier says nothing.
        ssh.addAll(List.of("-o", "UserKnownHostsFile=" + option(knownHosts), "-o", "GlobalKnownHostsFile=/dev/null"));
        ssh.addAll(List.of("-o", "StrictHostKeyChecking=" + (node.getHostKey() == null ? "accept-new" : "yes")));
        ssh.add("--");
        ssh.add(host);
        ssh.addAll(command);
        return ssh;
    }

    /** ssh reads several files from one option, and words of its own after a percent sign. */
    private static String option(Path file) {
        String text = file.toString().replace("%", "%%");
        return text.indexOf(' ') < 0 ? text : "\"" + text + "\"";
    }

    /** With the key that the broker saw, or empty: then the key that is shown first is taken. */
    private static Path knownHosts(AccessNode node) {
        try {
            Path file = Files.createTempFile("gpu-broker-known-hosts", "");
            if (node.getHostKey() != null) {
                Files.writeString(file, node.getHostKey() + "\n");
            }
            return file;
        } catch (IOException full) {
            throw new CliFailure(ExitCode.FAILED, "A temporary file cannot be written: " + full.getMessage());
        }
    }

    /**
     * Where the printed command finds the key: one file for each machine, written anew each time, since nobody knows when the
     * command is run. Without a key it is emptied, so that a machine that has taken the address over is met afresh.
     */
    private static Path lastingKnownHosts(Session session, String reservation, AccessNode node) {
        String name = reservation + "-" + node.getName();
        // A platform's name for a machine might lead elsewhere.
        Path file = session.cache().resolve("known-hosts").resolve(name.replaceAll("[^A-Za-z0-9._-]", "_"));
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, node.getHostKey() == null ? "" : node.getHostKey() + "\n");
            return file;
        } catch (IOException full) {
            throw new CliFailure(ExitCode.FAILED, file + " cannot be written: " + full.getMessage());
        }
    }

    private static int execute(Session session, List<String> ssh, Path knownHosts) {
        try {
            return new ProcessBuilder(ssh).inheritIO().start().waitFor();
        } catch (IOException missing) {
            throw new CliFailure(
                    ExitCode.FAILED,
                    session.lang()
                            .pick(
                                    "There is no ssh on this computer. Install it (Debian: openssh-client), or use --print.",
                                    "本机没有 ssh，请安装（Debian：openssh-client），或使用 --print。"));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return ExitCode.FAILED;
        } finally {
            try {
                Files.deleteIfExists(knownHosts);
            } catch (IOException leftBehind) {
                session.note("gpu-broker: " + knownHosts + " could not be deleted");
            }
        }
    }
}
