package dev.gpubroker.simulator;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A request as it came over the wire.
 *
 * @param path raw, without query
 * @param rawQuery as sent, "" if none
 * @param query decoded, in order; the last of equal names wins
 * @param headers by lower-case name; several values joined by a comma
 */
public record SimRequest(
        String method,
        String path,
        String rawQuery,
        Map<String, String> query,
        Map<String, String> headers,
        byte[] body) {
    /** @return the header, or "" */
    public String header(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }

    /** @return the query parameter, or "" */
    public String param(String name) {
        return query.getOrDefault(name, "");
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** The body read as {@code application/x-www-form-urlencoded}, decoded, in order. */
    public Map<String, String> form() {
        return decode(text());
    }

    static Map<String, String> decode(String encoded) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String pair : encoded.split("&")) {
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                fields.put(decodePart(name), decodePart(value));
            }
        }
        return fields;
    }

    private static String decodePart(String part) {
        return java.net.URLDecoder.decode(part, StandardCharsets.UTF_8);
    }
}
