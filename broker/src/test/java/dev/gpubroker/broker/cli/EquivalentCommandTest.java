package dev.gpubroker.broker.cli;

import static dev.gpubroker.broker.cli.StubBroker.example;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.client.ApiClient;
import dev.gpubroker.client.model.BookingBody;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A printed command, run as it is, makes the same request. */
class EquivalentCommandTest {
    private final StubBroker broker = StubBroker.start();
    private final CommandRun cli = CommandRun.against(broker);

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void everyMemberOfARequestComesThrough() throws IOException {
        ObjectNode body = example("BookingBody.fields");
        // False is what an absent flag means.
        ((ObjectNode) body.at("/constraints/security")).remove("dedicatedHost");
        ((ObjectNode) body.at("/substitution")).remove("scaleCount");
        ((ObjectNode) body.at("/machine")).remove("publicIp");

        assertThat(sentBy(body)).isEqualTo(body);
    }

    @Test
    void wordsThatAShellWouldReadComeThrough() throws IOException {
        ObjectNode body = example("BookingBody.fields");
        body.put("phrase", "it's 8×A100; $(rm) `x` \"q\" \\ *");
        body.put("title", "--yes");
        body.withObject("/labels").removeAll().put("a", "b=c,d e").put("名", "值");
        ObjectNode sent = sentBy(body);

        assertThat(sent.get("phrase")).isEqualTo(body.get("phrase"));
        assertThat(sent.get("title")).isEqualTo(body.get("title"));
        assertThat(sent.get("labels")).isEqualTo(body.get("labels"));
    }

    @Test
    void aPhraseThatLooksLikeAnOptionComesThrough() throws IOException {
        ObjectNode body = example("BookingBody.fields");
        body.put("phrase", "-1×A100");

        assertThat(sentBy(body).get("phrase")).isEqualTo(body.get("phrase"));
    }

    @Test
    void theCommandPrintedByABookingMakesTheSameRequest() {
        ObjectNode booked = example("Reservation.substituted");
        broker.on("POST /v1/reservations", 201, booked);
        cli.run("book", "8×A100 for 5 days from the 20th", "--on-unavailable", "refuse", "--max-total", "CNY 5000");

        cli.runPrinted(cli.commands().get(0));

        ObjectNode expected = (ObjectNode) booked.get("request").deepCopy();
        expected.put("title", "7B fine-tuning").put("onUnavailable", "refuse");
        expected.putObject("maxTotal").put("amount", "5000").put("currency", "CNY");
        assertThat(broker.calls("POST", "/v1/reservations").get(1).json()).isEqualTo(expected);
    }

    /** What a run of the command for a body sends. */
    private ObjectNode sentBy(ObjectNode body) throws IOException {
        broker.on("POST /v1/reservations", 201, example("Reservation.queued"));
        BookingBody typed = ApiClient.createDefaultObjectMapper().treeToValue(body, BookingBody.class);

        assertThat(cli.runPrinted(Shell.command(EquivalentCommand.of("book", typed))))
                .as(cli.err())
                .isZero();

        return (ObjectNode) broker.calls("POST", "/v1/reservations").get(0).json();
    }
}
