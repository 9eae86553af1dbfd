package dev.gpubroker.broker.access;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a conversation with an SSH server (RFC 4253), up to the message in which it shows its host key; then it is
 * broken off. Nobody logs in and nothing is encrypted. That the server holds the key's other half is not checked here: every
 * {@code ssh} that uses the key does.
 */
final class SshGreeting {
    private static final String OURS = "SSH-2.0-gpu-broker";
    private static final int LONGEST_LINE = 255;
    /** A server may say something else before its greeting. */
    private static final int MOST_LINES = 50;

    private static final int LONGEST_PACKET = 256 * 1024;
    private static final int MOST_PACKETS = 20;

    private static final int KEXINIT = 20;
    private static final int KEX_ECDH_INIT = 30;
    private static final int KEX_ECDH_REPLY = 31;
    /** Of each pair the first that both know is used (RFC 4253, 7.1). */
    private static final List<String> EXCHANGES =
            List.of("curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256");

    private static final List<String> KEYS = List.of(
            "ssh-ed25519",
            "ecdsa-sha2-nistp256",
            "ecdsa-sha2-nistp384",
            "ecdsa-sha2-nistp521",
            "rsa-sha2-512",
            "rsa-sha2-256");
    private static final String CIPHERS =
            "aes128-ctr,aes256-ctr,aes128-gcm@openssh.com,aes256-gcm@openssh.com," + "chacha20-poly1305@openssh.com";
    private static final String MACS = "hmac-sha2-256,hmac-sha2-512,hmac-sha2-256-etm@openssh.com";

    private static final SecureRandom RANDOM = new SecureRandom();

    private SshGreeting() {}

    /**
     * What came of it.
     *
     * @param server its own name; null if it did not greet
     * @param hostKey kind and Base64 as in {@code known_hosts}; null if it showed none
     * @param reached whether anything at all is behind the address: a refusal counts, silence does not
     * @param detail for a person, if it did not greet
     */
    record Heard(@Nullable String server, @Nullable String hostKey, boolean reached, String detail) {
        static Heard nothing(boolean reached, String detail) {
            return new Heard(null, null, reached, detail);
        }
    }

    /** Blocks for at most three times {@code patience}. */
    static Heard from(InetSocketAddress address, Duration patience) {
        boolean connected = false;
        try (Socket socket = new Socket()) {
            socket.connect(address, (int) patience.toMillis());
            connected = true;
            socket.setSoTimeout((int) patience.toMillis());
            long until = System.nanoTime() + patience.toNanos() * 2;
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            String server = greeting(in);
            if (server == null) {
                return Heard.nothing(true, "what answers there is no SSH server");
            }
            return new Heard(
                    server, hostKey(in, socket.getOutputStream(), until).orElse(null), true, server);
        } catch (ConnectException refused) {
            return Heard.nothing(
                    String.valueOf(refused.getMessage()).contains("refused"), String.valueOf(refused.getMessage()));
        } catch (IOException broken) {
            String words = broken.getMessage() == null ? broken.getClass().getSimpleName() : broken.getMessage();
            return Heard.nothing(connected, words);
        }
    }

