package dev.gpubroker.broker.identity;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/** An OIDC token was not taken. Says which check failed and never what the token holds. */
final class RefusedToken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The checks, in their order. */
    enum Check {
        SIZE("too_large", "it is longer than 16 KB", "长度超过 16 KB"),
        FORM(
                "malformed",
                "it is no signed JWT with JSON in which no member comes twice",
                "不是已签名的 JWT，或其中的 JSON 有误或成员重复"),
        ALGORITHM(
                "algorithm",
                "its algorithm is none of RS256…512, PS256…512, ES256…512",
                "签名算法不在 RS256…512、PS256…512、ES256…512 之列"),
        CRITICAL("critical_header", "its header has crit", "头部含有 crit"),
        KEY_ID("no_key_id", "its header names no key (kid)", "头部没有指明密钥（kid）"),
        ISSUER("issuer", "no trust rule has its issuer, letter by letter", "没有任何信任规则与其签发者逐字相同"),
        EXPIRY("no_expiry", "exp or iat is missing, or a time in it is of the wrong kind", "exp 或 iat 缺失，或时间的类型不符"),
        ID("bad_id", "its id (jti) is no text of 1 to 255 characters", "编号（jti）不是 1 至 255 个字符的文本"),
        EXPIRED("expired", "it has run out: ask for a fresh one", "已过期：请获取新的令牌"),
        NOT_YET("not_yet_valid", "it is not valid yet: compare the clocks", "尚未生效：请核对时钟"),
        FUTURE("issued_in_future", "it was issued in the future: compare the clocks", "签发时间在将来：请核对时钟"),
        LIFETIME("too_long_lived", "it lives longer than tokens of its kind may", "有效期超过该类令牌的允许值"),
        KEY("unknown_key", "its issuer publishes no such key for signatures of this kind", "签发者没有公布可用于此类签名的该密钥"),
        SIGNATURE("signature", "its signature is wrong", "签名不正确"),
        AUDIENCE(
                "audience",
                "its audience (aud) is not the one of the trust rule, or it has several",
                "受众（aud）与信任规则不符，或有多个"),
        RULE("claims", "no trust rule of its issuer and audience matches its claims", "没有与其签发者、受众及声明匹配的信任规则"),
        REPLAYED("replayed", "it was exchanged before: ask for a fresh one", "已经换取过票据：请获取新的令牌");

        private final String wireName;
        private final String english;
        private final String chinese;

        Check(String wireName, String english, String chinese) {
            this.wireName = wireName;
            this.english = english;
            this.chinese = chinese;
        }

        String wireName() {
            return wireName;
        }

        String english() {
            return english;
        }

        String chinese() {
            return chinese;
        }
    }

    private final Check check;
    private final @Nullable String claim;

    private RefusedToken(Check check, @Nullable String claim) {
        super(requireNonNull(check).wireName() + (claim == null ? "" : " " + claim), null, false, false);
        this.check = check;
        this.claim = claim;
    }

    static RefusedToken because(Check check) {
        return new RefusedToken(check, null);
    }

    /** @param claim name of the claim that the only rule in question finds wrong */
    static RefusedToken because(Check check, @Nullable String claim) {
        return new RefusedToken(check, claim);
    }

    Check check() {
        return check;
    }

    @Nullable
    String claim() {
        return claim;
    }
}
