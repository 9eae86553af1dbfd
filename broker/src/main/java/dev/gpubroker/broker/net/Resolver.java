package dev.gpubroker.broker.net;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Finds the addresses of a name. */
@FunctionalInterface
public interface Resolver {
    /** At least one; fails if there is none. */
    Future<List<InetAddress>> resolve(String host);

    /** As the machine itself does, on threads of its own, since it blocks. */
    static Resolver ofTheMachine(Vertx vertx) {
        WorkerExecutor threads = vertx.createSharedWorkerExecutor("names", 4, 20, TimeUnit.SECONDS);
        return host -> threads.executeBlocking(() -> List.of(InetAddress.getAllByName(host)), false);
    }
}
