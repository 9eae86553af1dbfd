package dev.gpubroker.broker.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.config.Notifications;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.delivery.Delivery;
import dev.gpubroker.broker.delivery.Outcome;
import dev.gpubroker.broker.delivery.PostOffice;
import dev.gpubroker.broker.delivery.Receivers;
import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Mail against a server that speaks SMTP. */
@SuppressWarnings("NullAway.Init") // Made before each test.
class MailTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private final Other other = new Other();
    private SmtpServer smtp;
    private PostOffice post;

    @BeforeEach
    void start() {
        DATABASE.execute("DELETE FROM delivery; DELETE FROM outbox");
        smtp = new SmtpServer(DATABASE.vertx());
        Notifications settings = new Notifications(new Notifications.Smtp(
                "127.0.0.1",
                smtp.port,
                null,
                null,
                "broker@example.com",
                List.of("ml@example.com"),
                Notifications.Tls.NONE));
        MailSender mail = new MailSender(DATABASE.vertx(), () -> settings, "inst0001", "https://gpu.example.com");
        post = new PostOffice(DATABASE, List.of(mail, other));
    }

    @AfterEach
    void stop() {
        smtp.close();
    }

    /** Stands for the webhooks. */
    private static final class Other implements Receivers {
        final List<Long> sent = new ArrayList<>();

        @Override
        public String kind() {
            return "webhook";
        }

        @Override
        public Future<List<String>> wanting(Message message) {
            return Future.succeededFuture(List.of("other"));
        }

        @Override
        public Future<Outcome> send(Delivery delivery, Message message) {
            sent.add(message.id());
            return Future.succeededFuture(Outcome.delivered(200));
        }
    }

    @Test
    void whatIsWorthAMailIsMailedOnceAndOnlyThat() throws TimeoutException {
        post.news("rsv_1", "provisioning", 3);
        post.news("rsv_1", "active", 4);

        post.round();
        post.round();

        assertThat(smtp.mails).hasSize(1);
        assertThat(smtp.mails.get(0))
                .contains("To: ml@example.com", "8=C3=97A100 active", "https://gpu.example.com/?reservation=3Drsv_1");
    }

    @Test
    void aTitleMakesNoHeaders() throws TimeoutException {
        post.news("rsv_1", "active", 4);

        post.round();

        String headers = smtp.mails.get(0).split("\n\n", 2)[0];
        assertThat(headers.lines()).noneMatch(line -> line.startsWith("Bcc:"));
    }

    @Test
    void aMailThatFailsIsTriedAgainAndNothingElseComesTwice() throws TimeoutException {
        smtp.refuses = true;
        post.news("rsv_1", "active", 4);
        post.round();
        Delivery failed = post.only("mail");
        smtp.refuses = false;
        post.pass(Duration.ofSeconds(5));
        post.round();

        assertThat(failed.state()).isEqualTo(Delivery.State.WAITING);
        assertThat(failed.why()).contains("451");
        assertThat(smtp.mails).hasSize(1);
        assertThat(post.only("mail").state()).isEqualTo(Delivery.State.DELIVERED);
        assertThat(other.sent).hasSize(1);
    }

    @Test
    void everyTryHasTheSameMessageIdAndAnotherInstallationAnotherOne() throws TimeoutException {
        post.news("rsv_1", "active", 4);
        post.round();

        assertThat(smtp.mails.get(0)).containsPattern("Message-ID: <msg_inst0001_\\d+@gpu-broker>");
    }

    @Test
    void itIsToldThatAWebhookWasSwitchedOff() throws TimeoutException {
        post.message(
                "webhook.switched_off",
                Map.of("webhook", "whk_1", "host", "ci.example.com", "why", "it answered 410 Gone"));

        post.round();

        assertThat(smtp.mails.get(0)).contains("whk_1", "ci.example.com", "410 Gone");
    }
}
