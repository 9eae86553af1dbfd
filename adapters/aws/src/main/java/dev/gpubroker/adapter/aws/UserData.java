package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.PlatformFault;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** What cloud-init does at the first boot: a multipart text of login keys and the start-up script. */
final class UserData {
    /** EC2 takes 16 KB before encoding (EC2 User Guide, user data). */
    private static final int MOST_BYTES = 16 * 1024;

    private static final String BOUNDARY = "==gpu-broker==";

    private UserData() {}

    /** Base64, as {@code RunInstances} wants it; null if there is nothing to do. */
    static @Nullable String of(MachineSpec machine) {
        String script = machine.startupScript();
        if (machine.sshKeys().isEmpty() && (script == null || script.isBlank())) {
            return null;
        }
        StringBuilder text = new StringBuilder(
                "Content-Type: multipart/mixed; boundary=\"" + BOUNDARY + "\"\nMIME-Version: 1.0\n\n");
        if (!machine.sshKeys().isEmpty()) {
            part(text, "text/cloud-config", "#cloud-config\nssh_authorized_keys:\n" + keys(machine));
        }
        if (script != null && !script.isBlank()) {
            part(text, "text/x-shellscript", script.startsWith("#!") ? script : "#!/bin/bash\n" + script);
        }
        byte[] bytes = text.append("--" + BOUNDARY + "--\n").toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MOST_BYTES) {
            throw new PlatformFault(
                    PlatformFault.Kind.BAD_REQUEST,
                    "keys and start-up script are longer than " + MOST_BYTES + " bytes");
        }
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static void part(StringBuilder text, String type, String content) {
        text.append("--" + BOUNDARY + "\nContent-Type: ")
                .append(type)
                .append("; charset=\"utf-8\"\n\n")
                .append(content)
                .append(content.endsWith("\n") ? "" : "\n");
    }

    private static String keys(MachineSpec machine) {
        StringBuilder lines = new StringBuilder();
        for (String key : machine.sshKeys()) {
            if (key.chars().anyMatch(Character::isISOControl)) {
                throw new PlatformFault(
                        PlatformFault.Kind.BAD_REQUEST, "a login key is one line without control characters");
            }
            lines.append("  - '").append(key.strip().replace("'", "''")).append("'\n");
        }
        return lines.toString();
    }
}
