package dev.gpubroker.broker.http;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Files of the class path as pages: read once, kept, revalidated by entity tag, so that an update shows at once. */
final class ClassPathFiles {
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("html", "text/html; charset=utf-8"),
            Map.entry("css", "text/css; charset=utf-8"),
            Map.entry("js", "text/javascript; charset=utf-8"),
            Map.entry("mjs", "text/javascript; charset=utf-8"),
            Map.entry("json", "application/json"),
            Map.entry("map", "application/json"),
            Map.entry("txt", "text/plain; charset=utf-8"),
            Map.entry("yaml", "application/yaml"),
            Map.entry("svg", "image/svg+xml"),
            Map.entry("png", "image/png"),
            Map.entry("ico", "image/x-icon"),
            Map.entry("woff2", "font/woff2"),
            Map.entry("webmanifest", "application/manifest+json"));

    private final Map<String, Optional<Resource>> files = new ConcurrentHashMap<>();

    /** A file with its tag. */
    record Resource(Buffer bytes, String etag, String contentType) {
        static Resource of(byte[] bytes, String contentType) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
                String tag = HexFormat.of().formatHex(digest, 0, 12);
                return new Resource(Buffer.buffer(bytes), "W/\"" + tag + "\"", contentType);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }

        boolean isPage() {
            return contentType.startsWith("text/html");
        }
    }

    /** Whether a path names a file below where it is looked for, and nothing else. */
    static boolean isHarmless(String path) {
        return path.matches("[A-Za-z0-9@_-][A-Za-z0-9@._-]*(/[A-Za-z0-9@_-][A-Za-z0-9@._-]*)*") && path.length() <= 300;
    }

    /** The file, empty if there is none. Read on a worker thread the first time. */
    Future<Optional<Resource>> find(RoutingContext context, String name) {
        Optional<Resource> known = files.get(name);
        if (known != null) {
            return Future.succeededFuture(known);
        }
        return context.vertx().executeBlocking(() -> {
            Optional<Resource> read = read(name);
            if (read.isPresent()) { // What is missing is not kept: names of missing files have no bound.
                files.put(name, read);
            }
            return read;
        });
    }

    private static Optional<Resource> read(String name) throws IOException {
        try (InputStream in = ClassPathFiles.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                return Optional.empty();
            }
            String extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
            String type = TYPES.get(extension); // No type: a folder, or nothing that a page needs.
            return type == null ? Optional.empty() : Optional.of(Resource.of(in.readAllBytes(), type));
        }
    }

    static void send(RoutingContext context, Resource file, String cacheControl) {
        HttpServerResponse response = context.response();
        response.putHeader("Content-Type", file.contentType());
        response.putHeader("Cache-Control", cacheControl);
        response.putHeader("ETag", file.etag());
        String known = context.request().getHeader("If-None-Match");
        if (known != null && known.contains(file.etag())) {
            response.setStatusCode(304).end();
        } else if (context.request().method().equals(HttpMethod.HEAD)) {
            response.end();
        } else {
            response.end(file.bytes());
        }
    }
}