    private static @Nullable String greeting(InputStream in) throws IOException {
        for (int line = 0; line < MOST_LINES; line++) {
            StringBuilder text = new StringBuilder();
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0 || text.length() > LONGEST_LINE) {
                    return null;
                }
                text.append((char) next);
            }
            String said = text.toString().strip();
            if (said.startsWith("SSH-2.0-") || said.startsWith("SSH-1.99-")) {
                return said.chars().allMatch(each -> each >= ' ' && each <= '~') ? said : null;
            }
        }
        return null;
    }

    /** Empty if the server speaks none of our dialects or breaks off: it greeted, and that is enough. */
    private static Optional<String> hostKey(DataInputStream in, OutputStream out, long until) {
        try {
            out.write((OURS + "\r\n").getBytes(StandardCharsets.US_ASCII));
            out.write(packet(offer()));
            out.flush();
            byte[] theirs = next(in, KEXINIT, until);
            String exchange = exchange(theirs);
            if (exchange == null) {
                return Optional.empty();
            }
            out.write(packet(half(exchange)));
            out.flush();
            byte[] key = string(next(in, KEX_ECDH_REPLY, until), 1);
            String kind = new String(string(key, 0), StandardCharsets.US_ASCII);
            return kind.matches("[a-z0-9@.-]{1,64}")
                    ? Optional.of(kind + " " + Base64.getEncoder().encodeToString(key))
                    : Optional.empty();
        } catch (IOException | GeneralSecurityException | IndexOutOfBoundsException brokenOff) {
            return Optional.empty();
        }
    }

    private static byte[] offer() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(KEXINIT);
        byte[] cookie = new byte[16];
        RANDOM.nextBytes(cookie);
        out.write(cookie);
        List<String> lists = List.of(
                String.join(",", EXCHANGES),
                String.join(",", KEYS),
                CIPHERS,
                CIPHERS,
                MACS,
                MACS,
                "none",
                "none",
                "",
                "");
        for (String list : lists) {
            write(out, list.getBytes(StandardCharsets.US_ASCII));
        }
        out.writeBoolean(false);
        out.writeInt(0);
        return bytes.toByteArray();
    }

    /** Of the server's lists the first names its exchanges; it stands behind the cookie. */
    private static @Nullable String exchange(byte[] theirs) {
        List<String> known = Arrays.asList(new String(string(theirs, 17), StandardCharsets.US_ASCII).split(","));
        return EXCHANGES.stream().filter(known::contains).findFirst().orElse(null);
    }

    /** Our half of the exchange. The secret that would follow from it is never needed. */
    private static byte[] half(String exchange) throws IOException, GeneralSecurityException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(KEX_ECDH_INIT);
        write(out, exchange.startsWith("curve25519") ? anyPoint() : pointOfP256());
        return bytes.toByteArray();
    }

    /** Every 32 bytes are a point of this curve. */
    private static byte[] anyPoint() {
        byte[] point = new byte[32];
        RANDOM.nextBytes(point);
        return point;
    }

    private static byte[] pointOfP256() throws GeneralSecurityException {
        KeyPairGenerator keys = KeyPairGenerator.getInstance("EC");
        keys.initialize(new ECGenParameterSpec("secp256r1"));
        ECPublicKey key = (ECPublicKey) keys.generateKeyPair().getPublic();
        byte[] point = new byte[65];
        point[0] = 4; // Not compressed.
        put(key.getW().getAffineX(), point, 1);
        put(key.getW().getAffineY(), point, 33);
        return point;
    }

    private static void put(BigInteger number, byte[] into, int at) {
        byte[] bytes = number.toByteArray();
        int from = Math.max(0, bytes.length - 32);
        System.arraycopy(bytes, from, into, at + 32 - (bytes.length - from), bytes.length - from);
    }

    private static byte[] packet(byte[] payload) throws IOException {
        int padding = 8 - (payload.length + 5) % 8;
        padding += padding < 4 ? 8 : 0;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(1 + payload.length + padding);
        out.writeByte(padding);
        out.write(payload);
        out.write(new byte[padding]);
        return bytes.toByteArray();
    }

    /** The payload of the next packet of that kind; others are passed over. */
    private static byte[] next(DataInputStream in, int kind, long until) throws IOException {
        for (int count = 0; count < MOST_PACKETS && System.nanoTime() < until; count++) {
            int length = in.readInt();
            if (length < 2 || length > LONGEST_PACKET) {
                throw new IOException("a packet of " + length + " bytes");
            }
            byte[] packet = in.readNBytes(length);
            int end = length - (packet[0] & 0xff);
            if (packet.length == length && end > 1 && packet[1] == kind) {
                return Arrays.copyOfRange(packet, 1, end);
            }
        }
        throw new IOException("no such packet came");
    }

    private static byte[] string(byte[] from, int at) {
        long length = new BigInteger(1, Arrays.copyOfRange(from, at, at + 4)).longValue();
        if (at + 4 + length > from.length) {
            throw new IndexOutOfBoundsException(length);
        }
        return Arrays.copyOfRange(from, at + 4, at + 4 + (int) length);
    }

    private static void write(DataOutputStream out, byte[] string) throws IOException {
        out.writeInt(string.length);
        out.write(string);
    }
}
