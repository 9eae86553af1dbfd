package dev.gpubroker.verification.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One kept-open HTTP/1.1 connection that sends one request at a time. The machine's cores are shared with the broker, so a load
 * generator must cost as little as can be; a full client would be measured as well.
 */
final class Wire implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;

    private final URI root;
    private final String host;
    private final String token;
    private final Socket socket = new Socket();
    private final BufferedInputStream in;

    Wire(URI root, String token) throws IOException {
        this.root = root;
        this.host = root.getHost() + ":" + root.getPort();
        this.token = token;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.connect(new InetSocketAddress(root.getHost(), root.getPort()), PATIENCE_MILLIS);
        in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
    }

    record Reply(int status, String body) {}

    Reply get(String path) throws IOException {
        return exchange("GET " + path, "", "");
    }

    Reply post(String path, String body, String idempotencyKey) throws IOException {
        return exchange("POST " + path, "Idempotency-Key: " + idempotencyKey + "\r\n", body);
    }

    /** A call that spends nothing. */
    Reply post(String path) throws IOException {
        return exchange("POST " + path, "", "");
    }

    /** Another connection to the same broker. */
    Wire another() throws IOException {
        return new Wire(root, token);
    }

    private Reply exchange(String call, String headers, String body) throws IOException {
        byte[] payload = body.getBytes(StandardCharsets.UTF_8);
        byte[] head = (call + " HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + token
                        + "\r\nContent-Type: application/json\r\n" + headers + "Content-Length: " + payload.length
                        + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] whole = new byte[head.length + payload.length];
        System.arraycopy(head, 0, whole, 0, head.length);
        System.arraycopy(payload, 0, whole, head.length, payload.length);
        socket.getOutputStream().write(whole);
        return read();
    }

    private Reply read() throws IOException {
        String status = line();
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(header.substring(15).trim());
            } else if (lower.startsWith("transfer-encoding:")) {
                throw new IOException("an answer without a length: " + header);
            }
        }
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("the answer was cut off");
        }
        return new Reply(Integer.parseInt(status.substring(9, 12)), new String(body, StandardCharsets.UTF_8));
    }

    private String line() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection was closed");
            }
            if (next != '\r') {
                text.append((char) next);
            }
        }
        return text.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
