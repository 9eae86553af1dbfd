package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The next version of a claim in the making. */
final class ClaimEdit {
    private final Claim from;
    private ClaimState state;
    private boolean unwanted;
    private boolean launched;
    private @Nullable PlatformRef ref;
    private @Nullable Window bought;
    private ClaimStatus.@Nullable Phase phase;
    private @Nullable Reason reason;
    private @Nullable String detail;
    private int notListed;
    private int releaseTries;
    private @Nullable Instant arrivesBy;
    private boolean vanished;
    private @Nullable Instant settledAt;
    private @Nullable Instant releasedAt;
    private @Nullable Instant watchUntil;

    ClaimEdit(Claim from) {
        this.from = from;
        this.state = from.state();
        this.unwanted = from.unwanted();
        this.launched = from.launched();
        this.ref = from.ref();
        this.bought = from.bought();
        this.phase = from.phase();
        this.reason = from.reason();
        this.detail = from.detail();
        this.notListed = from.notListed();
        this.releaseTries = from.releaseTries();
        this.arrivesBy = from.arrivesBy();
        this.vanished = from.vanished();
        this.settledAt = from.settledAt();
        this.releasedAt = from.releasedAt();
        this.watchUntil = from.watchUntil();
    }

    ClaimEdit state(ClaimState value) {
        state = value;
        return this;
    }

    ClaimEdit unwanted() {
        unwanted = true;
        return this;
    }

    ClaimEdit launched(PlatformRef with) {
        launched = true;
        ref = with;
        return this;
    }

    ClaimEdit sent(Instant arrives) {
        arrivesBy = arrives;
        return this;
    }

    ClaimEdit ref(PlatformRef value) {
        ref = value;
        return this;
    }

    ClaimEdit bought(@Nullable Window value) {
        bought = value == null ? bought : value;
        return this;
    }

    ClaimEdit phase(ClaimStatus.@Nullable Phase value) {
        phase = value;
        return this;
    }

    ClaimEdit why(@Nullable Reason value, @Nullable String text) {
        reason = value;
        detail = text;
        return this;
    }

    ClaimEdit notListed(int times) {
        notListed = times;
        return this;
    }

    ClaimEdit releaseTries(int times) {
        releaseTries = times;
        return this;
    }

    ClaimEdit vanished() {
        vanished = true;
        return this;
    }

    ClaimEdit settled(Instant at) {
        settledAt = at;
        return this;
    }

    ClaimEdit released(Instant at) {
        state = ClaimState.RELEASED;
        phase = ClaimStatus.Phase.GONE;
        releasedAt = at;
        return this;
    }

    ClaimEdit watchUntil(@Nullable Instant until) {
        watchUntil = until;
        return this;
    }

    Claim done() {
        return new Claim(
                from.key(),
                from.reservationId(),
                from.attempt(),
                from.unit(),
                from.account(),
                from.platform(),
                from.region(),
                from.request(),
                from.amount(),
                state,
                unwanted,
                launched,
                ref,
                bought,
                phase,
                reason,
                detail,
                notListed,
                releaseTries,
                from.intendedAt(),
                arrivesBy,
                vanished,
                settledAt,
                releasedAt,
                watchUntil,
                from.version() + 1);
    }
}
