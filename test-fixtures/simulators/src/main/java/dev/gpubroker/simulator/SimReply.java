package dev.gpubroker.simulator;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What goes back over the wire. */
public record SimReply(int status, Map<String, String> headers, byte[] body) {
    public static SimReply json(int status, String body) {
        return new SimReply(
                status,
                Map.of("content-type", "application/json;charset=utf-8"),
                body.getBytes(StandardCharsets.UTF_8));
    }

    public static SimReply xml(int status, String body) {
        return new SimReply(
                status, Map.of("content-type", "text/xml;charset=UTF-8"), body.getBytes(StandardCharsets.UTF_8));
    }

    public static SimReply empty(int status) {
        return new SimReply(status, Map.of(), new byte[0]);
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
