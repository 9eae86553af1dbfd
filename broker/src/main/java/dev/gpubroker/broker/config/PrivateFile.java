package dev.gpubroker.broker.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;

/** Secrets that the broker makes itself: one short line in a file that only its owner may read (0600). */
public final class PrivateFile {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int RANDOM_BYTES = 24;

    private PrivateFile() {}

    /** The secret in {@code file}; made at random, 32 URL-safe characters, if there is none yet. */
    public static Secret readOrMake(Path file) {
        return readOrMake(file, RANDOM_BYTES);
    }

    /** The same with so many random bytes, in URL-safe base64. */
    public static Secret readOrMake(Path file, int bytes) {
        try {
            if (!Files.exists(file)) {
                make(file, bytes);
            }
            String line = Files.readString(file, StandardCharsets.UTF_8).strip();
            if (line.isEmpty()) {
                throw new StartException(
                        file + " is empty. Put the secret back, or delete the file if it may be made anew.");
            }
            return new Secret(line);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read or make " + file, e);
        }
    }

    /** Makes the folder, and those above it that are missing, for its owner only (0700); one that is there stays as it is. */
    public static Path folder(Path folder) {
        try {
            return Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new StartException(
                    "The data folder " + folder + " cannot be made (" + e.getMessage()
                            + "). Set GPU_BROKER_DATA to a folder that this user may write.",
                    e);
        }
    }

    /** Written beside it, flushed and renamed, so that a crash never leaves half a secret. */
    private static void make(Path file, int bytes) throws IOException {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        try (FileChannel channel = FileChannel.open(
                fresh,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer line = ByteBuffer.wrap((secret + "\n").getBytes(StandardCharsets.UTF_8));
            while (line.hasRemaining()) {
                channel.write(line);
            }
            channel.force(true);
        } catch (FileAlreadyExistsException e) {
            throw new IOException(fresh + " was made by somebody else at the same moment", e);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
