package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to take capacity, as the ledger holds it.
 *
 * @param attempt of the reservation, from 1
 * @param unit which of the attempt's claims, from 0: a platform that sells one machine a call gets several
 * @param amount what it costs by the plan
 * @param unwanted whatever turns up is released at once
 * @param launched the machines of a bought window were started
 * @param bought what the platform says was taken
 * @param phase last seen on the platform
 * @param arrivesBy the last instant at which the request could still reach the platform; null = never sent
 * @param vanished the worker that sent it died before the answer was written
 */
public record Claim(
        ClaimKey key,
        String reservationId,
        int attempt,
        int unit,
        String account,
        String platform,
        String region,
        ClaimRequest request,
        Money amount,
        ClaimState state,
        boolean unwanted,
        boolean launched,
        @Nullable PlatformRef ref,
        @Nullable Window bought,
        ClaimStatus.@Nullable Phase phase,
        @Nullable Reason reason,
        @Nullable String detail,
        int notListed,
        int releaseTries,
        Instant intendedAt,
        @Nullable Instant arrivesBy,
        boolean vanished,
        @Nullable Instant settledAt,
        @Nullable Instant releasedAt,
        @Nullable Instant watchUntil,
        long version) {

    /** What is written down before a platform is called. */
    public record Intent(
            ClaimKey key,
            String reservationId,
            int attempt,
            int unit,
            String account,
            String platform,
            ClaimRequest request,
            Money amount) {
        public Claim at(Instant now) {
            return new Claim(
                    key,
                    reservationId,
                    attempt,
                    unit,
                    account,
                    platform,
                    request.offer().region(),
                    request,
                    amount,
                    ClaimState.INTENDED,
                    false,
                    false,
                    null,
                    null,
                    null,
                    null,
                    null,
                    0,
                    0,
                    now,
                    null,
                    false,
                    null,
                    null,
                    null,
                    1);
        }
    }

    public boolean wasNeverSent() {
        return arrivesBy == null;
    }

    public boolean isRunning() {
        return state == ClaimState.CLAIMED && phase == ClaimStatus.Phase.RUNNING;
    }

    ClaimEdit edit() {
        return new ClaimEdit(this);
    }
}
