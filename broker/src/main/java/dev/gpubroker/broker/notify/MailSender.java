package dev.gpubroker.broker.notify;

import dev.gpubroker.broker.config.Notifications;
import dev.gpubroker.broker.config.Notifications.Smtp;
import dev.gpubroker.broker.config.Notifications.Tls;
import dev.gpubroker.broker.delivery.Delivery;
import dev.gpubroker.broker.delivery.Outcome;
import dev.gpubroker.broker.delivery.Receivers;
import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.mail.LoginOption;
import io.vertx.ext.mail.MailClient;
import io.vertx.ext.mail.MailConfig;
import io.vertx.ext.mail.StartTLSOptions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Mails to the addresses of the settings what its readers should know or answer. */
public final class MailSender implements Receivers {
    private static final Set<String> WORTH_A_MAIL = Set.of(
            "reservation.offered",
            "reservation.active",
            "reservation.ends_soon",
            "reservation.completed",
            "reservation.cancelled",
            "reservation.failed",
            "reservation.expired",
            "webhook.switched_off");

    private static final long LONGEST_SECONDS = 30;

    private final Vertx vertx;
    private final Supplier<Notifications> settings;
    private final Mail mail;
    private @Nullable Smtp madeOf;
    private @Nullable MailClient client;

    /** @param settings as they are now */
    public MailSender(Vertx vertx, Supplier<Notifications> settings, String installation, String publicUrl) {
        this.vertx = vertx;
        this.settings = settings;
        this.mail = new Mail(installation, publicUrl);
    }

    @Override
    public String kind() {
        return "mail";
    }

    @Override
    public Future<List<String>> wanting(Message message) {
        boolean wanted = settings.get().smtp() != null && WORTH_A_MAIL.contains(message.topic());
        return Future.succeededFuture(wanted ? List.of("mail") : List.of());
    }

    @Override
    public Future<Outcome> send(Delivery delivery, Message message) {
        Smtp now = settings.get().smtp();
        if (now == null) {
            return Future.succeededFuture(Outcome.gone());
        }
        return client(now)
                .sendMail(mail.of(message, now))
                .timeout(LONGEST_SECONDS, TimeUnit.SECONDS)
                .map(sent -> Outcome.delivered(null))
                .otherwise(fault -> Outcome.again(String.valueOf(fault.getMessage())));
    }

    /** Made anew when a reload changed the settings. */
    private synchronized MailClient client(Smtp smtp) {
        MailClient known = client;
        if (known != null && smtp.equals(madeOf)) {
            return known;
        }
        if (known != null) {
            known.close();
        }
        madeOf = smtp;
        MailClient made = MailClient.create(vertx, config(smtp));
        client = made;
        return made;
    }

    private static MailConfig config(Smtp smtp) {
        MailConfig config = new MailConfig()
                .setHostname(smtp.host())
                .setPort(smtp.port())
                .setSsl(smtp.tls() == Tls.IMPLICIT)
                .setStarttls(smtp.tls() == Tls.STARTTLS ? StartTLSOptions.REQUIRED : StartTLSOptions.DISABLED);
        if (smtp.user() != null && smtp.password() != null) {
            config.setLogin(LoginOption.REQUIRED)
                    .setUsername(smtp.user())
                    .setPassword(smtp.password().value());
        }
        return config;
    }
}
