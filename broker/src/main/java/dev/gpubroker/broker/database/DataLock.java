package dev.gpubroker.broker.database;

import dev.gpubroker.broker.config.StartException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** One broker per data folder: a lock that the operating system drops with the process, however it dies. */
final class DataLock implements AutoCloseable {
    private final FileChannel channel;

    private DataLock(FileChannel channel) {
        this.channel = channel;
    }

    /** @throws StartException if another process, or another database of this one, holds it */
    static DataLock take(Path data) {
        Path file = data.resolve("broker.lock");
        try {
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (tryLock(channel) == null) {
                String holder = read(channel);
                channel.close();
                throw new StartException("Another broker" + holder + " already uses the data folder " + data
                        + ". Stop it, or give this one a folder of its own with GPU_BROKER_DATA.");
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)));
            return new DataLock(channel);
        } catch (IOException e) {
            throw new StartException(
                    "The lock file " + file + " cannot be used (" + e.getMessage()
                            + "). Set GPU_BROKER_DATA to a folder that this user may write.",
                    e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static String read(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(32);
        channel.read(text, 0);
        String pid = new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII).strip();
        return pid.matches("\\d+") ? " (process " + pid + ")" : "";
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
