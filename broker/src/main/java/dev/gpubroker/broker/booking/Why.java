package dev.gpubroker.broker.booking;

import static java.util.Objects.requireNonNull;

import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.planning.ReasonChinese;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Why a reservation became what it is, for its event and for whoever is told of it: one clause in each language. */
public record Why(String english, String chinese) {
    public Why {
        requireNonNull(english, "english");
        requireNonNull(chinese, "chinese");
    }

    /** What the first of the lost claims says; platforms speak one language, so in Chinese their words stand in brackets. */
    static Why lost(List<Claim> claims, Why otherwise) {
        return claims.stream()
                .filter(claim -> claim.detail() != null)
                .findFirst()
                .map(claim -> said(claim.reason(), requireNonNull(claim.detail())))
                .orElse(otherwise);
    }

    /** A platform's sentence is a clause of ours. */
    static Why said(@Nullable Reason reason, String detail) {
        String clause = detail.strip().replaceFirst("[.。!！]+$", "");
        return new Why(clause, (reason == null ? "未能购得" : ReasonChinese.of(reason)) + "（" + clause + "）");
    }

    /** Both clauses, one after the other. */
    Why and(String moreEnglish, String moreChinese) {
        return new Why(english + "; " + moreEnglish, chinese + "；" + moreChinese);
    }
}
