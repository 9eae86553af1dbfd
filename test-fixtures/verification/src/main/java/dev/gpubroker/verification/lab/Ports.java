package dev.gpubroker.verification.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Ports of the loopback address that nobody uses, none given twice. */
public final class Ports {
    /** Below the range from which the system takes ports for outgoing connections, so that none of those takes one of ours. */
    private static final int FROM = 20_000;

    private static final int TO = 32_000;
    private static final int TRIES = 200;

    private final Set<Integer> given = new HashSet<>();

    /** A port whose successor is free as well, for what needs two. */
    public synchronized int pair() throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FROM, TO);
            if (!given.contains(port) && !given.contains(port + 1) && isFree(port) && isFree(port + 1)) {
                given.add(port);
                given.add(port + 1);
                return port;
            }
        }
        throw new IOException("no two free ports in a row between " + FROM + " and " + TO);
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
