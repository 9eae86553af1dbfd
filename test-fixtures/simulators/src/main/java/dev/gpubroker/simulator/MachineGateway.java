package dev.gpubroker.simulator;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;

/**
 * The door to all machines of a simulated platform, on a loopback port of its own. It leads to the SSH server that the control
 * named. Where none is named it says who it is, as a machine that is up would, and closes: nobody can log in.
 */
final class MachineGateway {
    /** The line with which an SSH server begins (RFC 4253, 4.2). */
    private static final String GREETING = "SSH-2.0-GpuBrokerSimulator nobody-logs-in-here\r\n";

    private final SimulatedPlatform platform;
    private final NetServer server;
    private final NetClient client;

    private MachineGateway(Vertx vertx, SimulatedPlatform platform, int port) {
        this.platform = platform;
        this.client = vertx.createNetClient();
        this.server = vertx.createNetServer(
                        new NetServerOptions().setHost("127.0.0.1").setPort(port))
                .connectHandler(this::connected);
    }

    /** On the port that the platform had before, so that what was told of its machines stays true; else on a free one. */
    static Future<MachineGateway> start(Vertx vertx, SimulatedPlatform platform) {
        return listen(vertx, platform, platform.gatewayPort())
                .recover(taken -> listen(vertx, platform, 0))
                .onSuccess(gateway -> platform.gatewayAt(gateway.server.actualPort()));
    }

    private static Future<MachineGateway> listen(Vertx vertx, SimulatedPlatform platform, int port) {
        MachineGateway gateway = new MachineGateway(vertx, platform, port);
        return gateway.server.listen().map(gateway);
    }

    Future<Void> stop() {
        return server.close().eventually(client::close);
    }

    private void connected(NetSocket caller) {
        caller.exceptionHandler(broken -> caller.close());
        SimAccess behind = platform.access();
        if (behind == null) {
            caller.end(io.vertx.core.buffer.Buffer.buffer(GREETING));
            return;
        }
        caller.pause();
        client.connect(behind.port(), behind.host())
                .onFailure(nobodyThere -> caller.close())
                .onSuccess(machine -> {
                    machine.exceptionHandler(broken -> machine.close());
                    machine.pipeTo(caller);
                    caller.pipeTo(machine);
                });
    }
}
