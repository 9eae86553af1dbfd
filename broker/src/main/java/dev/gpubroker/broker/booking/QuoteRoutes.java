package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.inventory.Snapshot;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.Echo;
import dev.gpubroker.broker.request.PersonalRequests;
import dev.gpubroker.broker.request.RequestJson;
import io.vertx.core.Future;
import java.time.ZoneId;

/** {@code POST /v1/quotes}: every plan with its price, every reason, and who answered. */
final class QuoteRoutes implements Routes {
    private final BookingService booking;
    private final PersonalRequests requests;
    private final Echo echo;

    QuoteRoutes(BookingService booking, PersonalRequests requests, Echo echo) {
        this.booking = booking;
        this.requests = requests;
        this.echo = echo;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("quote", this::quote);
    }

    private Future<ApiReply> quote(ApiRequest call) {
        return requests.read(call.caller(), call.object())
                .compose(request ->
                        booking.quote(call.caller().team(), request).map(quoted -> ApiReply.ok(json(request, quoted))));
    }

    private ObjectNode json(BookingRequest request, BookingService.Quoted quoted) {
        ZoneId zone = request.timeZone();
        ObjectNode json = PlanJson.JSON.objectNode();
        json.set("request", RequestJson.withoutPhrase(request));
        ArrayNode plans = json.putArray("plans");
        quoted.quotes()
                .forEach(quote ->
                        plans.add(PlanJson.quote(quote.id(), quote.plan(), request.window(), quote.expiresAt(), zone)));
        json.set(
                "explanation",
                PlanJson.explanation(quoted.deliberation().planning().explanation()));
        ArrayNode platforms = json.putArray("platforms");
        quoted.deliberation().snapshot().answers().stream()
                .filter(answer -> !answer.asked().isEmpty()) // Sells nothing of it, and was not called.
                .forEach(answer -> platforms.add(answered(answer, zone)));
        json.put("echo", echo.english(request));
        json.put("echoZh", echo.chinese(request));
        return json;
    }

    private static ObjectNode answered(Snapshot.Answer answer, ZoneId zone) {
        ObjectNode json = PlanJson.JSON.objectNode();
        json.put("platform", answer.account().platform());
        json.put("account", answer.account().id());
        json.put("answered", answer.silence() == null);
        if (answer.silence() != null) {
            json.put("reason", answer.silence().wireName());
            json.put("detail", answer.silenceDetail());
        }
        json.put("asOf", RequestJson.time(answer.asOf(), zone));
        json.put("tookMs", answer.took().toMillis());
        return json;
    }
}
