package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.http.TestServer.Answer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // The server is made before the first test.
class WebPagesTest {
    private TestServer server;

    @BeforeAll
    void start() {
        server = new TestServer(new MemoryIdempotencyStore(), List.of());
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @Test
    void theContractIsServedAsItWasWritten() {
        Answer answer = server.get("/openapi.yaml");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).isEqualTo("application/yaml");
        byte[] written = Contract.ofResource("/http/contract.yaml").published();
        assertThat(answer.body()).isEqualTo(new String(written, StandardCharsets.UTF_8));
        assertThat(answer.body()).contains("application/problem+json", "text/csv");
    }

    @Test
    void theCommandForJobsIsServedAsOneFileWithoutAToken() {
        Answer answer = server.get("/cli/gpu-broker");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).isEqualTo("text/x-python; charset=utf-8");
        assertThat(answer.body()).startsWith("#!/usr/bin/env python3\n");
    }

    @Test
    void theDocumentationLoadsOnlyWhatThisServerHas() {
        Answer page = server.get("/docs");

        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).isEqualTo("text/html; charset=utf-8");
        assertThat(page.header("Content-Security-Policy"))
                .contains("default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'");
        assertThat(page.body()).doesNotContain("http://", "https://");
        for (String file : List.of(
                "/webjars/swagger-ui/swagger-ui-bundle.js",
                "/webjars/swagger-ui/swagger-ui.css",
                "/webjars/swagger-ui/favicon-32x32.png",
                "/docs/docs.js")) {
            assertThat(page.body()).contains(file);
            assertThat(server.get(file).status()).as(file).isEqualTo(200);
        }
        assertThat(server.get("/docs/docs.js").body()).contains("\"/openapi.yaml\"");
        assertThat(server.get("/docs/").status()).isEqualTo(200);
    }

    @Test
    void aFileIsNotSentAgainToWhoHasIt() {
        Answer first = server.get("/docs/docs.js");
        Answer again = server.get("/docs/docs.js", "If-None-Match", first.header("ETag"));

        assertThat(first.header("Cache-Control")).isEqualTo("no-cache");
        assertThat(first.header("Content-Type")).isEqualTo("text/javascript; charset=utf-8");
        assertThat(again.status()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(server.send("HEAD", "/docs/docs.js", null).status()).isEqualTo(200);
        assertThat(server.get("/webjars/swagger-ui/swagger-ui.css").header("Cache-Control"))
                .isEqualTo("public, max-age=3600");
    }

    @Test
    void nothingElseOfTheClassPathCanBeRead() {
        for (String path : List.of(
                "/../logback.xml",
                "/%2e%2e/logback-test.xml",
                "/docs/..%2f..%2flogback-test.xml",
                "/docs/%5c..%5c..%5clogback-test.xml",
                "/webjars/swagger-ui/..%2f..%2f..%2f..%2fMANIFEST.MF",
                "/webjars/swagger-ui",
                "/webjars/swagger-ui/",
                "/webjars/nothing/x.js",
                "/webjars/%2e%2e/x.js",
                "/http/contract.yaml",
                "/docs/docs.js/",
                "/docs/package-info.class")) {
            Answer answer = server.get(path);

            assertThat(answer.status() == 404 || path.equals("/docs/docs.js/"))
                    .as(path + " " + answer.status())
                    .isTrue();
        }
    }

    @Test
    void scriptsThatStandInAPageAreAllowedByTheirHash() {
        String policy = SecurityHeaders.forPage(
                "<script type=\"importmap\">{}</script><script src=\"/x.js\"></script><style>a{}</style>", false);

        assertThat(policy)
                .contains("script-src 'self' 'sha256-RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=';")
                .contains("style-src 'self' 'sha256-");
    }

    @Test
    void largeAnswersAreCompressedForWhoAsks() {
        assertThat(server.get("/webjars/swagger-ui/swagger-ui-bundle.js", "Accept-Encoding", "gzip")
                        .header("Content-Encoding"))
                .isEqualTo("gzip");
    }
}
