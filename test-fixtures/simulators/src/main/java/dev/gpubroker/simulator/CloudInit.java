package dev.gpubroker.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What cloud-init would make of user data: the keys that may log in and the script that runs once. Reads a bare script, a
 * cloud-config, and both in a multipart text. What it does not know it leaves out, as cloud-init does.
 */
public record CloudInit(List<String> sshKeys, String startupScript) {
    private static final YAMLMapper YAML = new YAMLMapper();

    public CloudInit {
        sshKeys = List.copyOf(sshKeys);
    }

    /** @param base64 as it stands in a create call; "" for none */
    public static CloudInit ofBase64(String base64) {
        try {
            return of(new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException notBase64) {
            return new CloudInit(List.of(), "");
        }
    }

    static CloudInit of(String text) {
        List<String> keys = new ArrayList<>();
        StringBuilder script = new StringBuilder();
        for (String part : parts(text)) {
            if (part.startsWith("#cloud-config")) {
                config(part, keys, script);
            } else if (part.startsWith("#!")) {
                script.append(part);
            }
        }
        return new CloudInit(keys, script.toString());
    }

    private static List<String> parts(String text) {
        if (!text.startsWith("Content-Type: multipart/mixed")) {
            return List.of(text);
        }
        String boundary = text.replaceAll("(?s)^.*?boundary=\"([^\"]+)\".*$", "$1");
        List<String> parts = new ArrayList<>();
        for (String part : text.split("--" + java.util.regex.Pattern.quote(boundary) + "(--)?\n")) {
            int body = part.indexOf("\n\n");
            if (body >= 0) {
                parts.add(part.substring(body + 2));
            }
        }
        return parts;
    }

    private static void config(String text, List<String> keys, StringBuilder script) {
        JsonNode config;
        try {
            config = YAML.readTree(text);
        } catch (JsonProcessingException unreadable) {
            return;
        }
        config.path("ssh_authorized_keys").forEach(key -> keys.add(key.asText()));
        Map<String, String> files = new LinkedHashMap<>();
        config.path("write_files")
                .forEach(file -> files.put(
                        file.path("path").asText(),
                        new String(
                                Base64.getDecoder().decode(file.path("content").asText()), StandardCharsets.UTF_8)));
        config.path("runcmd")
                .forEach(command ->
                        script.append(files.getOrDefault(command.path(0).asText(command.asText()), "")));
    }

    /** As attributes of a machine. */
    public Map<String, String> attributes() {
        return Map.of("sshKeys", String.join("\n", sshKeys), "startupScript", startupScript);
    }
}
