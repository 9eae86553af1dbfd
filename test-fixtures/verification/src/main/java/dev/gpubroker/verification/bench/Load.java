package dev.gpubroker.verification.bench;

import dev.gpubroker.verification.bench.Wire.Reply;
import dev.gpubroker.verification.lab.BrokerProcess;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Sends requests from several connections and keeps every latency. */
final class Load {
    private final URI broker;

    Load(URI broker) {
        this.broker = broker;
    }

    /** One call: sends something new and looks whether the answer is right; throws where it is wrong. */
    @FunctionalInterface
    interface Call {
        Reply send(Wire wire, long number) throws IOException;
    }

    /**
     * What came of it.
     *
     * @param replies in no order
     */
    record Outcome(Latencies latencies, List<Reply> replies, Duration took) {
        double perSecond() {
            return replies.size() / (took.toNanos() / 1e9);
        }

        long withStatus(int status) {
            return replies.stream().filter(reply -> reply.status() == status).count();
        }
    }

    private record Timed(Reply reply, long nanos) {}

    /** Each client sends its next request when the last was answered: what the broker can do at most. */
    Outcome closed(int clients, Duration length, Call call) throws IOException, InterruptedException {
        AtomicLong numbers = new AtomicLong();
        long start = System.nanoTime();
        long end = start + length.toNanos();
        return run(clients, start, (wire, into) -> {
            for (long sent = System.nanoTime(); sent - end < 0; sent = System.nanoTime()) {
                Reply reply = call.send(wire, numbers.getAndIncrement());
                into.add(new Timed(reply, System.nanoTime() - sent));
            }
        });
    }

    /** As {@link #closed}, for so many requests however long they take. */
    Outcome exactly(int clients, long requests, Call call) throws IOException, InterruptedException {
        AtomicLong numbers = new AtomicLong();
        return run(clients, System.nanoTime(), (wire, into) -> {
            for (long number = numbers.getAndIncrement(); number < requests; number = numbers.getAndIncrement()) {
                long sent = System.nanoTime();
                Reply reply = call.send(wire, number);
                into.add(new Timed(reply, System.nanoTime() - sent));
            }
        });
    }

    /**
     * Requests leave at a fixed rate whatever the broker does. A latency counts from the instant at which the request was meant to
     * leave: where all connections are busy it leaves late, and that wait is the caller's too.
     */
    Outcome open(int connections, double perSecond, Duration length, Call call)
            throws IOException, InterruptedException {
        AtomicLong numbers = new AtomicLong();
        long start = System.nanoTime();
        long requests = Math.round(length.toNanos() / 1e9 * perSecond);
        double apart = 1e9 / perSecond;
        return run(connections, start, (wire, into) -> {
            for (long number = numbers.getAndIncrement(); number < requests; number = numbers.getAndIncrement()) {
                long meant = start + Math.round(number * apart);
                for (long wait = meant - System.nanoTime(); wait > 0; wait = meant - System.nanoTime()) {
                    LockSupport.parkNanos(wait);
                }
                Reply reply = call.send(wire, number);
                into.add(new Timed(reply, System.nanoTime() - meant));
            }
        });
    }

    @FunctionalInterface
    private interface Client {
        void work(Wire wire, List<Timed> into) throws IOException;
    }

    private Outcome run(int clients, long start, Client client) throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<Callable<List<Timed>>> each = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                each.add(() -> {
                    List<Timed> timed = new ArrayList<>();
                    try (Wire wire = new Wire(broker, BrokerProcess.TOKEN)) {
                        client.work(wire, timed);
                    }
                    return timed;
                });
            }
            List<Timed> all = new ArrayList<>();
            for (Future<List<Timed>> done : threads.invokeAll(each)) {
                all.addAll(done.get());
            }
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            return new Outcome(
                    new Latencies(all.stream().mapToLong(Timed::nanos).toArray()),
                    all.stream().map(Timed::reply).toList(),
                    took);
        } catch (ExecutionException failed) {
            throw new IOException("a client of the load failed", failed.getCause());
        } finally {
            threads.shutdownNow();
            threads.awaitTermination(1, TimeUnit.MINUTES);
        }
    }
}
