package dev.gpubroker.broker.notify;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.config.Notifications.Smtp;
import dev.gpubroker.broker.outbox.Message;
import io.vertx.ext.mail.MailMessage;

/** The mail about a message, in both languages. Pure. */
final class Mail {
    private final String installation;
    private final String publicUrl;

    Mail(String installation, String publicUrl) {
        this.installation = installation;
        this.publicUrl = publicUrl;
    }

    MailMessage of(Message message, Smtp settings) {
        boolean reservation = message.topic().startsWith("reservation.");
        return new MailMessage()
                .setFrom(settings.from())
                .setTo(settings.to())
                .setSubject("[gpu-broker] " + (reservation ? about(message.body()) : switchedOff(message.body())))
                .setText(reservation ? text(message.body()) : switchedOff(message.body()) + "\n")
                // The same on every try, so that a mailbox shows it once.
                .addHeader("Message-ID", "<msg_" + installation + "_" + message.id() + "@gpu-broker>");
    }

    /** A title comes from a person: no line of it may become a header. */
    private static String about(JsonNode news) {
        String title = news.path("title").asText("");
        String what = news.path("gpus").asInt() + "×" + news.path("model").asText() + " "
                + (news.hasNonNull("ending")
                        ? "ends soon / 即将结束"
                        : news.path("state").asText());
        return oneLine(title.isEmpty() ? what : title + ": " + what);
    }

    private static String switchedOff(JsonNode news) {
        return oneLine("webhook " + news.path("webhook").asText() + " ("
                + news.path("host").asText() + ") was switched off / 已停用: "
                + news.path("why").asText());
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }

    private String text(JsonNode news) {
        StringBuilder text = new StringBuilder();
        text.append(about(news)).append("\n\n");
        text.append(news.path("start").asText())
                .append(" – ")
                .append(news.path("end").asText())
                .append("\n");
        text.append(news.path("why").asText()).append("\n");
        if (news.hasNonNull("whyZh")) {
            text.append(news.path("whyZh").asText()).append("\n");
        }
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
