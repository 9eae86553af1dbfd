package dev.gpubroker.broker.http;

import io.vertx.core.MultiMap;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What browsers are told not to do. */
final class SecurityHeaders {
    /** For answers that are no pages: nothing may be loaded from them. */
    private static final String NOTHING = "default-src 'none'; frame-ancestors 'none'";

    private static final Pattern INLINE_SCRIPT = Pattern.compile(
            "<script(?![^>]*\\ssrc\\s*=)[^>]*>(.*?)</script>", Pattern.DOTALL | Pattern.CASE_INSENSITIVE);
    private static final Pattern INLINE_STYLE =
            Pattern.compile("<style[^>]*>(.*?)</style>", Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

    private SecurityHeaders() {}

    static void add(RoutingContext context) {
        MultiMap headers = context.response().headers();
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Content-Security-Policy", NOTHING);
        context.next();
    }

    /**
     * The policy for a page of ours: only files of this server, and the scripts and styles that stand in the page
     * itself, by their hash (an import map can stand nowhere else).
     *
     * @param styleAttributes whether the page's scripts write {@code style} attributes as text, as Swagger UI does
     */
    static String forPage(String html, boolean styleAttributes) {
        List<String> scripts = hashes(INLINE_SCRIPT, html);
        List<String> styles = styleAttributes ? List.of("'unsafe-inline'") : hashes(INLINE_STYLE, html);
        return String.join(
                "; ",
                "default-src 'none'",
                "script-src " + joined(scripts),
                "style-src " + joined(styles),
                "img-src 'self' data:",
                "font-src 'self'",
                "connect-src 'self'",
                "manifest-src 'self'",
                "form-action 'self'",
                "base-uri 'none'",
                "frame-ancestors 'none'");
    }

    private static String joined(List<String> sources) {
        return sources.isEmpty() ? "'self'" : "'self' " + String.join(" ", sources);
    }

    private static List<String> hashes(Pattern inline, String html) {
        List<String> hashes = new ArrayList<>();
        Matcher found = inline.matcher(html);
        while (found.find()) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256")
                        .digest(found.group(1).replace("\r\n", "\n").getBytes(StandardCharsets.UTF_8));
                hashes.add("'sha256-" + Base64.getEncoder().encodeToString(digest) + "'");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }
        return hashes;
    }
}
