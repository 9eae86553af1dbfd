package dev.gpubroker.broker.notify;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.parsetools.RecordParser;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** As much of RFC 5321 as takes a mail, or refuses it. */
final class SmtpServer implements AutoCloseable {
    private final NetServer server;
    final int port;
    final List<String> mails = new CopyOnWriteArrayList<>();
    volatile boolean refuses;

    SmtpServer(Vertx vertx) {
        server = vertx.createNetServer().connectHandler(this::greet);
        port = server.listen(0, "127.0.0.1").await().actualPort();
    }

    private void greet(NetSocket socket) {
        StringBuilder mail = new StringBuilder();
        boolean[] data = {false};
        RecordParser lines = RecordParser.newDelimited("\r\n", socket);
        lines.handler(line -> socket.write(answer(line, mail, data)));
        socket.write("220 here\r\n");
    }

    private Buffer answer(Buffer line, StringBuilder mail, boolean[] data) {
        String text = line.toString();
        if (data[0]) {
            if (!text.equals(".")) {
                mail.append(text).append("\n");
                return Buffer.buffer();
            }
            data[0] = false;
            mails.add(mail.toString());
            mail.setLength(0);
            return Buffer.buffer("250 taken\r\n");
        }
        String word = text.substring(0, Math.min(4, text.length())).toUpperCase(Locale.ROOT);
        data[0] = word.equals("DATA");
        return Buffer.buffer(
                switch (word) {
                    case "DATA" -> "354 go on\r\n";
                    case "MAIL" -> refuses ? "451 not now\r\n" : "250 ok\r\n";
                    case "QUIT" -> "221 bye\r\n";
                    default -> "250 ok\r\n";
                });
    }

    @Override
    public void close() {
        server.close().await();
    }
}
