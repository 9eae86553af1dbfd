package dev.gpubroker.simulator.zhixingyun;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The platform's own way to sign a form, written from its documentation and not from the adapter. */
final class FormSignature {
    /** Lower-case hex MD5 of all non-empty fields but {@code sign}, by name, then the secret. */
    static String of(Map<String, String> fields, String secret) {
        String text = new TreeMap<>(fields)
                .entrySet().stream()
                        .filter(field -> !field.getKey().equals("sign"))
                        .filter(field -> !field.getKey().equals("secret"))
                        .filter(field -> !field.getValue().isEmpty())
                        .map(field -> field.getKey() + "=" + field.getValue())
                        .collect(Collectors.joining("&"));
        return md5(text + "&secret=" + secret);
    }

    private static String md5(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has MD5", missing);
        }
    }

    private FormSignature() {}
}
