package dev.gpubroker.broker.config;

import java.nio.file.Path;

/** The one token of the administrator: as set, else made at the first start. */
public final class AdminToken {
    private AdminToken() {}

    /** Where a token is kept that nobody set. */
    public static Path file(Path data) {
        return data.resolve("admin-token");
    }

    /** The token as set, else the one in {@link #file}, which is made (0600) if it is missing. */
    public static Secret of(Settings settings) {
        Secret set = settings.adminToken();
        return set != null ? set : PrivateFile.readOrMake(file(PrivateFile.folder(settings.data())));
    }
}
