package dev.gpubroker.verification.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Calls that leave at the same moment. */
final class Together {
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        return thread;
    });

    private Together() {}

    static <T> List<T> run(List<Callable<T>> calls) throws InterruptedException {
        List<T> results = new ArrayList<>();
        for (Future<T> call : THREADS.invokeAll(calls)) {
            results.add(resultOf(call));
        }
        return results;
    }

    /** Begins something that goes on beside the simulation. */
    static <T> Future<T> begin(Callable<T> call) {
        return THREADS.submit(call);
    }

    static <T> T resultOf(Future<T> call) throws InterruptedException {
        try {
            return call.get();
        } catch (ExecutionException fault) {
            if (fault.getCause() instanceof RuntimeException broken) {
                throw broken;
            }
            throw new IllegalStateException(fault.getCause());
        }
    }
}
