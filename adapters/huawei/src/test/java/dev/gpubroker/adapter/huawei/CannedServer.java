package dev.gpubroker.adapter.huawei;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Answers each request with the next of some raw answers; where there is none left it reads the request and closes. */
final class CannedServer implements AutoCloseable {
    private final ServerSocket listener;
    private final Queue<String> answers;
    private final List<String> requests = new CopyOnWriteArrayList<>();

    CannedServer(String... answers) {
        this.answers = new ArrayDeque<>(List.of(answers));
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
        Thread thread = new Thread(this::accept, "canned-server");
        thread.setDaemon(true);
        thread.start();
    }

    static String json(String body) {
        return answer("200 OK", "application/json", body);
    }

    static String answer(String status, String type, String body) {
        return "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body;
    }

    String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    /** The first lines of the requests that arrived, without the protocol. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try (Socket socket = listener.accept()) {
                serve(socket);
            } catch (IOException gone) {
                // The client or the test closed it; the next connection decides.
                continue;
            }
        }
    }

    private void serve(Socket socket) throws IOException {
        for (String request = read(socket.getInputStream()); request != null; request = read(socket.getInputStream())) {
            requests.add(request);
            String answer = answers.poll();
            if (answer == null) {
                return;
            }
            socket.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().flush();
            if (answer.contains("X-Then: close")) {
                return;
            }
        }
    }

    /** Reads one request whole. */
    private static @Nullable String read(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                return null;
            }
            head.write(next);
        }
        String text = head.toString(StandardCharsets.ISO_8859_1);
        for (String line : text.split("\r\n")) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                in.readNBytes(Integer.parseInt(line.substring(15).strip()));
            }
        }
        return text.substring(0, text.indexOf(" HTTP/"));
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }
}
