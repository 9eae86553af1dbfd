package dev.gpubroker.broker.identity;

import static java.util.Objects.requireNonNullElse;

import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Scope;
import dev.gpubroker.broker.identity.TrustRule.Kind;
import dev.gpubroker.broker.identity.TrustRule.PullRequests;
import dev.gpubroker.broker.stored.Ids;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A rule as it is asked for; {@link #toRule} says what is wrong with it, or makes it. Pure. */
record TrustRuleBody(
        String team,
        String issuer,
        String audience,
        String kind,
        @Nullable String repositoryId,
        @Nullable String ownerId,
        @Nullable String ref,
        @Nullable String refType,
        @Nullable Boolean refProtected,
        @Nullable String environment,
        @Nullable String pullRequests,
        @Nullable Map<String, String> claims,
        List<Grant> grants,
        @Nullable List<String> pools,
        @Nullable String ticketLifetime) {
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,19}");
    private static final Duration USUAL_LIFETIME = Duration.ofHours(6);
    private static final Duration LONGEST_LIFETIME = Duration.ofHours(24);
    /** Fields and the checks of every token have the last word on these. */
    private static final Set<String> OURS = Set.of("iss", "aud", "exp", "nbf", "iat", "jti");

    /** Whose tokens carry numbers, and tell pull requests; another kind of rule would look at neither. */
    private static final Map<String, Kind> KNOWN_ISSUERS =
            Map.of("token.actions.githubusercontent.com", Kind.GITHUB, "gitlab.com", Kind.GITLAB);

    record Grant(Scope scope, Cap.@Nullable Body cap) {}

    /**
     * The rule; its pools are not looked up yet.
     *
     * @throws dev.gpubroker.broker.http.ApiProblem 400 with every field at fault
     */
    TrustRule toRule(IssuerAddress addresses, String by, Instant now) {
        List<FieldError> errors = new ArrayList<>();
        Kind of = Kind.ofWireName(kind);
        checkIssuer(of, addresses, errors);
        Fields.checkText("audience", audience, errors);
        checkNumbers(of, errors);
        checkRef(of, errors);
        checkPullRequests(of, errors);
        Map<String, String> further = requireNonNullElse(claims, Map.of());
        checkClaims(of, further, errors);
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        Cap cap = checkGrants(scopes, errors);
        Duration lifetime = lifetime(errors);
        Fields.refuse(errors);
        return new TrustRule(
                Ids.next("trr", now),
                team,
                issuer,
                audience,
                of,
                repositoryId,
                ownerId,
                ref,
                refType,
                requireNonNullElse(refProtected, of == Kind.GITLAB),
                environment,
                pullRequests == null ? PullRequests.REFUSED : PullRequests.ofWireName(pullRequests),
                further,
                scopes,
                cap,
                pools,
                lifetime,
                by,
                now);
    }

    private void checkIssuer(Kind of, IssuerAddress addresses, List<FieldError> errors) {
        URI discovery = addresses.discovery(issuer).orElse(null);
        Kind known =
                discovery == null ? null : KNOWN_ISSUERS.get(discovery.getHost().toLowerCase(Locale.ROOT));
        if (known != null && known != of) {
            errors.add(new FieldError(
                    "kind",
                    "issuer",
                    "must be " + known.wireName()
                            + " for this issuer: else names that were registered again and the pull"
                            + " requests of strangers would pass",
                    "此签发者的 kind 必须为 " + known.wireName() + "：否则被他人重新注册的名称和外部拉取请求也会通过"));
        }
        if (discovery == null) {
            errors.add(new FieldError(
                    "issuer",
                    "format",
                    "must be the https address that tokens have as iss, without user, query and fragment",
                    "必须是令牌 iss 中的 https 地址，不含用户、查询和片段"));
        }
    }

    private void checkNumbers(Kind of, List<FieldError> errors) {
        if (of == Kind.GENERIC) {
            forbid("repositoryId", repositoryId, errors);
            forbid("ownerId", ownerId, errors);
            return;
        }
        requireNumber("repositoryId", repositoryId, of == Kind.GITHUB ? "repository_id" : "project_id", errors);
        requireNumber("ownerId", ownerId, of == Kind.GITHUB ? "repository_owner_id" : "namespace_id", errors);
    }

    private static void requireNumber(String field, @Nullable String value, String claim, List<FieldError> errors) {
        if (value == null || !NUMBER.matcher(value).matches()) {
            errors.add(new FieldError(
                    field,
                    "number",
                    "must be the number that tokens have as " + claim
                            + ": a name could be registered again by somebody else",
                    "必须是令牌 " + claim + " 中的数字编号：名称可能被他人重新注册"));
        }
    }

    private void checkRef(Kind of, List<FieldError> errors) {
        if (of == Kind.GENERIC) {
            forbid("ref", ref, errors);
            forbid("refType", refType, errors);
            forbid("refProtected", refProtected, errors);
            forbid("environment", environment, errors);
            return;
        }
        if (of == Kind.GITLAB && ref != null && refType == null) {
            errors.add(new FieldError(
                    "refType",
                    "required",
                    "must be given with ref: a tag may be called as a branch is",
                    "与 ref 同时必填：标签可能与分支同名"));
        }
        if (of == Kind.GITHUB && ref != null && !ref.startsWith("refs/")) {
            errors.add(new FieldError(
                    "ref",
                    "format",
                    "must be whole for GitHub, as refs/heads/main",
                    "GitHub 的 ref 必须完整，例如 refs/heads/main"));
        }
        if (of == Kind.GITLAB && ref != null && ref.startsWith("refs/")) {
            errors.add(new FieldError(
                    "ref", "format", "must be the bare name for GitLab, as main", "GitLab 的 ref 只写名称，例如 main"));
        }
    }

    private void checkPullRequests(Kind of, List<FieldError> errors) {
        if (!"same_repository".equals(pullRequests) || of == Kind.GITLAB) {
            return;
        }
        errors.add(new FieldError(
                "pullRequests",
                "not_provable",
                of == Kind.GITHUB
                        ? "cannot be same_repository: GitHub's tokens do not say from which repository a pull request comes"
                        : "goes with gitlab only; say in claims what a job must be",
                of == Kind.GITHUB ? "不能为 same_repository：GitHub 的令牌不包含拉取请求的来源仓库" : "仅适用于 gitlab；请在 claims 中限定任务"));
    }

    private static void checkClaims(Kind of, Map<String, String> further, List<FieldError> errors) {
        further.keySet().stream()
                .filter(OURS::contains)
                .sorted()
                .forEach(name -> errors.add(new FieldError(
                        "claims." + name,
                        "reserved",
                        "is checked for every token and cannot be set here",
                        "由系统统一校验，不能在此设置")));
        String subject = further.get("sub");
        if (of == Kind.GENERIC && (subject == null || subject.isEmpty())) {
            errors.add(new FieldError(
                    "claims.sub",
                    "required",
                    "must say whose tokens are trusted: an issuer has many users",
                    "必须指明信任哪个主体：一个签发者有许多用户"));
        }
    }

    private @Nullable Cap checkGrants(Set<Scope> scopes, List<FieldError> errors) {
        Cap cap = null;
        for (int i = 0; i < grants.size(); i++) {
            Grant grant = grants.get(i);
            String field = "grants[" + i + "]";
            if (!scopes.add(grant.scope())) {
                errors.add(new FieldError(field + ".scope", "unique", "is given twice", "重复"));
            }
            boolean books = grant.scope() == Scope.BOOK;
            if (books != (grant.cap() != null)) {
                errors.add(new FieldError(
                        field + ".cap",
                        books ? "required" : "conflict",
                        books ? "must be given with book: no job books without a limit" : "goes with book only",
                        books ? "book 必须设置上限：任务不得无限制预订" : "仅适用于 book"));
            } else if (grant.cap() != null) {
                cap = grant.cap().checked(field + ".cap", errors);
            }
            if (books && pools != null) {
                errors.add(new FieldError(
                        "pools", "conflict", "limits leases, and does not go with book", "用于限制租约，不能与 book 同时使用"));
            }
        }
        return cap;
    }

    private Duration lifetime(List<FieldError> errors) {
        if (ticketLifetime == null) {
            return USUAL_LIFETIME;
        }
        try {
            Duration lifetime = Duration.parse(ticketLifetime);
            if (lifetime.compareTo(Ticket.LIFE) >= 0
                    && lifetime.compareTo(LONGEST_LIFETIME) <= 0
                    && lifetime.getNano() == 0) {
                return lifetime;
            }
        } catch (DateTimeException | ArithmeticException notOne) {
            // Told below, as one that is out of its bounds.
        }
        errors.add(new FieldError(
                "ticketLifetime",
                "duration",
                "must be an ISO 8601 duration of whole seconds from PT15M to PT24H",
                "必须是 PT15M 到 PT24H 之间、精确到秒的 ISO 8601 时长"));
        return USUAL_LIFETIME;
    }

    private static void forbid(String field, @Nullable Object value, List<FieldError> errors) {
        if (value != null) {
            errors.add(new FieldError(
                    field,
                    "conflict",
                    "goes with github and gitlab only; use claims",
                    "仅适用于 github 和 gitlab；请使用 claims"));
        }
    }
}
