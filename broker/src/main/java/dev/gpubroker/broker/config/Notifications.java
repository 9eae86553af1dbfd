package dev.gpubroker.broker.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** News that goes to the operator by e-mail; webhooks are made through the API. */
public record Notifications(@Nullable Smtp smtp) {
    public static final Notifications NONE = new Notifications(null);

    /**
     * @param user null where the server asks for none
     * @param from the sender's address
     * @param to receivers, at least one
     */
    public record Smtp(
            String host,
            int port,
            @Nullable String user,
            @Nullable Secret password,
            String from,
            List<String> to,
            Tls tls) {
        public Smtp {
            to = List.copyOf(to);
        }
    }

    /** How a connection to the mail server is protected. */
    public enum Tls {
        NONE,
        /** Begins in the clear and changes over; refused if the server cannot. */
        STARTTLS,
        /** From the first byte, usually on port 465. */
        IMPLICIT
    }
}
