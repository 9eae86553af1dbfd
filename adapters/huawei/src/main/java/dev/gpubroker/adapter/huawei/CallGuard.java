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
 *   <li>one deadline for the whole call; the SDK knows only one for connecting and one between two bytes;
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
        return guarded(new Attempt(true), limit, call);
    }

    /** Makes a call that is sent once or not at all. */
    <T> T once(Duration limit, Supplier<T> call) {
        return guarded(new Attempt(false), limit, call);
    }

    private <T> T guarded(Attempt attempt, Duration limit, Supplier<T> call) {
        ScheduledFuture<?> alarm = alarms.schedule(attempt::expire, limit.toMillis(), TimeUnit.MILLISECONDS);
        current.set(attempt);
        try {
            return call.get();
        } catch (WireFault judged) {
            throw judged;
        } catch (RuntimeException broken) {
            throw attempt.fault(broken);
        } finally {
            current.remove();
            alarm.cancel(false);
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
    private static final class Attempt {
        private final boolean mayRepeat;
        private @Nullable Call call;
        private boolean sent;
        private boolean expired;

        Attempt(boolean mayRepeat) {
            this.mayRepeat = mayRepeat;
        }

        synchronized void started(Call started) {
            call = started;
            if (expired) {
                started.cancel();
            }
        }

        synchronized void sending(Call again) {
            if (expired || (sent && !mayRepeat)) {
                again.cancel(); // Closes the socket: nothing that is written now leaves.
            } else {
                sent = true;
            }
        }

        synchronized void expire() {
            expired = true;
            if (call != null) {
                call.cancel();
            }
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
