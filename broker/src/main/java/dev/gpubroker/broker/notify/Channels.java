package dev.gpubroker.broker.notify;

import dev.gpubroker.broker.config.Notifications;
import dev.gpubroker.broker.config.Notifications.Smtp;
import dev.gpubroker.broker.config.Notifications.Tls;
import io.vertx.core.Vertx;
import io.vertx.ext.mail.LoginOption;
import io.vertx.ext.mail.MailClient;
import io.vertx.ext.mail.MailConfig;
import io.vertx.ext.mail.StartTLSOptions;
import io.vertx.ext.web.client.WebClient;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The ways out that the settings name; made anew when a reload changed them. */
public final class Channels implements Supplier<List<Channel>> {
    private final Vertx vertx;
    private final WebClient web;
    private final Supplier<Notifications> settings;
    private final String publicUrl;
    private @Nullable Notifications madeOf;
    private List<Channel> made = List.of();

    public Channels(Vertx vertx, Supplier<Notifications> settings, String publicUrl) {
        this.vertx = vertx;
        this.web = WebClient.create(vertx);
        this.settings = settings;
        this.publicUrl = publicUrl;
    }

    @Override
    public synchronized List<Channel> get() {
        Notifications now = settings.get();
        if (!now.equals(madeOf)) {
            made = make(now);
            madeOf = now;
        }
        return made;
    }

    private List<Channel> make(Notifications notifications) {
        List<Channel> channels = new ArrayList<>();
        if (notifications.webhook() != null) {
            channels.add(new WebhookChannel(web, notifications.webhook(), InstantSource.system()));
        }
        if (notifications.smtp() != null) {
            channels.add(new MailChannel(
                    MailClient.create(vertx, config(notifications.smtp())), notifications.smtp(), publicUrl));
        }
        return List.copyOf(channels);
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
