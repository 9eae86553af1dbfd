package dev.gpubroker.adapter.zhixingyun;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A readable answer. HTTP is always 200; {@code code} tells: {@code 2000} is good, {@code 4000} any fault of the client.
 *
 * @param data without passwords, but for the one question about them; a missing node if there was none
 */
record Answer(String code, String message, JsonNode data) {
    boolean isGood() {
        return code.equals("2000");
    }

    /** Code and text for a person; never the data. */
    String text() {
        String line = message.replaceAll("\\s+", " ").strip();
        return code + ": " + (line.length() > 200 ? line.substring(0, 200) + "…" : line);
    }

    @Override
    public String toString() {
        return text();
    }
}
