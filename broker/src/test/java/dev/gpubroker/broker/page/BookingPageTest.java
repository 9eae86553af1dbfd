package dev.gpubroker.broker.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Problem;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.WebElement;

/** From words to plans to a reservation, and what its owner then decides. */
class BookingPageTest extends InBrowser {
    @Test
    void aDoubleClickOnBookIsOneReservation() {
        broker.show(bar("rsv_1", "7B fine-tuning", "active", "2026-12-01", "2026-12-06"));
        open();
        ask("8×A100 for 5 days from the 20th");
        browser().waitForText(".echo", "8 × A100, 5 days, from Sunday 20 December 2026");
        browser().waitForText(".plan", "Alibaba Cloud");
        browser().waitForText(".plan .plan-sum", "33,360.00 simulated");
        browser().screenshot("plans");

        browser().doubleClick(".plan button.primary");

        browser().waitForText(".done", "queued");
        assertThat(broker.bookings.size()).isEqualTo(1);
        assertThat(broker.bookings.get(0).header("idempotency-key")).isNotBlank();
        assertThat(broker.bookings.get(0).object().path("quoteId").asText()).startsWith("qte_");
        assertThat(browser().errors()).isEmpty();
    }

    @Test
    void aSecondTryAfterALostAnswerHasTheSameKeyAndAnotherBodyAnotherOne() {
        AtomicInteger tries = new AtomicInteger();
        broker.on("bookReservation", request -> {
            broker.bookings.add(request);
            return tries.incrementAndGet() < 3
                    ? ApiReply.problem(Problem.of(503, "unavailable", "Busy; try again.", "繁忙，请重试。"), "req_1")
                    : ApiReply.created("/v1/reservations/x", StubBroker.example("Reservation.queued"));
        });
        open();
        ask("8×A100 for 5 days from the 20th");

        browser().click(".plan button.primary");
        browser().waitForText(".problem", "Busy; try again.");
        browser().find("[name=title]").sendKeys("mine");
        browser().click(".plan button.primary");
        browser().waitUntil("no second try", () -> tries.get() == 2);
        browser().waitForText(".problem", "Busy; try again.");
        browser().click(".plan button.primary");
        browser().waitForText(".done", "queued");

        List<@Nullable String> keys = broker.bookings.stream()
                .map(each -> each.header("idempotency-key"))
                .toList();
        assertThat(keys.get(1)).isNotEqualTo(keys.get(0));
        assertThat(keys.get(2)).isEqualTo(keys.get(1));
        assertThat(broker.bookings.get(2).object().path("title").asText()).isEqualTo("mine");
    }

    @Test
    void aPhraseWithTwoReadingsIsAskedAbout() {
        broker.on("interpretPhrase", request -> ApiReply.ok(StubBroker.example("Interpretation.today-or-next-month")));
        open();
        browser().click("[data-lang=zh]");

        ask("8卡A100 从1号开始租5天");
        browser().waitForText(".reading", "也可能指下个月 1 号");
        browser().all(".reading").get(1).click();

        browser().waitForText(".echo", "2027 年 1 月 1 日");
        browser().waitForText(".plan", "预订");
    }

    @Test
    void aRefusalIsToldInThePagesLanguage() {
        broker.on("interpretPhrase", request -> refusal(StubBroker.example("Problem.no_such_date")));
        open();

        ask("8×A100 from 31 February");
        browser().waitForText(".problem", "February");
        browser().click("[data-lang=zh]");

        String chinese =
                StubBroker.example("Problem.no_such_date").path("detailZh").asText();
        browser().waitForText(".problem", chinese);
    }

    @Test
    void aCancellationThatCostsShowsItsQuoteFirst() {
        broker.show(bar("rsv_1", "7B fine-tuning", "active", "2026-12-01", "2026-12-06"));
        List<String> agreed = new CopyOnWriteArrayList<>();
        broker.on(
                "readReservation", request -> ApiReply.ok(StubBroker.reservation(request, "Reservation.substituted")));
        broker.on("cancelReservation", request -> {
            String quote = request.object().path("quoteId").asText();
            agreed.add(quote);
            return quote.isEmpty()
                    ? refusal(StubBroker.example("Problem.cancellation_quote_required"))
                    : ApiReply.accepted(StubBroker.reservation(request, "Reservation.substituted"));
        });
        open();

        clickBar("rsv_1");
        browser().waitForText(".panel", "A100 → RTX4090");
        browser().waitForText(".panel", "simulated");
        browser().screenshot("panel");
        browser().click("[data-act=cancel]");
        browser().click("[data-act=cancel-sure]");
        browser().waitForText(".sure", "1,334.40");
        browser().click("[data-act=cancel-sure]");
        browser().waitUntil("not cancelled", () -> agreed.size() == 2);

        assertThat(agreed).containsExactly("", "cqt_06bq2vc5h8");
    }

    @Test
    void aProposalIsAcceptedAsItWasSeen() {
        broker.show(bar("rsv_9", "asks", "offered", "2026-12-02", "2026-12-08"));
        List<ApiRequest> accepted = new CopyOnWriteArrayList<>();
        broker.on("readReservation", request -> ApiReply.ok(StubBroker.reservation(request, "Reservation.offered")));
        broker.on("acceptProposal", request -> {
            accepted.add(request);
            return ApiReply.ok(StubBroker.reservation(request, "Reservation.queued"));
        });
        open();

        clickBar("rsv_9");
        browser().click("[data-act=accept]");
        browser().waitUntil("not accepted", () -> accepted.size() == 1);

        int version = StubBroker.example("Reservation.offered").path("version").asInt();
        assertThat(accepted.get(0).header("if-match")).isEqualTo("\"" + version + "\"");
        assertThat(accepted.get(0).header("idempotency-key")).isNotBlank();
    }

    private static ApiReply refusal(ObjectNode problem) {
        return new ApiReply(
                problem.path("status").asInt(),
                Map.of("Content-Type", "application/problem+json"),
                Buffer.buffer(problem.toString()));
    }

    private void ask(String phrase) {
        WebElement input = browser().find("[name=phrase]");
        input.clear();
        input.sendKeys(phrase);
        browser().click(".ask button.primary");
    }
}
