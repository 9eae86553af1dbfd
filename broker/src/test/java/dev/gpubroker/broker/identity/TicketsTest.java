package dev.gpubroker.broker.identity;

import static dev.gpubroker.broker.identity.IdentityServer.ADMIN;
import static dev.gpubroker.broker.identity.TestIssuer.RSA;
import static dev.gpubroker.broker.identity.TestIssuer.sign;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.RSAKey;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.identity.IdentityServer.Answer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

/** OIDC tokens for tickets, over HTTP, with real keys and a real database. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class TicketsTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private IdentityServer server;
    private TestIssuer issuer;

    @BeforeAll
    void start() throws IOException {
        server = new IdentityServer(DATABASE, true);
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @BeforeEach
    void empty() {
        DATABASE.execute(
                "DELETE FROM trust_rule; DELETE FROM used_assertion; DELETE FROM audit_event; DELETE FROM pool;"
                        + " DELETE FROM team WHERE team_id <> 'default';"
                        + " INSERT INTO team (team_id, name) VALUES ('vision', 'Vision'), ('speech', 'Speech')");
        server.startAgain();
        issuer = new TestIssuer(DATABASE.vertx()); // On a port of its own, so that nothing is known of it yet.
    }

    @AfterEach
    void closeIssuer() {
        issuer.close();
    }

    private Instant now() {
        return server.instant();
    }

    private Answer rule(String team, String kind, String numbers, String more) {
        return server.post("/v1/trust-rules", """
                {"team":"%s","issuer":"%s","audience":"https://gpu.example.com","kind":"%s"%s,
                 "grants":[{"scope":"lease"}]%s}""".formatted(team, issuer.url(), kind, numbers, more));
    }

    private String github(String more) {
        Answer made = rule("vision", "github", ",\"repositoryId\":\"74\",\"ownerId\":\"65\"", more);
        assertThat(made.status()).as(made.body()).isEqualTo(201);
        return made.text("id");
    }

    private String gitlab(String more) {
        Answer made = rule("vision", "gitlab", ",\"repositoryId\":\"20\",\"ownerId\":\"72\"", more);
        assertThat(made.status()).as(made.body()).isEqualTo(201);
        return made.text("id");
    }

    private Answer exchange(String token) {
        return server.call(null, "POST", "/v1/tickets", "{\"token\":\"" + token + "\"}");
    }

    private Answer exchange(Map<String, ?> claims) {
        return exchange(sign(claims));
    }

    private void assertTaken(Map<String, ?> claims) {
        Answer answer = exchange(claims);
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    }

    private void assertRefused(Answer answer, String check) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(401);
        assertThat(answer.type()).isEqualTo("application/problem+json");
        assertThat(answer.text("code")).isEqualTo("token_refused");
        assertThat(answer.text("check")).isEqualTo(check);
    }

    private void assertRefused(Map<String, ?> claims, String check) {
        assertRefused(exchange(claims), check);
    }

    /** By the one rule there is, for that claim. */
    private void assertUnmatched(Map<String, ?> claims, String claim) {
        Answer answer = exchange(claims);
        assertRefused(answer, "claims");
        assertThat(answer.text("claim")).isEqualTo(claim);
    }

    private Map<String, Object> github(String claim, Object value) {
        Map<String, Object> claims = issuer.github(now());
        claims.put(claim, value);
        return claims;
    }

    private Map<String, Object> gitlab(String claim, Object value) {
        Map<String, Object> claims = issuer.gitlab(now());
        claims.put(claim, value);
        return claims;
    }

    // ---- what is taken ------------------------------------------------------------------------------------

    @Test
    void aJobOfATrustedRepositoryGetsATicketThatActsForTheTeamOfTheRule() {
        String rule = github(",\"ref\":\"refs/heads/main\",\"refType\":\"branch\"");

        Answer issued = exchange(issuer.github(now()));

        assertThat(issued.status()).as(issued.body()).isEqualTo(201);
        assertThat(issued.text("ticket")).matches("gbk_[A-Za-z0-9_-]{43}");
        assertThat(issued.text("rule")).isEqualTo(rule);
        assertThat(issued.text("expiresAt")).isEqualTo("2026-12-01T10:15:00+08:00");
        assertThat(issued.text("renewableUntil")).isEqualTo("2026-12-01T16:00:00+08:00");
        Answer seen = server.call(issued.text("ticket"), "GET", "/v1/tasks", null);
        assertThat(seen.status()).isEqualTo(403);
        assertThat(seen.json().get("has")).hasToString("[\"lease\"]");
        Answer renewed = server.call(issued.text("ticket"), "POST", "/v1/tickets/renew", null);
        assertThat(renewed.text("name")).isEqualTo("github octo-org/octo-repo run 1234");
        assertThat(renewed.body()).doesNotContain("gbk_");
    }

    /** It is read in logs, the audit and lists of leases. */
    @Test
    void theNameOfATicketShowsWhateverTheTokenSays() {
        github("");

        Answer issued = exchange(github("run_id", "1\u0007\u202E\u2066\u0085234"));

        assertThat(issued.status()).as(issued.body()).isEqualTo(201);
        assertThat(issued.text("name")).isEqualTo("github octo-org/octo-repo run 1\uFFFD\uFFFD\uFFFD\uFFFD234");
    }

    @Test
    void tokensOfGitlabAndOfAnyIssuerAreTakenTheSame() {
        gitlab(",\"ref\":\"main\",\"refType\":\"branch\"");
        assertTaken(issuer.gitlab(now()));

        rule("speech", "generic", "", ",\"claims\":{\"sub\":\"system:serviceaccount:ml:trainer\"}");
        Map<String, Object> claims = issuer.gitlab(now());
        claims.keySet().retainAll(Set.of("iss", "aud", "iat", "nbf", "exp", "jti"));
        claims.put("sub", "system:serviceaccount:ml:trainer");
        claims.put("aud", List.of("https://gpu.example.com"));
        Answer issued = exchange(claims);
        assertThat(issued.status()).as(issued.body()).isEqualTo(201);
        assertThat(issued.text("team")).isEqualTo("speech");
        assertThat(issued.text("name")).isEqualTo("oidc system:serviceaccount:ml:trainer");
    }

    @Test
    void keysOnEllipticCurvesAreTakenToo() {
        github("");

        assertThat(exchange(sign(issuer.github(now()), TestIssuer.EC, JWSAlgorithm.ES256))
                        .status())
                .isEqualTo(201);
        assertThat(exchange(sign(issuer.github(now()), RSA, JWSAlgorithm.PS256)).status())
                .isEqualTo(201);
    }

    @Test
    void theTeamThatIsNamedIsTheOneWhoseRulesAreAsked() {
        github("");
        server.advance(Duration.ofSeconds(1));
        rule("speech", "github", ",\"repositoryId\":\"74\",\"ownerId\":\"65\"", "");
        String body = "{\"team\":\"speech\",\"token\":\"" + sign(issuer.github(now())) + "\"}";

        assertThat(server.call(null, "POST", "/v1/tickets", body).text("team")).isEqualTo("speech");
        assertThat(exchange(issuer.github(now())).text("team")).isEqualTo("vision");
    }

    // ---- T-04, T-05: who made it, and for whom ----------------------------------------------------------------

    @Test
    void aTokenForSomebodyElseIsRefused() {
        github("");

        assertRefused(github("aud", "https://vault.example.com"), "audience");
        assertRefused(github("aud", "https://gpu.example.com/"), "audience");
        assertRefused(github("aud", List.of("https://gpu.example.com", "https://vault.example.com")), "audience");
        assertRefused(github("aud", List.of()), "audience");
        assertRefused(github("aud", 7), "audience");
        Map<String, Object> none = issuer.github(now());
        none.remove("aud");
        assertRefused(none, "audience");
    }

    @Test
    void anIssuerIsComparedLetterByLetter() {
        github("");

        for (String other : List.of(
                issuer.url() + "/",
                issuer.url().replace("http:", "HTTP:"),
                "https://gitlab.example.com",
                "",
                " " + issuer.url())) {
            assertRefused(github("iss", other), "issuer");
        }
        assertThat(issuer.asked).isEmpty(); // Nobody is asked for keys whom no rule names.
    }

    @Test
    void aKeyOfAnotherIssuerIsNoKeyOfThisOneWhateverItIsCalled() {
        github("");
        try (TestIssuer other = new TestIssuer(DATABASE.vertx())) {
            other.keys = List.of(TestIssuer.rsa("rsa-1", 2048));
            server.post("/v1/trust-rules", """
                    {"team":"speech","issuer":"%s","audience":"https://gpu.example.com","kind":"github","repositoryId":"74",
                     "ownerId":"65","grants":[{"scope":"lease"}]}""".formatted(other.url()));

            assertTaken(issuer.github(now()));
            assertRefused(other.github(now()), "signature"); // Signed with the key that is called so elsewhere.
            assertRefused(
                    exchange(sign(issuer.github(now()), TestIssuer.rsa("rsa-1", 2048), JWSAlgorithm.RS256)),
                    "signature");
        }
    }

    @Test
    void algorithmsThatProveNothingAreRefused() throws JOSEException {
        github("");
        String payload = TestIssuer.json(issuer.github(now()));
        String unsigned = base64("{\"alg\":\"none\",\"kid\":\"rsa-1\"}") + "." + base64(payload) + ".";
        assertRefused(exchange(unsigned), "algorithm");
        assertRefused(exchange(unsigned + "eA"), "algorithm");

        JWSObject shared = new JWSObject(
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("rsa-1").build(), new Payload(payload));
        shared.sign(new MACSigner(RSA.toRSAPublicKey().getEncoded()));
        assertRefused(exchange(shared.serialize()), "algorithm");

        assertRefused(
                exchange(base64("{\"alg\":[\"RS256\"],\"kid\":\"rsa-1\"}") + "." + base64(payload) + ".eA"),
                "algorithm");
        assertRefused(exchange(base64("{\"kid\":\"rsa-1\"}") + "." + base64(payload) + ".eA"), "algorithm");
        assertRefused(
                exchange(base64("{\"alg\":\"ES256\",\"kid\":\"rsa-1\"}") + "." + base64(payload) + ".eA"),
                "unknown_key");
        assertRefused(
                exchange(base64("{\"alg\":\"RS256\",\"kid\":\"ec-1\"}") + "." + base64(payload) + ".eA"),
                "unknown_key");
    }

    @Test
    void aWrongSignatureIsRefused() {
        github("");
        String token = sign(issuer.github(now()));
        String forged = sign(github("run_id", "9999"));

        assertRefused(
                exchange(token.substring(0, token.lastIndexOf('.')) + forged.substring(forged.lastIndexOf('.'))),
                "signature");
        assertRefused(exchange(token.substring(0, token.lastIndexOf('.') + 1)), "malformed");
        assertRefused(exchange(token.substring(0, token.length() - 6)), "signature");
    }

    @Test
    void aFormThatCouldBeReadInTwoWaysIsRefused() {
        github("");
        String payload = TestIssuer.json(issuer.github(now()));
        String twice = payload.substring(0, payload.length() - 1) + ",\"repository_id\":\"75\"}";
        JWSHeader usual =
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa-1").build();

        assertRefused(exchange(sign(twice, usual, RSA)), "malformed");
        assertRefused(exchange(sign(payload + "{}", usual, RSA)), "malformed");
        assertRefused(exchange(sign("[]", usual, RSA)), "malformed");
        assertRefused(exchange(sign("no json", usual, RSA)), "malformed");
        assertRefused(
                exchange(base64("{\"alg\":\"none\",\"alg\":\"RS256\",\"kid\":\"rsa-1\"}") + "." + base64(payload)
                        + ".eA"),
                "malformed");
        for (String text :
                List.of("x", "a.b", "a.b.c.d", "..", "a b.c.d", "eyJ.e30.x", sign(issuer.github(now())) + "=")) {
            assertRefused(exchange(text), "malformed");
        }
        JWSHeader critical = new JWSHeader.Builder(JWSAlgorithm.RS256)
                .keyID("rsa-1")
                .criticalParams(Set.of("exp"))
                .customParam("exp", 1)
                .build();
        assertRefused(exchange(sign(payload, critical, RSA)), "critical_header");
        JWSHeader other = new JWSHeader.Builder(JWSAlgorithm.RS256)
                .keyID("rsa-1")
                .type(new com.nimbusds.jose.JOSEObjectType("logout+jwt"))
                .build();
        assertRefused(exchange(sign(payload, other, RSA)), "malformed");
        assertRefused(exchange(sign(payload, new JWSHeader(JWSAlgorithm.RS256), RSA)), "no_key_id");
        assertRefused(github("padding", "x".repeat(17_000)), "too_large");
    }

    /** Written otherwise, a member's name is the same name. */
    @Test
    void aMemberThatComesTwiceIsSeenHoweverItIsSpelt() {
        github("");
        JWSHeader usual =
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa-1").build();
        String payload = TestIssuer.json(issuer.github(now()));

        assertRefused(
                exchange(sign(
                        payload.substring(0, payload.length() - 1) + ",\"repository\\u005fid\":\"75\"}", usual, RSA)),
                "malformed");
        assertRefused(
                exchange(sign(payload.substring(0, payload.length() - 1) + ",\"x\":{\"a\":1,\"a\":2}}", usual, RSA)),
                "malformed");
    }

    @Test
    void whatIsMadeToBeReadForeverIsRefused() {
        github("");
        JWSHeader usual =
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa-1").build();
        String payload = TestIssuer.json(issuer.github(now()));
        String begun = payload.substring(0, payload.length() - 1) + ",\"x\":";

        assertRefused(exchange(sign(begun + "[".repeat(4000) + "]".repeat(4000) + "}", usual, RSA)), "malformed");
        assertRefused(exchange(sign(begun + "9".repeat(4000) + "}", usual, RSA)), "malformed");
        assertRefused(
                exchange(sign(payload.replaceFirst("\"exp\":\\d+", "\"exp\":1e9999999"), usual, RSA)), "no_expiry");
    }

    /** Keys that a token brings along, or says where to fetch, are nobody's. */
    @Test
    void keysInTheHeaderOfATokenAreNotLookedAt() {
        github("");
        com.nimbusds.jose.jwk.RSAKey own = TestIssuer.rsa("rsa-1", 2048);
        String payload = TestIssuer.json(issuer.github(now()));
        try (TestIssuer evil = new TestIssuer(DATABASE.vertx())) {
            evil.keys = List.of(own);
            JWSHeader carried = new JWSHeader.Builder(JWSAlgorithm.RS256)
                    .keyID("rsa-1")
                    .jwk(own.toPublicJWK())
                    .build();
            JWSHeader pointing = new JWSHeader.Builder(JWSAlgorithm.RS256)
                    .keyID("rsa-1")
                    .jwkURL(java.net.URI.create(evil.url() + "/keys"))
                    .x509CertURL(java.net.URI.create(evil.url() + "/certificates"))
                    .build();

            assertRefused(exchange(sign(payload, carried, own)), "signature");
            assertRefused(exchange(sign(payload, pointing, own)), "signature");
            assertThat(evil.asked).isEmpty();
        }
    }

    @Test
    void aKeyThatIsPublishedForOtherThingsSignsNothing() throws JOSEException {
        github("");
        String n = RSA.toPublicJWK().getModulus().toString();
        for (String more : List.of("\"use\":\"enc\"", "\"alg\":\"RS512\"", "\"alg\":\"RSA-OAEP\"")) {
            issuer.jwks =
                    "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"rsa-1\",\"e\":\"AQAB\",\"n\":\"" + n + "\"," + more + "}]}";
            assertRefused(issuer.github(now()), "unknown_key");
            server.advance(Duration.ofMinutes(10));
        }
        issuer.jwks = "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"rsa-1\",\"k\":\"" + base64("x".repeat(64)) + "\"}]}";
        assertRefused(issuer.github(now()), "unknown_key");
    }

    @Test
    void timesAreCheckedWithAMinuteForClocksThatDiffer() {
        github("");
        long at = now().getEpochSecond();

        Map<String, Object> old = github("iat", at - 360);
        old.put("exp", at - 59);
        assertTaken(old);
        old.put("exp", at - 60);
        assertRefused(old, "expired");
        assertRefused(github("exp", at), "too_long_lived"); // It ends before it begins.
        assertTaken(github("nbf", at + 60));
        assertRefused(github("nbf", at + 61), "not_yet_valid");
        Map<String, Object> ahead = github("iat", at + 60);
        ahead.remove("nbf");
        assertTaken(ahead);

        Map<String, Object> future = github("iat", at + 61);
        assertRefused(future, "issued_in_future");
        assertRefused(github("exp", at + 3601), "too_long_lived");
        assertRefused(github("iat", at - 4000), "too_long_lived");
        for (String claim : List.of("exp", "iat")) {
            Map<String, Object> without = issuer.github(now());
            without.remove(claim);
            assertRefused(without, "no_expiry");
        }
        assertRefused(github("exp", Long.toString(at + 300)), "no_expiry");
        assertRefused(github("exp", at + 300.5), "no_expiry");
        assertRefused(github("exp", Long.MAX_VALUE), "no_expiry");
        assertRefused(github("nbf", "yesterday"), "no_expiry");
        for (Object id : new Object[] {"x".repeat(256), "", 7, null, List.of("a"), "a\0b"}) {
            assertRefused(github("jti", id), "bad_id");
        }
        assertTaken(github("jti", "x".repeat(255)));
    }

    /** Rules of two kinds may have one issuer; a token may live as long as the rule says that takes it. */
    @Test
    void howLongATokenMayLiveIsSaidByTheRuleThatTakesIt() {
        gitlab("");
        server.advance(Duration.ofSeconds(1));
        rule("vision", "generic", "", ",\"claims\":{\"sub\":\"https://jenkins.example.com/job/train/\"}");

        Map<String, Object> claims = issuer.jenkins(now(), 7);
        claims.put("exp", now().getEpochSecond() + 7200);
        assertRefused(claims, "too_long_lived");
        assertTaken(issuer.jenkins(now(), 7));
        assertTaken(gitlab("exp", now().getEpochSecond() + 7200));
    }

    @Test
    void aGitlabJobMayRunForADayAndItsTokenLivesAsLong() {
        gitlab("");

        assertTaken(gitlab("exp", now().getEpochSecond() + 86_400));
        assertRefused(gitlab("exp", now().getEpochSecond() + 86_401), "too_long_lived");
    }

    // ---- T-07, T-08: which repository and which ref -------------------------------------------------------------

    @Test
    void aRepositoryOfTheSameNameThatAnotherRegisteredIsRefused() {
        github("");
        assertUnmatched(github("repository_id", "7400"), "repository_id");
        assertUnmatched(github("repository_owner_id", "6500"), "repository_owner_id");
        DATABASE.execute("DELETE FROM trust_rule");
        gitlab("");
        assertUnmatched(gitlab("project_id", "21"), "project_id");
        assertUnmatched(gitlab("namespace_id", "73"), "namespace_id");
    }

    @Test
    void aTagThatIsCalledAsTheBranchIsRefused() {
        gitlab(",\"ref\":\"main\",\"refType\":\"branch\"");

        Map<String, Object> tag = gitlab("ref_type", "tag");
        tag.put("ref_path", "refs/tags/main");
        assertUnmatched(tag, "ref_type");
        assertUnmatched(gitlab("ref_protected", "false"), "ref_protected");
        assertUnmatched(gitlab("ref_path", "refs/tags/main"), "ref_path");
        assertUnmatched(gitlab("ref", "Main"), "ref_path");
        Map<String, Object> feature = gitlab("ref", "feature");
        feature.put("ref_path", "refs/heads/feature");
        assertUnmatched(feature, "ref");
    }

    @Test
    void protectionIsAskedOfGitlabUnlessARuleSaysOtherwise() {
        gitlab("");
        assertUnmatched(gitlab("ref_protected", "false"), "ref_protected");
        DATABASE.execute("DELETE FROM trust_rule");
        gitlab(",\"refProtected\":false");
        assertTaken(gitlab("ref_protected", "false"));
    }

    @Test
    void aTagOfGithubThatIsCalledAsTheBranchIsRefused() {
        github(",\"ref\":\"refs/heads/main\"");

        Map<String, Object> tag = github("ref", "refs/tags/main");
        tag.put("ref_type", "tag");
        assertUnmatched(tag, "ref");
        assertUnmatched(github("ref", "main"), "ref");
        assertUnmatched(github("ref", "refs/tags/refs/heads/main"), "ref");
    }

    /** Where a rule names it, the very file and ref of a reusable workflow; else its caller's repository counts. */
    @Test
    void aReusableWorkflowIsComparedWholeWhereTheRuleNamesIt() {
        String trusted = "octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main";
        github(",\"claims\":{\"job_workflow_ref\":\"" + trusted + "\"}");

        assertTaken(github("job_workflow_ref", trusted));
        for (String other : List.of(
                trusted.replace("refs/heads/main", "refs/heads/try"),
                trusted.replace("oidc.yml", "other.yml"),
                trusted.replace("octo-org/octo-automation", "mallory/octo-automation"),
                trusted + "/x",
                "")) {
            assertUnmatched(github("job_workflow_ref", other), "job_workflow_ref");
        }
        Map<String, Object> none = issuer.github(now());
        none.remove("job_workflow_ref");
        assertUnmatched(none, "job_workflow_ref");
    }

    @Test
    void anEnvironmentIsComparedWhole() {
        github(",\"environment\":\"prod\"");

        assertTaken(github("environment", "prod"));
        assertUnmatched(issuer.github(now()), "environment"); // A job without one has no such claim.
        for (Object other : List.of("Prod", "prod2", "", List.of("prod"))) {
            assertUnmatched(github("environment", other), "environment");
        }
    }

    @Test
    void tokensOfKnownIssuersTakeRulesOfTheirKindOnly() {
        for (String address : List.of(
                "https://token.actions.githubusercontent.com",
                "https://TOKEN.actions.githubusercontent.com/octo-enterprise",
                "https://gitlab.com")) {
            Answer refused = server.post("/v1/trust-rules", """
                    {"team":"vision","issuer":"%s","audience":"x","kind":"generic","claims":{"sub":"repo:octo-org/octo-repo:pull_request"},
                     "grants":[{"scope":"lease"}]}""".formatted(address));
            assertThat(fields(refused)).as(address).containsExactly("kind");
        }
    }

    // ---- pull requests --------------------------------------------------------------------------------------

    @Test
    void noPullRequestOfGithubIsTaken() {
        github("");
        for (String event :
                List.of("pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment")) {
            assertUnmatched(github("event_name", event), "event_name");
        }
        assertUnmatched(github("head_ref", "patch-1"), "head_ref");
        assertUnmatched(github("base_ref", "main"), "base_ref");
        assertUnmatched(github("ref", "refs/pull/7/merge"), "ref");
        assertUnmatched(github("sub", "repo:octo-org/octo-repo:pull_request"), "sub");
        Map<String, Object> nothing = issuer.github(now());
        nothing.remove("event_name");
        assertUnmatched(nothing, "event_name");
    }

    @Test
    void eventsThatStrangersCanCauseAreTakenOnlyWhereTheRuleNamesThem() {
        String rule = github("");
        assertUnmatched(github("event_name", "workflow_run"), "event_name");
        assertUnmatched(github("event_name", "issue_comment"), "event_name");
        server.call(ADMIN, "DELETE", "/v1/trust-rules/" + rule, null);
        github(",\"claims\":{\"event_name\":\"workflow_run\"}");
        assertTaken(github("event_name", "workflow_run"));
        assertUnmatched(github("event_name", "push"), "event_name");
        assertUnmatched(github("event_name", "pull_request_target"), "event_name");
    }

    @Test
    void namingPullRequestsInClaimsDoesNotLetThemIn() {
        String rule = github(",\"claims\":{\"event_name\":\"pull_request_target\"}");
        assertUnmatched(github("event_name", "pull_request_target"), "event_name");
        server.call(ADMIN, "DELETE", "/v1/trust-rules/" + rule, null);
        gitlab(",\"claims\":{\"pipeline_source\":\"external_pull_request_event\"}");
        assertUnmatched(gitlab("pipeline_source", "external_pull_request_event"), "pipeline_source");
        DATABASE.execute("DELETE FROM trust_rule");
        gitlab(",\"claims\":{\"pipeline_source\":\"merge_request_event\"}");
        assertUnmatched(gitlab("pipeline_source", "merge_request_event"), "pipeline_source");
    }

    @Test
    void aRuleCannotAskForPullRequestsWhoseOriginNobodyProves() {
        Answer refused = rule(
                "vision",
                "github",
                ",\"repositoryId\":\"74\",\"ownerId\":\"65\"",
                ",\"pullRequests\":\"same_repository\"");

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.json().get("errors").get(0).get("code").asText()).isEqualTo("not_provable");
    }

    @Test
    void mergeRequestsOfGitlabAreTakenOnlyWhereTheRuleSaysSoAndTheTokenProvesItsOrigin() {
        String rule = gitlab("");
        assertUnmatched(gitlab("pipeline_source", "merge_request_event"), "pipeline_source");
        assertUnmatched(gitlab("pipeline_source", "external_pull_request_event"), "pipeline_source");
        assertUnmatched(gitlab("pipeline_source", "parent_pipeline"), "pipeline_source");
        server.call(ADMIN, "DELETE", "/v1/trust-rules/" + rule, null);
        gitlab(",\"pullRequests\":\"same_repository\"");

        Map<String, Object> own = gitlab("pipeline_source", "merge_request_event");
        own.put("ref_path", "refs/merge-requests/7/head");
        assertUnmatched(own, "job_project_id"); // GitLab before 18.3 proves nothing.
        own.put("job_project_id", "20");
        own.put("job_namespace_id", "72");
        assertTaken(own);
        // Of a fork, running in the project: before 18.2.2, and since.
        Map<String, Object> fork = gitlab("pipeline_source", "merge_request_event");
        fork.put("job_project_id", "20");
        fork.put("project_id", "21");
        assertUnmatched(fork, "project_id");
        fork.put("project_id", "20");
        fork.put("source_project_id", "21");
        assertUnmatched(fork, "source_project_id");
        // Of the fork's own pipeline that says that it runs in the fork.
        assertUnmatched(gitlab("job_project_id", "21"), "job_project_id");
        assertUnmatched(gitlab("pipeline_source", "external_pull_request_event"), "pipeline_source");
    }

    // ---- T-10: once -------------------------------------------------------------------------------------------

    @Test
    void aTokenIsExchangedOnceEvenAfterItsRuleWasMadeAnew() {
        String rule = github("");
        String token = sign(issuer.github(now()));
        assertThat(exchange(token).status()).isEqualTo(201);

        assertRefused(exchange(token), "replayed");
        server.call(ADMIN, "DELETE", "/v1/trust-rules/" + rule, null);
        github("");
        assertRefused(exchange(token), "replayed");
        server.advance(Duration.ofSeconds(359)); // The last second in which it is good, the skew included.
        assertRefused(exchange(token), "replayed");
    }

    /** Each issuer names its tokens as it likes. */
    @Test
    void theSameIdOfAnotherIssuerIsAnotherToken() {
        github("");
        try (TestIssuer other = new TestIssuer(DATABASE.vertx())) {
            Answer made = server.post("/v1/trust-rules", """
                    {"team":"speech","issuer":"%s","audience":"https://gpu.example.com","kind":"github","repositoryId":"74",
                     "ownerId":"65","grants":[{"scope":"lease"}]}""".formatted(other.url()));
            assertThat(made.status()).as(made.body()).isEqualTo(201);
            Map<String, Object> theirs = other.github(now());
            theirs.put("jti", "1");

            assertTaken(github("jti", "1"));
            assertTaken(theirs);
            assertRefused(github("jti", "1"), "replayed");
            assertRefused(theirs, "replayed");
        }
    }

    /** The tokens of Jenkins' plugin oidc-provider have no id. */
    @Test
    void aTokenThatHasNoIdIsExchangedOnceToo() {
        RSAKey credential = TestIssuer.rsa("gpu-broker-oidc", 2048);
        issuer.jwks = TestIssuer.keysAsJenkins(credential);
        jenkins();
        String token = TestIssuer.signAsJenkins(issuer.jenkins(now(), 7), credential);

        Answer issued = exchange(token);
        assertThat(issued.status()).as(issued.body()).isEqualTo(201);
        assertThat(issued.text("name")).isEqualTo("oidc https://jenkins.example.com/job/train/");
        assertRefused(exchange(token), "replayed");
        server.advance(Duration.ofMinutes(59));
        assertRefused(exchange(token), "replayed");
        // Another build within the same second is another token, and so is the same build a second later.
        server.startAgain();
        assertThat(exchange(TestIssuer.signAsJenkins(issuer.jenkins(now(), 8), credential))
                        .status())
                .isEqualTo(201);
        server.advance(Duration.ofSeconds(1));
        assertThat(exchange(TestIssuer.signAsJenkins(issuer.jenkins(now(), 7), credential))
                        .status())
                .isEqualTo(201);
    }

    @Test
    void whatWasExchangedBeforeARestartIsSoAfterIt() throws IOException {
        github("");
        jenkins();
        String withId = sign(issuer.github(now()));
        String without = sign(issuer.jenkins(now(), 7));
        assertThat(exchange(withId).status()).isEqualTo(201);
        assertThat(exchange(without).status()).isEqualTo(201);

        try (IdentityServer next = new IdentityServer(DATABASE, true)) {
            for (String token : List.of(withId, without)) {
                assertRefused(next.call(null, "POST", "/v1/tickets", "{\"token\":\"" + token + "\"}"), "replayed");
            }
        }
    }

    private void jenkins() {
        Answer made = rule("vision", "generic", "", ",\"claims\":{\"sub\":\"https://jenkins.example.com/job/train/\"}");
        assertThat(made.status()).as(made.body()).isEqualTo(201);
    }

    @Test
    void anotherJobOfTheSameJenkinsIsRefused() {
        jenkins();
        for (String job : List.of("train/job/PR-7/", "train2/", "Train/", "train")) {
            Map<String, Object> claims = issuer.jenkins(now(), 7);
            claims.put("sub", "https://jenkins.example.com/job/" + job);
            assertUnmatched(claims, "sub");
        }
    }

    /** (r, n − s) is as good a signature as (r, s), and whoever has one can reckon the other. */
    @Test
    void anotherSignatureOfTheSameTokenIsTheSameToken() {
        jenkins();
        String token = sign(issuer.jenkins(now(), 7), TestIssuer.EC, JWSAlgorithm.ES256);
        String twin = TestIssuer.otherSignature(token);
        assertThat(twin).isNotEqualTo(token);

        assertThat(exchange(twin).status()).isEqualTo(201);
        assertRefused(exchange(token), "replayed");
        // Signed a second time with the key, ECDSA gives another signature, of what was taken already.
        assertRefused(exchange(sign(issuer.jenkins(now(), 7), TestIssuer.EC, JWSAlgorithm.ES256)), "replayed");
    }

    @Test
    void aTokenThatIsWrittenInAnotherWayIsMalformed() {
        jenkins();
        String token = sign(issuer.jenkins(now(), 7)); // 256 bytes: the last letter has four bits too many.
        char last = token.charAt(token.length() - 1);
        String letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        char next = letters.charAt(letters.indexOf(last) + 1);
        String other = token.substring(0, token.length() - 1) + next;
        assertThat(Base64.getUrlDecoder().decode(other.substring(other.lastIndexOf('.') + 1)))
                .isEqualTo(Base64.getUrlDecoder().decode(token.substring(token.lastIndexOf('.') + 1)));

        assertRefused(exchange(other), "malformed");
        assertThat(exchange(token).status()).isEqualTo(201);
    }

    @Test
    void tokensWithAndWithoutAnIdAreToldApart() {
        jenkins();
        Map<String, Object> claims = issuer.jenkins(now(), 7);
        assertTaken(claims);
        assertRefused(claims, "replayed");
        claims.put("jti", "7");
        assertTaken(claims);
        claims.put("build_number", 8); // Another token by what it says, and the same by its id.
        assertRefused(claims, "replayed");
    }

    @Test
    void ofTwoWhoExchangeTheSameTokenAtOnceOneGetsATicket() {
        github("");
        String token = sign(issuer.github(now()));

        List<Integer> answers = java.util.stream.IntStream.range(0, 8)
                .parallel()
                .mapToObj(i -> exchange(token).status())
                .sorted()
                .toList();

        assertThat(answers).containsExactly(201, 401, 401, 401, 401, 401, 401, 401);
    }

    // ---- tickets ------------------------------------------------------------------------------------------------

    @Test
    void aTicketIsRenewedByItselfUpToTheLifetimeOfItsRule() {
        github(",\"ticketLifetime\":\"PT40M\"");
        String ticket = exchange(issuer.github(now())).text("ticket");

        server.advance(Duration.ofMinutes(14));
        assertThat(server.call(ticket, "POST", "/v1/tickets/renew", null).text("expiresAt"))
                .isEqualTo("2026-12-01T10:29:00+08:00");
        server.advance(Duration.ofMinutes(14));
        assertThat(server.call(ticket, "POST", "/v1/tickets/renew", null).text("expiresAt"))
                .isEqualTo("2026-12-01T10:40:00+08:00");
        server.advance(Duration.ofMinutes(11));
        assertThat(server.call(ticket, "POST", "/v1/tickets/renew", null).text("expiresAt"))
                .isEqualTo("2026-12-01T10:40:00+08:00");
        server.advance(Duration.ofMinutes(1));
        assertThat(server.call(ticket, "POST", "/v1/tickets/renew", null).status())
                .isEqualTo(401);
    }

    @Test
    void aTicketThatIsNotRenewedRunsOut() {
        github("");
        String ticket = exchange(issuer.github(now())).text("ticket");

        server.advance(Duration.ofMinutes(15).minusMillis(1));
        assertThat(server.call(ticket, "GET", "/v1/tasks", null).status()).isEqualTo(403);
        server.advance(Duration.ofMillis(1));
        assertThat(server.call(ticket, "GET", "/v1/tasks", null).status()).isEqualTo(401);
    }

    @Test
    void withItsRuleATicketEndsAtOnce() {
        String rule = github("");
        String ticket = exchange(issuer.github(now())).text("ticket");
        assertThat(server.call(ticket, "POST", "/v1/tickets/renew", null).status())
                .isEqualTo(200);

        assertThat(server.call(ADMIN, "DELETE", "/v1/trust-rules/" + rule, null).status())
                .isEqualTo(204);

        assertThat(server.call(ticket, "POST", "/v1/tickets/renew", null).status())
                .isEqualTo(401);
        assertRefused(issuer.github(now()), "issuer");
    }

    @Test
    void aJobCanEndItsTicket() {
        github("");
        String ticket = exchange(issuer.github(now())).text("ticket");

        assertThat(server.call(ticket, "DELETE", "/v1/tickets", null).status()).isEqualTo(204);
        assertThat(server.call(ticket, "DELETE", "/v1/tickets", null).status()).isEqualTo(401);
        assertThat(server.call(ADMIN, "POST", "/v1/tickets/renew", null).status())
                .isEqualTo(409);
    }

    @Test
    void aTicketThatBooksManagesNothingThatOutlivesItsJob() {
        Answer made = server.post("/v1/trust-rules", """
                {"team":"vision","issuer":"%s","audience":"https://gpu.example.com","kind":"github","repositoryId":"74","ownerId":"65",
                 "grants":[{"scope":"lease"},{"scope":"book","cap":{"perBooking":{"amount":"10.00","currency":"CNY"},
                 "perDay":{"amount":"20.00","currency":"CNY"}}}]}""".formatted(issuer.url()));
        assertThat(made.status()).as(made.body()).isEqualTo(201);
        String ticket = exchange(issuer.github(now())).text("ticket");

        assertThat(server.call(ticket, "GET", "/v1/reservations", null).status())
                .isEqualTo(200);
        List<String> managing = List.of(
                "/v1/webhooks",
                "/v1/triggers",
                "/v1/teams",
                "/v1/tokens",
                "/v1/trust-rules",
                "/v1/tasks",
                "/v1/audit-events");
        Set<String> tried = new java.util.TreeSet<>();
        server.operations().forEach((id, operation) -> {
            String path = operation.substring(operation.indexOf(' ') + 1).replaceAll("\\{[^}]+}", "x");
            if (managing.stream().anyMatch(path::startsWith)) {
                tried.add(id);
                String method = operation.substring(0, operation.indexOf(' '));
                Answer refused = server.call(
                        ticket,
                        method,
                        path,
                        method.equals("GET") ? null : "{}",
                        "Idempotency-Key",
                        "k",
                        "If-Match",
                        "\"1\"");
                assertThat(refused.status()).as(id).isEqualTo(403);
                assertThat(refused.text("code")).as(id).isEqualTo("not_allowed");
            }
        });
        assertThat(tried)
                .contains("createWebhook", "rotateWebhookSecret", "createTrigger", "createTrustRule", "answerTask");
    }

    @Test
    void aTicketEndsAndRenewsItselfAndNoOther() {
        github("");
        String mine = exchange(issuer.github(now())).text("ticket");
        String theirs = exchange(issuer.github(now())).text("ticket");

        assertThat(server.call(mine, "DELETE", "/v1/tickets", null).status()).isEqualTo(204);
        assertThat(server.call(theirs, "POST", "/v1/tickets/renew", null).status())
                .isEqualTo(200);
        assertThat(server.call(theirs, "GET", "/v1/audit-events", null).status())
                .isEqualTo(403);
    }

    @Test
    void neitherTokenNorTicketIsStoredOrTold() {
        github("");
        Map<String, Object> claims = github("ref", "refs/heads/very-secret-branch");
        String token = sign(claims);
        String ticket = exchange(token).text("ticket");
        Answer replayed = exchange(token);
        Answer wrong = exchange(github("repository_id", "very-secret-number"));

        assertThat(replayed.body() + wrong.body()).doesNotContain("very-secret").doesNotContain(token);
        StringBuilder stored = new StringBuilder();
        for (String table : List.of("ticket", "used_assertion", "audit_event", "trust_rule", "idempotency_key")) {
            DATABASE.database()
                    .pool()
                    .query("SELECT t::text AS t FROM " + table + " t")
                    .execute()
                    .await()
                    .forEach(row -> stored.append(row.getString("t")));
        }
        assertThat(stored.toString())
                .doesNotContain(ticket.substring(4))
                .doesNotContain("very-secret")
                .doesNotContain(token.substring(token.length() - 40));
    }

    @Test
    void refusalsOfOneKindWithinAnHourAreOneEntry() {
        github("");
        for (int i = 0; i < 5; i++) {
            exchange(github("repository_id", "75"));
            exchange(github("iss", "https://somebody-" + i + ".example.com"));
        }
        server.advance(Duration.ofHours(1));
        exchange(github("repository_id", "75"));

        List<String> entries = StreamSupport.stream(
                        server.call(ADMIN, "GET", "/v1/audit-events", null)
                                .json()
                                .get("items")
                                .spliterator(),
                        false)
                .filter(event -> event.get("what").asText().equals("ticket_refused"))
                .map(event -> event.get("detail").asText() + " × " + event.get("times"))
                .toList();
        assertThat(entries)
                .containsExactlyInAnyOrder("claims repository_id × 1", "issuer × 5", "claims repository_id × 5");
    }

    // ---- issuers ------------------------------------------------------------------------------------------------

    @Test
    void keysAreFetchedOnceAndAnUnknownOneIsAskedForOnceAMinute() {
        github("");
        for (int i = 0; i < 3; i++) {
            assertTaken(issuer.github(now()));
        }
        assertThat(issuer.asked).containsExactly("/.well-known/openid-configuration", "/keys");

        com.nimbusds.jose.jwk.RSAKey next = TestIssuer.rsa("rsa-2", 2048);
        assertRefused(exchange(sign(issuer.github(now()), next, JWSAlgorithm.RS256)), "unknown_key");
        assertThat(issuer.asked).hasSize(2);
        issuer.keys = List.of(RSA, next);
        server.advance(Duration.ofMinutes(1));
        assertThat(exchange(sign(issuer.github(now()), next, JWSAlgorithm.RS256))
                        .status())
                .isEqualTo(201);
        assertThat(issuer.asked).hasSize(4);
        for (int i = 0; i < 5; i++) {
            assertRefused(
                    exchange(sign(issuer.github(now()), TestIssuer.ec("other"), JWSAlgorithm.ES256)), "unknown_key");
        }
        assertThat(issuer.asked).hasSize(4);
    }

    /** Jenkins' plugin gives a key that is made anew the name of the one before: its credential's id. */
    @Test
    void aKeyThatWasChangedUnderItsNameIsFoundWithinAMinute() {
        github("");
        assertTaken(issuer.github(now()));
        RSAKey next = TestIssuer.rsa("rsa-1", 2048);
        issuer.keys = List.of(next);

        server.advance(Duration.ofSeconds(59));
        assertRefused(exchange(sign(issuer.github(now()), next, JWSAlgorithm.RS256)), "signature");
        assertThat(issuer.asked).hasSize(2);
        server.advance(Duration.ofSeconds(1));
        assertThat(exchange(sign(issuer.github(now()), next, JWSAlgorithm.RS256))
                        .status())
                .isEqualTo(201);
        assertThat(issuer.asked).hasSize(4);
        for (int i = 0; i < 5; i++) {
            assertRefused(issuer.github(now()), "signature"); // The key of before is nobody's now.
        }
        assertThat(issuer.asked).hasSize(4);
    }

    @Test
    void aKeyThatTheIssuerWithdrewIsNotTakenTenMinutesLater() {
        github("");
        assertTaken(issuer.github(now()));
        issuer.keys = List.of(TestIssuer.EC);

        server.advance(Duration.ofMinutes(10));
        assertRefused(issuer.github(now()), "unknown_key");
    }

    @Test
    void whileTheIssuerIsAwayWhatItSaidLastIsGoodForAnHour() {
        github("");
        assertTaken(issuer.github(now()));
        issuer.away = true;

        server.advance(Duration.ofMinutes(59));
        assertTaken(issuer.github(now()));
        server.advance(Duration.ofMinutes(1));
        Answer away = exchange(issuer.github(now()));
        assertThat(away.status()).isEqualTo(503);
        assertThat(away.text("code")).isEqualTo("issuer_unavailable");
        issuer.away = false;
        server.advance(Duration.ofMinutes(1));
        assertTaken(issuer.github(now()));
    }

    @Test
    void anIssuerThatMisbehavesIsAsGoodAsAway() {
        github("");
        issuer.otherIssuer = "https://another.example.com";
        assertAway();
        issuer.otherIssuer = null;
        issuer.otherKeys = "http://127.0.0.1:1/keys";
        assertAway();
        issuer.otherKeys = "file:///etc/passwd";
        assertAway();
        issuer.otherKeys = null;
        issuer.redirects = true;
        assertAway();
        assertThat(issuer.asked).noneMatch(path -> path.startsWith("/moved"));
        issuer.redirects = false;
        issuer.padding = 300 * 1024;
        assertAway();
        issuer.padding = 0;
        issuer.keys = List.of(TestIssuer.rsa("rsa-1", 1024));
        server.advance(Duration.ofSeconds(5));
        assertRefused(issuer.github(now()), "unknown_key"); // Too weak to count.
        issuer.keys = List.of(RSA);
        server.advance(Duration.ofMinutes(1));
        assertTaken(issuer.github(now()));
    }

    private void assertAway() {
        server.advance(Duration.ofSeconds(5));
        assertThat(exchange(issuer.github(now())).status()).isEqualTo(503);
    }

    // ---- rules ----------------------------------------------------------------------------------------------------

    @Test
    void whatIsWrongWithARuleIsNamed() {
        assertThat(fields(rule("vision", "github", "", ""))).containsExactly("repositoryId", "ownerId");
        assertThat(fields(rule("vision", "gitlab", ",\"repositoryId\":\"group/project\",\"ownerId\":\"0\"", "")))
                .containsExactly("repositoryId", "ownerId");
        assertThat(fields(rule("vision", "generic", ",\"repositoryId\":\"1\"", ",\"ref\":\"main\"")))
                .containsExactly("repositoryId", "ref", "claims.sub");
        assertThat(fields(rule("vision", "gitlab", ",\"repositoryId\":\"1\",\"ownerId\":\"2\"", ",\"ref\":\"main\"")))
                .containsExactly("refType");
        assertThat(fields(rule("vision", "github", ",\"repositoryId\":\"1\",\"ownerId\":\"2\"", ",\"ref\":\"main\"")))
                .containsExactly("ref");
        assertThat(fields(rule(
                        "vision",
                        "github",
                        ",\"repositoryId\":\"1\",\"ownerId\":\"2\"",
                        ",\"claims\":{\"aud\":\"x\"},\"ticketLifetime\":\"PT25H\",\"pools\":[\"lab\"]")))
                .containsExactly("claims.aud", "ticketLifetime");
        assertThat(fields(
                        rule("vision", "github", ",\"repositoryId\":\"1\",\"ownerId\":\"2\"", ",\"pools\":[\"lab\"]")))
                .containsExactly("pools[0]");
        assertThat(fields(rule("nobody", "github", ",\"repositoryId\":\"1\",\"ownerId\":\"2\"", "")))
                .containsExactly("team");
    }

    private static List<String> fields(Answer refused) {
        assertThat(refused.status()).as(refused.body()).isEqualTo(400);
        return StreamSupport.stream(refused.json().get("errors").spliterator(), false)
                .map(error -> error.get("field").asText())
                .toList();
    }

    @Test
    void aRuleGrantsBookingOnlyWithACap() {
        String rule = """
                {"team":"vision","issuer":"https://gitlab.example.com","audience":"x","kind":"gitlab","repositoryId":"20",
                 "ownerId":"72","grants":[%s]}""";
        String cap =
                "{\"perBooking\":{\"amount\":\"10\",\"currency\":\"CNY\"},\"perDay\":{\"amount\":\"20.50\",\"currency\":\"CNY\"}}";

        assertThat(fields(server.post("/v1/trust-rules", rule.formatted("{\"scope\":\"book\"}"))))
                .containsExactly("grants[0].cap");
        assertThat(fields(server.post("/v1/trust-rules", rule.formatted("{\"scope\":\"lease\",\"cap\":" + cap + "}"))))
                .containsExactly("grants[0].cap");
        assertThat(server.post("/v1/trust-rules", rule.formatted("{\"scope\":\"admin\"}"))
                        .status())
                .isEqualTo(400);
        Answer made = server.post("/v1/trust-rules", rule.formatted("{\"scope\":\"book\",\"cap\":" + cap + "}"));
        assertThat(made.status()).as(made.body()).isEqualTo(201);
        assertThat(made.json().at("/grants/0/cap/perDay/amount").asText()).isEqualTo("20.50");
    }

    @Test
    void addressesThatAreNotSafeAreNoIssuers() {
        for (String address : List.of(
                "http://gitlab.example.com",
                "https://user@gitlab.example.com",
                "https://gitlab.example.com?x=1",
                "https://gitlab.example.com#x",
                "ftp://gitlab.example.com",
                "https:///x",
                "gitlab.example.com",
                "https://git lab")) {
            Answer refused = server.post("/v1/trust-rules", """
                    {"team":"vision","issuer":"%s","audience":"x","kind":"generic","claims":{"sub":"x"},
                     "grants":[{"scope":"lease"}]}""".formatted(address));
            assertThat(fields(refused)).as(address).containsExactly("issuer");
        }
        IssuerAddress real = new IssuerAddress(false);
        assertThat(real.discovery(issuer.url())).isEmpty();
        assertThat(real.discovery("https://gitlab.example.com/sub/"))
                .hasValueSatisfying(found -> assertThat(found)
                        .hasToString("https://gitlab.example.com/sub/.well-known/openid-configuration"));
        assertThat(real.keys("https://a.example.com", "https://b.example.com/keys"))
                .isEmpty();
        assertThat(real.keys("https://a.example.com", "https://a.example.com:8443/keys"))
                .isEmpty();
        assertThat(real.keys("https://a.example.com", "https://A.example.com:443/keys"))
                .isPresent();
    }

    @Test
    void poolsAreKeptByTheirIdsAndBoundToTheTeam() {
        DATABASE.execute(
                "INSERT INTO pool (pool_id, team_id, name, model, gpus_per_node, created_at) VALUES"
                        + " ('pol_1', 'vision', 'a/b c''d%', 'A100', 8, now()), ('pol_2', 'speech', 'other', 'A100', 8, now())");
        Answer made =
                rule("vision", "github", ",\"repositoryId\":\"74\",\"ownerId\":\"65\"", ",\"pools\":[\"a/b c'd%\"]");
        assertThat(made.status()).as(made.body()).isEqualTo(201);
        assertThat(made.json().get("pools")).hasToString("[\"pol_1\"]");
        assertThat(fields(rule(
                        "vision", "github", ",\"repositoryId\":\"1\",\"ownerId\":\"2\"", ",\"pools\":[\"pol_2\"]")))
                .containsExactly("pools[0]");

        String ticket = exchange(issuer.github(now())).text("ticket");
        assertThat(new PgTickets()
                        .find(DATABASE.database().pool(), ticket, now())
                        .await()
                        .orElseThrow()
                        .grants()
                        .pools())
                .containsExactlyInAnyOrder("pol_1", "a/b c'd%");
        DATABASE.execute("DELETE FROM pool WHERE pool_id = 'pol_1'");
        assertThat(new PgTickets()
                        .find(DATABASE.database().pool(), ticket, now())
                        .await()
                        .orElseThrow()
                        .grants()
                        .pools())
                .isEmpty();
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
    }
}
