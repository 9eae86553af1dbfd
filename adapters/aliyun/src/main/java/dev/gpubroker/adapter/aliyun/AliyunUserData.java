package dev.gpubroker.adapter.aliyun;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gpubroker.adapter.spi.BootLimit;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.PlatformFault;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What cloud-init finds at first boot. A script alone goes as it is; keys go as cloud-config, and then a script is written
 * to a file and run from there, because user data holds one document. Base64 of at most 32 KB: ECS API reference,
 * {@code RunInstances} and {@code CreateInstance}, parameter {@code UserData} (16 KB until 2021).
 */
final class AliyunUserData {
    private static final ObjectMapper JSON = new ObjectMapper();
    static final BootLimit LIMIT = new BootLimit(32 * 1024, AliyunUserData::size);
    private static final String SCRIPT_PATH = "/var/lib/gpu-broker-startup";

    private AliyunUserData() {}

    /**
     * @return null when there is nothing to do at boot
     * @throws PlatformFault when it is longer than the platform takes
     */
    static @Nullable String of(MachineSpec machine) {
        LIMIT.check(machine);
        byte[] bytes = bytes(machine);
        return bytes.length == 0 ? null : Base64.getEncoder().encodeToString(bytes);
    }

    private static int size(MachineSpec machine) {
        return bytes(machine).length;
    }

    private static byte[] bytes(MachineSpec machine) {
        String script = machine.startupScript();
        String text;
        if (!machine.sshKeys().isEmpty()) {
            text = cloudConfig(machine.sshKeys(), script);
        } else if (script != null && !script.isBlank()) {
            text = runnable(script);
        } else {
            return new byte[0];
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** JSON is YAML, so nothing has to be quoted by hand. */
    private static String cloudConfig(List<String> keys, @Nullable String script) {
        Map<String, Object> config = new LinkedHashMap<>();
        config.put("disable_root", false);
        config.put("ssh_authorized_keys", keys);
        if (script != null && !script.isBlank()) {
            String encoded = Base64.getEncoder().encodeToString(runnable(script).getBytes(StandardCharsets.UTF_8));
            config.put(
                    "write_files",
                    List.of(Map.of("path", SCRIPT_PATH, "permissions", "0700", "encoding", "b64", "content", encoded)));
            config.put("runcmd", List.of(List.of(SCRIPT_PATH)));
        }
        try {
            return "#cloud-config\n" + JSON.writeValueAsString(config) + "\n";
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("strings can always be written", impossible);
        }
    }

    /** Without a first line that names its interpreter cloud-init would not know it for a script. */
    private static String runnable(String script) {
        return script.startsWith("#!") ? script : "#!/bin/sh\n" + script;
    }
}
