package dev.gpubroker.broker.net;

import io.vertx.core.Future;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Names with the answers that a test wrote down: one after the other, the last one for ever. */
public final class FakeResolver implements Resolver {
    private final Map<String, Deque<List<InetAddress>>> answers = new HashMap<>();
    private int questions;

    /** @param addresses of one answer */
    public FakeResolver then(String host, String... addresses) {
        answers.computeIfAbsent(host, name -> new ArrayDeque<>())
                .add(Arrays.stream(addresses).map(FakeResolver::address).toList());
        return this;
    }

    int questions() {
        return questions;
    }

    @Override
    public synchronized Future<List<InetAddress>> resolve(String host) {
        questions++;
        Deque<List<InetAddress>> known = answers.get(host);
        if (known != null) {
            return Future.succeededFuture(known.size() > 1 ? known.removeFirst() : known.getFirst());
        }
        return host.matches("[0-9a-f.:]+")
                ? Future.succeededFuture(List.of(address(host)))
                : Future.failedFuture(new UnknownHostException(host));
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(text, e);
        }
    }
}
