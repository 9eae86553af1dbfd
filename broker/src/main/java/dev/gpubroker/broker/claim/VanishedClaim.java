package dev.gpubroker.broker.claim;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.task.Task;
import dev.gpubroker.broker.task.TaskKind;
import dev.gpubroker.broker.task.Tasks;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * A purchase whose worker died, on a platform that has neither token nor refund, and that is not listed there: only somebody
 * who looks into the platform's console knows. Until then nothing else is bought for the reservation.
 */
public final class VanishedClaim implements TaskKind {
    static final String KIND = "claim_vanished";

    private static final String ABSENT = "absent";

    private final ClaimStore claims;
    private final DueWork due;
    private final InstantSource clock;

    public VanishedClaim(ClaimStore claims, DueWork due, InstantSource clock) {
        this.claims = claims;
        this.due = due;
        this.clock = clock;
    }

    static Tasks.Draft about(Claim claim) {
        String key = claim.key().text();
        return new Tasks.Draft(
                KIND,
                key,
                claim.reservationId(),
                "A purchase on " + claim.platform() + " was sent and its worker vanished; " + key
                        + " is not listed there. Look into the platform's console and say whether it exists.",
                "向 " + claim.platform() + " 发出的一次购买没有得到结果，平台上也查不到 " + key + "。请到平台控制台确认它是否存在。",
                JsonNodeFactory.instance.objectNode());
    }

    @Override
    public String name() {
        return KIND;
    }

    @Override
    public List<Choice> choices() {
        return List.of(
                new Choice(ABSENT, "nothing was bought; the reservation may try again", "没有买到，可以为该预订重试", false),
                new Choice("exists", "it exists; it is looked for again", "它存在，重新查找", false));
    }

    @Override
    public Future<Void> answered(SqlConnection connection, Task task, String answer, String who) {
        ClaimKey key = new ClaimKey(task.subject());
        return claims.lock(connection, key).compose(found -> {
            if (found.isEmpty() || found.get().state() != ClaimState.UNKNOWN) {
                return Future.succeededFuture(); // It turned up meanwhile.
            }
            Claim claim = found.get();
            Claim next = answer.equals(ABSENT)
                    ? absent(claim, who, clock.instant())
                    : claim.edit().notListed(0).done();
            return claims.update(connection, claim, next)
                    .compose(done -> due.poke(connection, ClaimStep.KIND, key.text()))
                    .compose(done -> due.poke(connection, "reservation", claim.reservationId()));
        });
    }

    private static Claim absent(Claim claim, String who, Instant now) {
        return claim.edit()
                .state(ClaimState.ABSENT)
                .why(Reason.PLATFORM_UNAVAILABLE, "it does not exist, said " + who)
                .settled(now)
                .watchUntil(now.plus(ClaimStep.WATCH))
                .done();
    }
}
