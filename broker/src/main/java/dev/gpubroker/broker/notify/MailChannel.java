package dev.gpubroker.broker.notify;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.config.Notifications.Smtp;
import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;
import io.vertx.ext.mail.MailClient;
import io.vertx.ext.mail.MailMessage;
import java.util.Set;

/** A mail in both languages for what its owner should know or answer. */
final class MailChannel implements Channel {
    private static final Set<String> WORTH_A_MAIL = Set.of(
            "reservation.offered",
            "reservation.active",
            "reservation.completed",
            "reservation.cancelled",
            "reservation.failed",
            "reservation.expired");

    private final MailClient client;
    private final Smtp settings;
    private final String publicUrl;

    MailChannel(MailClient client, Smtp settings, String publicUrl) {
        this.client = client;
        this.settings = settings;
        this.publicUrl = publicUrl;
    }

    @Override
    public boolean wants(Message message) {
        return WORTH_A_MAIL.contains(message.topic());
    }

    @Override
    public Future<Void> send(Message message) {
        JsonNode news = message.body();
        MailMessage mail = new MailMessage()
                .setFrom(settings.from())
                .setTo(settings.to())
                .setSubject("[gpu-broker] " + oneLine(news))
                .setText(text(news))
                .addHeader("Message-ID", "<msg_" + message.id() + "@gpu-broker>");
        return client.sendMail(mail).mapEmpty();
    }

    /** A title comes from a person: no line of it may become a header. */
    private static String oneLine(JsonNode news) {
        String title = news.path("title").asText("");
        String what = news.path("gpus").asInt() + "×" + news.path("model").asText() + " "
                + news.path("state").asText();
        return (title.isEmpty() ? what : title + ": " + what).replaceAll("\\p{Cntrl}", " ");
    }

    private String text(JsonNode news) {
        StringBuilder text = new StringBuilder();
        text.append(oneLine(news)).append("\n\n");
        text.append(news.path("start").asText())
                .append(" – ")
                .append(news.path("end").asText())
                .append("\n");
        text.append(news.path("why").asText()).append("\n");
        if (news.hasNonNull("proposal")) {
            text.append("\n").append(news.path("proposal").asText()).append("\n");
            text.append(news.path("proposalZh").asText()).append("\n");
            text.append("Answer by / 请在此之前答复: ")
                    .append(news.path("answerBy").asText())
                    .append("\n");
        }
        text.append("\n")
                .append(publicUrl)
                .append("/?reservation=")
                .append(news.path("reservation").asText())
                .append("\n");
        return text.toString();
    }
}
