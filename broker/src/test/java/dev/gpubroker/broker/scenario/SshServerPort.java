package dev.gpubroker.broker.scenario;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A port of this computer on which nobody listens. */
final class SshServerPort {
    private SshServerPort() {}

    static int closed() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
