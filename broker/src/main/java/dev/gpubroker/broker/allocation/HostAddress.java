package dev.gpubroker.broker.allocation;

import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.VisibleText;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What own machines may be called and how they are reached: {@code user@host:port}, of which user and port may be missing.
 * Both are handed to jobs, which hand them to {@code ssh} and to lists; neither may be read there as something else. Pure.
 *
 * @param host name or address, an IPv6 one without its brackets
 * @param port null where none is written
 * @param user null where none is written
 */
public record HostAddress(
        String host, @Nullable Integer port, @Nullable String user) {
    private static final Pattern PARTS = Pattern.compile("(?:(?<user>[A-Za-z0-9_][A-Za-z0-9_.-]{0,63})@)?"
            + "(?:\\[(?<six>[0-9A-Fa-f:.]+)]|(?<host>[A-Za-z0-9._-]+)|(?<bare>[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*))"
            + "(?::(?<port>[0-9]{1,5}))?");
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?");
    private static final Pattern BYTE = Pattern.compile("25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]");
    private static final Pattern GROUP = Pattern.compile("[0-9A-Fa-f]{1,4}");
    /** Names of machines are listed with commas between them, and written into files that a shell reads. */
    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_][\\p{L}\\p{M}\\p{N}_.:@/+-]*");

    private static final Pattern NOT_OF_A_NAME = Pattern.compile("[^\\p{L}\\p{M}\\p{N}_.:@/+-]+");

    private static final int LONGEST_HOST = 253;
    private static final int HIGHEST_PORT = 65_535;

    static void checkName(String field, String name, List<FieldError> errors) {
        VisibleText.fault(field, name, VisibleText.Kind.LINE).ifPresent(errors::add);
        if (!NAME.matcher(name).matches() || PoolName.folded(name).startsWith("nod_")) {
            errors.add(new FieldError(
                    field,
                    "format",
                    "must be of letters, digits and . _ : @ / + -, beginning with a letter or digit and not with nod_, as gpu-01",
                    "只能含文字、数字和 . _ : @ / + -，以文字或数字开头且不能以 nod_ 开头，例如 gpu-01"));
        }
    }

    /** A machine's name for a pool of numbered machines. */
    static String numbered(String pool, int number) {
        return NOT_OF_A_NAME.matcher(pool).replaceAll("-").replaceFirst("^[^\\p{L}\\p{N}_]+", "") + "-" + number;
    }

    static void check(String field, String address, List<FieldError> errors) {
        if (read(address).isEmpty()) {
            errors.add(new FieldError(
                    field,
                    "format",
                    "must be a host name, an IPv4 or an IPv6 address, as gpu-01.lab, ci@10.0.0.5:2222 or [fd00::5]:22",
                    "必须是主机名、IPv4 或 IPv6 地址，例如 gpu-01.lab、ci@10.0.0.5:2222 或 [fd00::5]:22"));
        }
    }

    /** What a pool's owner wrote, in one text; empty if it is no address. */
    public static Optional<HostAddress> read(String address) {
        Matcher parts = PARTS.matcher(address);
        if (!parts.matches()) {
            return Optional.empty();
        }
        Integer port = parts.group("port") == null ? null : Integer.valueOf(parts.group("port"));
        if (port != null && (port < 1 || port > HIGHEST_PORT)) {
            return Optional.empty();
        }
        String host = parts.group("host");
        if (host != null) {
            return isHost(host) ? Optional.of(new HostAddress(host, port, parts.group("user"))) : Optional.empty();
        }
        // Where the last group of a bare one ends and a port begins, nobody could tell.
        String six = parts.group("six") != null ? parts.group("six") : port == null ? parts.group("bare") : null;
        return six != null && isSix(six)
                ? Optional.of(new HostAddress(six, port, parts.group("user")))
                : Optional.empty();
    }

    private static boolean isHost(String host) {
        String[] labels = host.replaceFirst("\\.$", "").split("\\.", -1);
        if (host.length() > LONGEST_HOST) {
            return false;
        }
        // Names whose last label is a number are read as addresses, also those that are none, as 10.0.0.300.
        return labels[labels.length - 1].matches("[0-9]+")
                ? isFour(host)
                : List.of(labels).stream()
                        .allMatch(label -> LABEL.matcher(label).matches());
    }

    private static boolean isFour(String host) {
        String[] bytes = host.split("\\.", -1);
        return bytes.length == 4
                && List.of(bytes).stream().allMatch(each -> BYTE.matcher(each).matches());
    }

    private static boolean isSix(String address) {
        int gap = address.indexOf("::");
        if (gap >= 0) {
            int left = groups(address.substring(0, gap), false);
            int right = groups(address.substring(gap + 2), true);
            return left >= 0 && right >= 0 && left + right <= 7;
        }
        return groups(address, true) == 8;
    }

    /** How many groups of 16 bits these are; -1 if something is no group. */
    private static int groups(String text, boolean mayEndAsFour) {
        if (text.isEmpty()) {
            return 0;
        }
        String[] each = text.split(":", -1);
        int count = each.length;
        for (int i = 0; i < each.length; i++) {
            if (i == each.length - 1 && mayEndAsFour && each[i].indexOf('.') >= 0 && isFour(each[i])) {
                count++;
            } else if (!GROUP.matcher(each[i]).matches()) {
                return -1;
            }
        }
        return count;
    }
}
