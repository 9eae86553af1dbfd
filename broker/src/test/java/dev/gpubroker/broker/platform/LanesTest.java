package dev.gpubroker.broker.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.PlatformFault;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class LanesTest {
    private static final Duration A_MOMENT = Duration.ofMillis(1);

    private final Vertx vertx = Vertx.vertx();
    private final ManualWall wall = new ManualWall();
    private final FakeAdapter adapter = FakeAdapter.selling("one");
    private final Lanes lanes =
            new FakeAccounts().with(adapter).with(FakeAdapter.selling("two")).lanes(vertx, wall, Limits.USUAL);
    private final AtomicInteger sent = new AtomicInteger();

    @AfterEach
    void close() {
        await(vertx.close());
    }

    @Test
    void anAnswerComesBackOnTheCallersContext() {
        Context context = vertx.getOrCreateContext();
        Future<Boolean> same =
                Future.future(promise -> context.runOnContext(go -> lanes.call("one", "here", Operation.STOCK, a -> "x")
                        .map(x -> Vertx.currentContext() == context)
                        .onComplete(promise)));

        assertThat(await(same)).isTrue();
    }

    @Test
    void aReadThatFailedFastIsSentOnceMore() {
        assertThat(text(lanes.call("one", "here", Operation.PRICE, a -> {
                    if (sent.incrementAndGet() == 1) {
                        throw unreachable();
                    }
                    return "there";
                })))
                .isEqualTo("there");
        assertThat(sent).hasValue(2);
    }

    @Test
    void aReadIsSentTwiceAtMost() {
        assertThat(failure(Operation.PRICE, unreachable())).isInstanceOf(PlatformFault.class);
        assertThat(sent).hasValue(2);
    }

    @Test
    void aReadWhoseTimeIsUsedUpIsNotSentAgain() {
        Future<Object> call = lanes.call("one", "here", Operation.PRICE, a -> {
            sent.incrementAndGet();
            wall.advance(Duration.ofMillis(800)); // More than half of 1500 ms.
            throw unreachable();
        });

        assertThatThrownBy(() -> await(call)).hasRootCauseInstanceOf(PlatformFault.class);
        assertThat(sent).hasValue(1);
    }

    @Test
    void nothingThatSpendsOrEndsIsSentTwice() {
        for (Operation operation : List.of(Operation.CLAIM, Operation.LAUNCH, Operation.RELEASE, Operation.MOVE_END)) {
            sent.set(0);
            assertThat(failure(operation, unreachable())).isInstanceOf(PlatformFault.class);
            assertThat(sent).as(operation.wireName()).hasValue(1);
        }
    }

    @Test
    void aTimeOutIsNotRepeated() {
        failure(Operation.STOCK, new PlatformFault(PlatformFault.Kind.TIMED_OUT, "no answer"));

        assertThat(sent).hasValue(1);
    }

    @Test
    void aPlatformThatFailsAgainAndAgainIsNotCalledForAWhile() {
        open(Operation.CLAIM);

        assertThat(failure(Operation.CLAIM, unreachable()))
                .isInstanceOf(PlatformBusy.class)
                .hasMessageContaining("claim of one in here")
                .hasMessageContaining("2026-12-01T02:00:05Z");
        assertThat(sent).hasValue(0);
        assertThat(lanes.health().get(0).breaker()).isEqualTo(BreakerState.OPEN);
        assertThat(lanes.health().get(0).notClosed()).containsEntry("here claim", BreakerState.OPEN);
        assertThat(lanes.health().get(1).breaker()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void anOpenBreakerIsOfOneOperationInOneRegionOnly() {
        open(Operation.CLAIM);

        assertThat(answer("one", "here", Operation.STOCK)).isEqualTo("ok");
        assertThat(answer("one", "there", Operation.CLAIM)).isEqualTo("ok");
        assertThat(answer("two", "here", Operation.CLAIM)).isEqualTo("ok");
    }

    @Test
    void theSuccessOfACheapReadDoesNotCloseTheBreakerOfAPurchase() {
        open(Operation.CLAIM);
        for (int i = 0; i < 20; i++) {
            answer("one", "here", Operation.STOCK);
        }

        assertThat(failure(Operation.CLAIM, unreachable())).isInstanceOf(PlatformBusy.class);
    }

    @Test
    void afterTheCoolDownOneProbeAtATimeGoesOut() throws InterruptedException {
        open(Operation.CLAIM);
        wall.advance(Duration.ofSeconds(5).plus(A_MOMENT));
        CountDownLatch mayEnd = new CountDownLatch(1);
        Future<String> probe = lanes.call("one", "here", Operation.CLAIM, a -> held(mayEnd));

        assertThat(failure(Operation.CLAIM, unreachable())).isInstanceOf(PlatformBusy.class);
        mayEnd.countDown();
        assertThat(text(probe)).isEqualTo("ok");
        assertThat(answer("one", "here", Operation.CLAIM)).isEqualTo("ok");
    }

    @Test
    void theCoolDownGrowsToFiveMinutesWhileProbesFail() {
        open(Operation.CLAIM);
        for (int seconds : new int[] {5, 10, 20, 40, 80, 160, 300, 300}) {
            wall.advance(Duration.ofSeconds(seconds).minus(A_MOMENT));
            assertThat(failure(Operation.CLAIM, unreachable())).isInstanceOf(PlatformBusy.class);
            wall.advance(A_MOMENT.multipliedBy(2));
            assertThat(failure(Operation.CLAIM, unreachable())).isInstanceOf(PlatformFault.class);
        }
    }

    @Test
    void theCoolDownGrowsOnWhereAPlatformFlaps() {
        open(Operation.CLAIM);
        wall.advance(Duration.ofSeconds(5).plus(A_MOMENT));
        assertThat(answer("one", "here", Operation.CLAIM)).isEqualTo("ok");

        open(Operation.CLAIM);
        wall.advance(Duration.ofSeconds(9));
        assertThat(failure(Operation.CLAIM, unreachable())).isInstanceOf(PlatformBusy.class);
        wall.advance(Duration.ofSeconds(2));
        assertThat(answer("one", "here", Operation.CLAIM)).isEqualTo("ok");

        wall.advance(Duration.ofMinutes(11));
        open(Operation.CLAIM);
        wall.advance(Duration.ofSeconds(5).plus(A_MOMENT));
        assertThat(answer("one", "here", Operation.CLAIM)).isEqualTo("ok");
    }

    @Test
    void whatGivesBackIsSlowedByHalfAMinuteAtMost() {
        for (Operation operation : List.of(Operation.RELEASE, Operation.FIND, Operation.STATUS)) {
            open(operation);
            for (int round = 0; round < 6; round++) {
                wall.advance(Duration.ofSeconds(30).plus(A_MOMENT));
                assertThat(failure(operation, unreachable())).isInstanceOf(PlatformFault.class);
            }
        }
    }

    @Test
    void anUnknownOutcomeOfAClaimCountsAsAFailure() {
        ClaimKey key = new ClaimKey("test-key-0001");
        for (int i = 0; i < 5; i++) {
            await(lanes.call("one", "here", Operation.CLAIM, a -> new ClaimOutcome.Unknown(key)));
        }

        assertThat(failure(Operation.CLAIM, unreachable())).isInstanceOf(PlatformBusy.class);
    }

    @Test
    void ourOwnBadRequestsDoNotOpenABreaker() {
        for (int i = 0; i < 30; i++) {
            assertThat(failure(Operation.STOCK, new PlatformFault(PlatformFault.Kind.BAD_REQUEST, "no such parameter")))
                    .isInstanceOf(PlatformFault.class);
        }

        assertThat(lanes.health().get(0).breaker()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void aPlatformThatThrottlesIsLeftAloneAsLongAsItAsks() {
        failure(Operation.STOCK, PlatformFault.throttled("Throttling.User", Duration.ofSeconds(7)));
        wall.advance(Duration.ofSeconds(6));
        assertThat(failure(Operation.STOCK, unreachable()))
                .isInstanceOf(PlatformBusy.class)
                .hasMessageContaining("fewer calls");
        wall.advance(Duration.ofSeconds(2));
        assertThat(answer("one", "here", Operation.STOCK)).isEqualTo("ok");
    }

    @Test
    void throttlesLengthenThePauseAndDoNotOpenTheBreaker() {
        for (int seconds : new int[] {1, 2, 4, 8, 16}) {
            failure(Operation.STOCK, PlatformFault.throttled("Throttling.User", null));
            wall.advance(Duration.ofSeconds(seconds).minus(A_MOMENT));
            assertThat(failure(Operation.STOCK, unreachable())).isInstanceOf(PlatformBusy.class);
            wall.advance(A_MOMENT.multipliedBy(2));
        }

        assertThat(lanes.health().get(0).breaker()).isEqualTo(BreakerState.CLOSED);
        assertThat(answer("one", "here", Operation.STOCK)).isEqualTo("ok");
    }

    @Test
    void halfOpeningLetsEveryShutCallTryAtOnce() {
        open(Operation.CLAIM);
        failure(Operation.STOCK, PlatformFault.throttled("Throttling.User", Duration.ofMinutes(1)));

        lanes.halfOpenBreakers();

        assertThat(answer("one", "here", Operation.CLAIM)).isEqualTo("ok");
        assertThat(answer("one", "here", Operation.STOCK)).isEqualTo("ok");
        assertThat(lanes.health().get(0).breaker()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void aFullLaneRefusesAtOnceAndOnlyItsOwnPlatform() throws InterruptedException {
        Lanes narrow = new FakeAccounts()
                .with(adapter)
                .with(FakeAdapter.selling("two"))
                .lanes(vertx, wall, Limits.USUAL.withLane(2, 3));
        CountDownLatch mayEnd = new CountDownLatch(1);
        List<Future<String>> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(narrow.call("one", "here", Operation.STOCK, a -> held(mayEnd)));
        }

        Future<String> fourth = narrow.call("one", "here", Operation.STOCK, a -> "ok");
        assertThat(fourth.cause()).isInstanceOf(PlatformBusy.class);
        assertThat(text(narrow.call("two", "here", Operation.STOCK, a -> "ok"))).isEqualTo("ok");
        assertThat(text(narrow.call("one", "here", Operation.RELEASE, a -> "ok")))
                .isEqualTo("ok");

        mayEnd.countDown();
        held.forEach(LanesTest::await);
        assertThat(text(narrow.call("one", "here", Operation.STOCK, a -> "ok"))).isEqualTo("ok");
    }

    @Test
    void aPurchaseThatWaitedTooLongForAThreadIsNotSent() throws InterruptedException {
        Lanes narrow = new FakeAccounts().with(adapter).lanes(vertx, wall, Limits.USUAL.withLane(1, 5));
        CountDownLatch mayEnd = new CountDownLatch(1);
        Future<String> first = narrow.call("one", "here", Operation.RELEASE, a -> held(mayEnd));
        Future<Integer> purchase = narrow.call("one", "here", Operation.CLAIM, a -> sent.incrementAndGet());
        Future<String> release = narrow.call("one", "here", Operation.RELEASE, a -> "ok");
        wall.advance(Duration.ofSeconds(3));
        mayEnd.countDown();

        assertThatThrownBy(() -> await(purchase)).hasRootCauseInstanceOf(PlatformBusy.class);
        assertThat(sent).hasValue(0);
        assertThat(text(first)).isEqualTo("ok");
        assertThat(text(release)).isEqualTo("ok");
    }

    @Test
    void anAccountKeepsToThePlatformsRateAndStillGivesBack() {
        FakeAdapter slow = new FakeAdapter(FakeAdapter.sellsA100("slow")
                .callsPerSecond(new BigDecimal("0.01"))
                .build());
        Lanes paced = new FakeAccounts().withReal(slow).lanes(vertx, wall, Limits.USUAL);

        assertThat(text(paced.call("slow", "here", Operation.STOCK, a -> "ok"))).isEqualTo("ok");
        for (Operation operation : List.of(Operation.STOCK, Operation.CLAIM)) {
            assertThat(paced.call("slow", "here", operation, a -> "ok").cause())
                    .isInstanceOf(PlatformBusy.class)
                    .hasMessageContaining("0.01 a second");
        }
        assertThat(text(paced.call("slow", "here", Operation.RELEASE, a -> "ok")))
                .isEqualTo("ok");
    }

    @Test
    void aSimulatedAccountMayCallAsOftenAsItLikes() {
        for (int i = 0; i < 50; i++) {
            assertThat(answer("one", "here", Operation.STOCK)).isEqualTo("ok");
        }
    }

    @Test
    void anErrorOfTheAdapterItselfCountsAndArrives() {
        Future<String> call = lanes.call("one", "here", Operation.CLAIM, a -> {
            throw new IllegalStateException("a bug");
        });

        assertThatThrownBy(() -> await(call)).hasRootCauseInstanceOf(IllegalStateException.class);
        assertThat(lanes.health().get(0).lastFault()).isEqualTo("a bug");
    }

    @Test
    void whoIsNotInTheSettingsIsNotCalled() {
        assertThat(lanes.call("gone", "here", Operation.RELEASE, a -> "ok").cause())
                .isInstanceOf(PlatformBusy.class);
    }

    // ---- helpers ---------------------------------------------------------------------------------

    private void open(Operation operation) {
        for (int i = 0; i < 10 && !isOpen(operation); i++) {
            failure(operation, new PlatformFault(PlatformFault.Kind.TIMED_OUT, "no answer"));
        }
        assertThat(isOpen(operation)).isTrue();
        sent.set(0);
    }

    private boolean isOpen(Operation operation) {
        return lanes.health().get(0).notClosed().get("here " + operation.wireName()) == BreakerState.OPEN;
    }

    private Throwable failure(Operation operation, RuntimeException fault) {
        Future<Throwable> call = lanes.call("one", "here", operation, a -> {
            sent.incrementAndGet();
            throw fault;
        });
        return await(call.recover(Future::succeededFuture));
    }

    private String answer(String account, String region, Operation operation) {
        return await(lanes.call(account, region, operation, a -> "ok"));
    }

    private static String held(CountDownLatch mayEnd) {
        try {
            if (!mayEnd.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("held for ever");
            }
            return "ok";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static PlatformFault unreachable() {
        return new PlatformFault(PlatformFault.Kind.UNREACHABLE, "connection refused");
    }

    private static String text(Future<String> future) {
        return await(future);
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
