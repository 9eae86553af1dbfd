package dev.gpubroker.adapter.spi;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a machine should come up.
 *
 * @param image the platform's image name or id; null means the account's default
 * @param frameworks wanted instead of an image, such as {@code pytorch}
 * @param sshKeys public keys in OpenSSH form
 * @param startupScript run once at first boot; null for none
 * @param dataDiskGb 0 for none
 */
public record MachineSpec(
        @Nullable String image,
        List<String> frameworks,
        List<String> sshKeys,
        @Nullable String startupScript,
        int dataDiskGb,
        boolean publicIp) {
    public MachineSpec {
        frameworks = List.copyOf(frameworks);
        sshKeys = List.copyOf(sshKeys);
    }

    /** A line as in a {@code .pub} file: its kind, its Base64 and perhaps a comment. Checked wherever keys come in. */
    private static final Pattern PUBLIC_KEY = Pattern.compile(
            "(ssh-(ed25519|rsa)|ecdsa-sha2-nistp\\d{3}|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]{20,}={0,3}( .*)?");

    public static boolean isPublicKey(String line) {
        return PUBLIC_KEY.matcher(line).matches();
    }

    public static MachineSpec standard() {
        return new MachineSpec(null, List.of(), List.of(), null, 0, false);
    }
}
