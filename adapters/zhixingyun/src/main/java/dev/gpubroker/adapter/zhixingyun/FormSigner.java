package dev.gpubroker.adapter.zhixingyun;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/** Signs forms as the platform's documentation asks (接口签名): MD5 over the sorted non-empty fields and the secret. */
final class FormSigner {
    private final String accessKey;
    private final String secretKey;

    FormSigner(String accessKey, String secretKey) {
        this.accessKey = accessKey;
        this.secretKey = secretKey;
    }

    /** The whole body, URL-encoded; empty fields are left out, as they take no part in the signature. */
    String body(Map<String, String> fields, Instant wallNow) {
        return body(fields, wallNow, UUID.randomUUID().toString().replace("-", ""));
    }

    String body(Map<String, String> fields, Instant wallNow, String nonce) {
        TreeMap<String, String> all = new TreeMap<>(fields);
        all.values().removeIf(String::isEmpty);
        all.put("apikey", accessKey);
        all.put("timestamp", String.valueOf(wallNow.getEpochSecond()));
        all.put("nonce", nonce);
        all.put("sign", sign(all));
        return all.entrySet().stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
    }

    String sign(SortedMap<String, String> fields) {
        String text = fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + field.getValue())
                .collect(Collectors.joining("&"));
        return md5(text + "&secret=" + secretKey);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String md5(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5"); // The platform's choice.
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has MD5", missing);
        }
    }
}
