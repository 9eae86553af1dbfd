package dev.gpubroker.verification.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that wait for their leases, each by long polls on a connection of its own; one thread for all of them, since the
 * machine's cores are shared with the broker.
 */
final class Pollers implements AutoCloseable {
    private static final int MOST_BYTES = 16 * 1024;

    private final String token;
    private final Selector selector;
    private final Thread thread = new Thread(this::work, "pollers");
    private final BlockingQueue<Held> held = new LinkedBlockingQueue<>();
    private final Map<String, Boolean> answered = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private volatile @Nullable Exception fault;

    private Pollers(String token) throws IOException {
        this.token = token;
        this.selector = Selector.open();
    }

    /** @param at on this process's nanosecond clock */
    record Held(String lease, long at) {}

    private record Poller(String lease, SocketChannel channel, ByteBuffer answer) {}

    /** Connects and sends the first poll of each. */
    static Pollers of(URI broker, String token, List<String> leases) throws IOException {
        Pollers pollers = new Pollers(token);
        for (String lease : leases) {
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(broker.getHost(), broker.getPort()));
            Poller poller = new Poller(lease, channel, ByteBuffer.allocate(MOST_BYTES));
            channel.configureBlocking(false);
            pollers.poll(poller);
            channel.register(pollers.selector, SelectionKey.OP_READ, poller);
        }
        pollers.thread.setDaemon(true);
        pollers.thread.start();
        return pollers;
    }

    private void poll(Poller poller) throws IOException {
        ByteBuffer request = StandardCharsets.US_ASCII.encode("GET /v1/leases/" + poller.lease()
                + "?wait=PT60S HTTP/1.1\r\nHost: broker\r\nAuthorization: Bearer " + token + "\r\n\r\n");
        while (request.hasRemaining()) {
            poller.channel().write(request);
        }
    }

    /** The next that is told that it holds its GPUs. */
    Held next(long seconds) throws IOException, InterruptedException {
        Held next = held.poll(seconds, TimeUnit.SECONDS);
        if (next == null) {
            throw new IOException("nobody was told within " + seconds + " s", fault);
        }
        return next;
    }

    /** How many have been told so far. */
    int told() {
        return answered.size();
    }

    private void work() {
        try {
            while (!closed) {
                selector.select();
                List<SelectionKey> ready = new ArrayList<>(selector.selectedKeys());
                selector.selectedKeys().clear();
                long now = System.nanoTime();
                for (SelectionKey key : ready) {
                    read((Poller) key.attachment(), now);
                }
            }
        } catch (IOException | RuntimeException e) {
            fault = e;
        }
    }

    private void read(Poller poller, long now) throws IOException {
        if (poller.channel().read(poller.answer()) < 0) {
            poller.channel().close();
            return;
        }
        String text = new String(poller.answer().array(), 0, poller.answer().position(), StandardCharsets.UTF_8);
        if (!isWhole(text)) {
            return;
        }
        poller.answer().clear();
        if (!text.startsWith("HTTP/1.1 200")) {
            throw new IOException("an answer to a poll: " + text);
        }
        if (text.contains("\"state\":\"held\"")) {
            answered.put(poller.lease(), true);
            held.add(new Held(poller.lease(), now));
        } else {
            poll(poller);
        }
    }

    private static boolean isWhole(String text) {
        int head = text.indexOf("\r\n\r\n");
        if (head < 0) {
            return false;
        }
        for (String line : text.substring(0, head).split("\r\n", -1)) {
            if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
                int length = Integer.parseInt(line.substring(15).strip());
                return text.substring(head + 4).getBytes(StandardCharsets.UTF_8).length >= length;
            }
        }
        return false;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        selector.wakeup();
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }
}
