package dev.gpubroker.adapter.huawei;

import com.huaweicloud.sdk.core.exception.RequestTimeoutException;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import okhttp3.Call;
import okhttp3.EventListener;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the SDK and the network and adds what its settings cannot say:
 *
 * <ul>
 *   <li>one deadline for the whole exchange; the SDK knows only one for connecting and one between two bytes. It runs from the moment
 *       the HTTP client begins, so that the loading of classes at the very first call does not count;
 *   <li>a claim or release is sent once: OkHttp sends a POST again when a kept connection breaks, when a host has several addresses,
 *       and after 408 or 503;
 *   <li>whether anything was sent at all, which decides between "nothing was taken" and "unknown".
 * </ul>
 *
 * OkHttp calls back on the thread that makes the call.
 */
final class CallGuard extends EventListener implements AutoCloseable {
    private final ThreadLocal<@Nullable Attempt> current = new ThreadLocal<>();
    private final ScheduledThreadPoolExecutor alarms;

    CallGuard(String account) {
        alarms = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "huawei-deadlines-" + account);
            thread.setDaemon(true);
            return thread;
        });
        alarms.setRemoveOnCancelPolicy(true);
    }

    /** Makes a call that may be sent again by the HTTP client. */
    <T> T read(Duration limit, Supplier<T> call) {
        return guarded(new Attempt(true, limit), call);
    }

    /** Makes a call that is sent once or not at all. */
    <T> T once(Duration limit, Supplier<T> call) {
        return guarded(new Attempt(false, limit), call);
    }

    private <T> T guarded(Attempt attempt, Supplier<T> call) {
        current.set(attempt);
        try {
            return call.get();
        } catch (WireFault judged) {
            throw judged;
        } catch (RuntimeException broken) {
            throw attempt.fault(broken);
        } finally {
            current.remove();
            attempt.ended();
        }
    }

    @Override
    public void callStart(Call call) {
        Attempt attempt = current.get();
        if (attempt != null) {
            attempt.started(call);
        }
    }

    /** The last moment before bytes leave. */
    @Override
    public void requestHeadersStart(Call call) {
        Attempt attempt = current.get();
        if (attempt != null) {
            attempt.sending(call);
        }
    }

    @Override
    public void close() {
        alarms.shutdownNow();
    }

    /** One call, with every time the HTTP client tries to send it. */
    private final class Attempt {
        private final boolean mayRepeat;
        private final Duration limit;
        private @Nullable ScheduledFuture<?> alarm;
        private boolean sent;
        private boolean expired;

        Attempt(boolean mayRepeat, Duration limit) {
            this.mayRepeat = mayRepeat;
            this.limit = limit;
        }

        synchronized void started(Call call) {
            alarm = alarms.schedule(() -> expire(call), limit.toMillis(), TimeUnit.MILLISECONDS);
        }

        synchronized void ended() {
            if (alarm != null) {
                alarm.cancel(false);
            }
        }

        synchronized void sending(Call again) {
            if (expired || (sent && !mayRepeat)) {
                again.cancel(); // Closes the socket: nothing that is written now leaves.
            } else {
                sent = true;
            }
        }

        private synchronized void expire(Call call) {
            expired = true;
            call.cancel();
        }

        synchronized WireFault fault(RuntimeException broken) {
            String what = broken.getClass().getSimpleName();
            if (!sent) {
                return WireFault.of(WireFault.Kind.NOT_SENT, expired ? what + ", out of time" : what, broken);
            }
            boolean late = expired || broken instanceof RequestTimeoutException;
            return WireFault.of(late ? WireFault.Kind.TIMED_OUT : WireFault.Kind.BROKEN, what, broken);
        }
    }
}
