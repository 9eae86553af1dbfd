package dev.gpubroker.broker.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.Scope;
import dev.gpubroker.broker.identity.TrustRule.Kind;
import dev.gpubroker.broker.identity.TrustRule.PullRequests;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/** Whatever becomes of one claim that a rule names: the token is trusted no more. */
class RuleMatchPropertyTest {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private static final Map<String, String> GITHUB = Map.of(
            "iss", "https://token.actions.githubusercontent.com",
            "aud", "https://gpu.example.com",
            "repository_id", "74",
            "repository_owner_id", "65",
            "ref", "refs/heads/main",
            "ref_type", "branch",
            "ref_protected", "true",
            "environment", "prod",
            "event_name", "push",
            "workflow", "train");

    private static final Map<String, String> GITLAB = Map.of(
            "iss", "https://gitlab.example.com",
            "aud", "https://gpu.example.com",
            "project_id", "20",
            "namespace_id", "72",
            "ref", "main",
            "ref_type", "branch",
            "ref_protected", "true",
            "environment", "prod",
            "pipeline_source", "push",
            "user_id", "1");

    /** A token's claims that match, the rule, and one claim of it that the rule names. */
    record Case(TrustRule rule, ObjectNode claims, String claim) {}

    private static TrustRule rule(Kind kind) {
        boolean github = kind == Kind.GITHUB;
        return new TrustRule(
                "trr_1",
                "vision",
                github ? "https://token.actions.githubusercontent.com" : "https://gitlab.example.com",
                "https://gpu.example.com",
                kind,
                github ? "74" : "20",
                github ? "65" : "72",
                github ? "refs/heads/main" : "main",
                "branch",
                true,
                "prod",
                PullRequests.REFUSED,
                github
                        ? Map.of("event_name", "push", "workflow", "train")
                        : Map.of("pipeline_source", "push", "user_id", "1"),
                Set.of(Scope.LEASE),
                null,
                null,
                Duration.ofHours(6),
                "admin",
                Instant.EPOCH);
    }

    private static ObjectNode claims(Kind kind) {
        ObjectNode claims = JSON.objectNode();
        new LinkedHashMap<>(kind == Kind.GITHUB ? GITHUB : GITLAB).forEach(claims::put);
        claims.put("sub", "whatever").put("head_ref", "").put("base_ref", "").put("actor", "octocat");
        if (kind == Kind.GITLAB) {
            claims.put("ref_path", "refs/heads/main").put("job_project_id", "20");
        }
        return claims;
    }

    @Provide
    Arbitrary<Case> cases() {
        return Arbitraries.of(Kind.GITHUB, Kind.GITLAB)
                .flatMap(kind -> Arbitraries.of(kind == Kind.GITHUB ? GITHUB.keySet() : GITLAB.keySet())
                        .map(claim -> new Case(rule(kind), claims(kind), claim)));
    }

    /** Null takes the claim away. */
    @Provide
    Arbitrary<JsonNode> values() {
        Arbitrary<JsonNode> texts = Arbitraries.strings().ofMaxLength(30).map(JSON::textNode);
        Arbitrary<JsonNode> near = Arbitraries.of(
                        " main",
                        "main ",
                        "MAIN",
                        "refs/heads/main/",
                        "refs/heads/mai",
                        "74 ",
                        "074",
                        "+74",
                        "7",
                        "740",
                        "TRUE",
                        "true ",
                        "*",
                        "%",
                        "branch,tag",
                        "https://gpu.example.com/",
                        "20\u0000",
                        "２０",
                        "")
                .map(JSON::textNode);
        Arbitrary<JsonNode> others = Arbitraries.of(
                JSON.nullNode(),
                JSON.booleanNode(false),
                JSON.numberNode(75),
                JSON.numberNode(74.5),
                JSON.arrayNode().add("74").add("75"),
                JSON.arrayNode(),
                JSON.objectNode().put("74", "74"));
        return Arbitraries.oneOf(texts, near, others).injectNull(0.1);
    }

    @Property
    void aTokenOfWhichOneNamedClaimIsAnotherIsNotTrusted(
            @ForAll("cases") Case given, @ForAll("values") @Nullable JsonNode value) {
        assertThat(RuleMatch.firstMismatch(given.rule(), new Claims(given.claims())))
                .isEmpty();
        Claims untouched = new Claims(given.claims().deepCopy());
        if (value == null) {
            given.claims().remove(given.claim());
        } else {
            given.claims().set(given.claim(), value);
        }
        Claims changed = new Claims(given.claims());
        boolean same = given.claim().equals("aud")
                ? String.valueOf(untouched.audience()).equals(changed.audience())
                : String.valueOf(untouched.text(given.claim())).equals(changed.text(given.claim()));

        assertThat(RuleMatch.firstMismatch(given.rule(), changed).isPresent()).isEqualTo(!same);
    }

    /** What a rule does not name may be anything, where it tells no pull request. */
    @Property
    void claimsThatNoRuleNamesDoNotMatter(@ForAll("values") @Nullable JsonNode value) {
        for (Kind kind : new Kind[] {Kind.GITHUB, Kind.GITLAB}) {
            ObjectNode claims = claims(kind);
            claims.set("actor", value == null ? JSON.nullNode() : value);

            assertThat(RuleMatch.firstMismatch(rule(kind), new Claims(claims))).isEmpty();
        }
    }
}
