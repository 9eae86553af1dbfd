package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.BootLimit;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.PlatformFault;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** What cloud-init does at the first boot: a multipart text of login keys and the start-up script. */
final class UserData {
    /** EC2 takes 16 KB before encoding (EC2 User Guide, user data). */
    static final BootLimit LIMIT = new BootLimit(16 * 1024, UserData::size);

    private static final String BOUNDARY = "==gpu-broker==";

    private UserData() {}

    /**
     * Base64, as {@code RunInstances} wants it; null if there is nothing to do.
     *
     * @throws PlatformFault if EC2 would not take it
     */
    static @Nullable String of(MachineSpec machine) {
        for (String key : machine.sshKeys()) {
            if (key.chars().anyMatch(Character::isISOControl)) {
                throw new PlatformFault(
                        PlatformFault.Kind.BAD_REQUEST, "a login key is one line without control characters");
            }
        }
        LIMIT.check(machine);
        byte[] bytes = bytes(machine);
        return bytes.length == 0 ? null : Base64.getEncoder().encodeToString(bytes);
    }

    private static int size(MachineSpec machine) {
        return bytes(machine).length;
    }

    private static byte[] bytes(MachineSpec machine) {
        String script = machine.startupScript();
        if (machine.sshKeys().isEmpty() && (script == null || script.isBlank())) {
            return new byte[0];
        }
        StringBuilder text = new StringBuilder(
                "Content-Type: multipart/mixed; boundary=\"" + BOUNDARY + "\"\nMIME-Version: 1.0\n\n");
        if (!machine.sshKeys().isEmpty()) {
            part(text, "text/cloud-config", "#cloud-config\nssh_authorized_keys:\n" + keys(machine));
        }
        if (script != null && !script.isBlank()) {
            part(text, "text/x-shellscript", script.startsWith("#!") ? script : "#!/bin/bash\n" + script);
        }
        return text.append("--" + BOUNDARY + "--\n").toString().getBytes(StandardCharsets.UTF_8);
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
            lines.append("  - '").append(key.strip().replace("'", "''")).append("'\n");
        }
        return lines.toString();
    }
}
