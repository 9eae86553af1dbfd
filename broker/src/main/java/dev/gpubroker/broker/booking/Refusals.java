package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.allocation.Allocations;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.quote.Costing;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.RequestJson;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Every way in which a call about reservations is refused, as the problem that says what to do. */
final class Refusals {
    ApiProblem notFound(String id) {
        return new ApiProblem(404, "not_found", "There is no reservation " + id + ".", "没有预订 " + id + "。");
    }

    ApiProblem noSuchQuote() {
        return new ApiProblem(
                422, "quote_not_found", "There is no quote with this id; ask for a new one.", "没有这个报价，请重新询价。");
    }

    ApiProblem quoteExpired(QuoteStore.Quote quote) {
        return new ApiProblem(
                409,
                "quote_expired",
                "The quote " + quote.id() + " ran out at " + time(quote.expiresAt(), quote) + "; ask for a new one.",
                "报价 " + quote.id() + " 已于 " + time(quote.expiresAt(), quote) + " 过期，请重新询价。");
    }

    ApiProblem priceChanged(QuoteStore.Quote fresh) {
        ZoneId zone = fresh.request().timeZone();
        return new ApiProblem(Problem.of(
                        409,
                        "price_changed",
                        "The price rose above what was agreed; nothing was booked. Book with the new quote to agree.",
                        "价格已高于约定上限，没有预订；同意请用新报价预订。")
                .with(
                        "quote",
                        PlanJson.quote(fresh.id(), fresh.plan(), fresh.request().window(), fresh.expiresAt(), zone)));
    }

    ApiProblem notEligible(Planning planning) {
        return new ApiProblem(Problem.of(
                        422,
                        "no_eligible_platform",
                        "No platform could ever fulfil this; the explanation names what rules each one out.",
                        "没有任何平台能满足该请求；explanation 说明各自的原因。")
                .with("explanation", PlanJson.explanation(planning.explanation())));
    }

    ApiProblem noCapacity(
            BookingRequest request,
            Planning planning,
            List<Allocations.FreeWindow> free,
            List<Allocations.Conflict> conflicts) {
        ZoneId zone = request.timeZone();
        return new ApiProblem(Problem.of(
                        409,
                        "no_capacity",
                        free.isEmpty()
                                ? "Nothing is free in that window. Ask for another window, or book with onUnavailable: queue."
                                : "Nothing is free in that window; freeWindows says when it would fit.",
                        free.isEmpty() ? "该时段没有空闲容量；请换时段，或用 onUnavailable: queue 排队。" : "该时段没有空闲容量；freeWindows 是可用的时段。")
                .with("freeWindows", windows(free, zone))
                .with("conflicts", conflicts(conflicts, zone))
                .with("explanation", PlanJson.explanation(planning.explanation())));
    }

    ApiProblem wrongState(Reservation r, String detail, String detailZh) {
        return new ApiProblem(Problem.of(409, "wrong_state", detail, detailZh)
                .with("state", r.state().wireName()));
    }

    ApiProblem noProposal(Reservation r) {
        return new ApiProblem(Problem.of(
                        409,
                        "no_proposal",
                        "The reservation asks nothing: it is " + r.state().wireName() + ".",
                        "该预订目前没有待答复的提议。")
                .with("state", r.state().wireName()));
    }

    ApiProblem proposalLapsed() {
        return new ApiProblem(
                409,
                "proposal_lapsed",
                "The proposal ran out; the reservation waits again for the asked model.",
                "提议已过期，预订已回到排队状态。");
    }

    ApiProblem changeRefused(String detail, String detailZh) {
        return new ApiProblem(409, "change_refused", detail, detailZh);
    }

    /**
     * @param longestEnd the latest end that would be accepted; null where it cannot be extended at all
     * @param free when the missing part would fit as a booking of its own
     */
    ApiProblem changeRefused(
            String detail,
            String detailZh,
            @Nullable Instant longestEnd,
            List<Allocations.FreeWindow> free,
            List<Allocations.Conflict> conflicts,
            ZoneId zone) {
        return new ApiProblem(Problem.of(409, "change_refused", detail, detailZh)
                .with(
                        "longestEnd",
                        longestEnd == null
                                ? PlanJson.JSON.nullNode()
                                : PlanJson.JSON.textNode(RequestJson.time(longestEnd, zone)))
                .with("freeWindows", windows(free, zone))
                .with("conflicts", conflicts(conflicts, zone)));
    }

    /** The added part costs more than was agreed for as much. */
    ApiProblem extensionTooDear(Costing added, Money limit) {
        ObjectNode json = PlanJson.JSON.objectNode();
        PlanJson.costing(json, added);
        return new ApiProblem(Problem.of(
                        409,
                        "price_changed",
                        "The added part would cost " + added.total() + ", above the " + limit
                                + " that were agreed for as much; nothing was changed. Book what is added as a new reservation to agree.",
                        "新增部分需 " + added.total() + "，高于按约定可接受的 " + limit + "；预订保持不变。如接受该价格，请另行预订新增部分。")
                .with("added", json)
                .with("limit", PlanJson.money(limit)));
    }

    ApiProblem versionMissing() {
        return new ApiProblem(
                428,
                "precondition_required",
                "Send If-Match with the version you read, as in If-Match: \"3\".",
                "请带上 If-Match 请求头和读到的版本号，例如 If-Match: \"3\"。");
    }

    ApiProblem stale(Reservation r) {
        return new ApiProblem(Problem.of(
                        412,
                        "stale_version",
                        "The reservation is at version " + r.version() + " now; read it again.",
                        "预订现在的版本是 " + r.version() + "，请重新读取。")
                .with("version", r.version()));
    }

    ApiProblem cancellationQuoteRequired(ObjectNode quote) {
        return new ApiProblem(Problem.of(
                        409,
                        "cancellation_quote_required",
                        "Cancelling costs money now; the quote says how much. Cancel with its id to agree.",
                        "现在取消会产生费用，quote 写明金额；同意请带上它的 id。")
                .with("quote", quote));
    }

    private static ArrayNode windows(List<Allocations.FreeWindow> windows, ZoneId zone) {
        ArrayNode json = PlanJson.JSON.arrayNode();
        windows.forEach(free -> json.addObject()
                .put("start", RequestJson.time(free.window().start(), zone))
                .put("end", RequestJson.time(free.window().end(), zone))
                .put("platform", "pool")
                .put("pool", free.pool())
                .put("count", free.count()));
        return json;
    }

    private static ArrayNode conflicts(List<Allocations.Conflict> conflicts, ZoneId zone) {
        ArrayNode json = PlanJson.JSON.arrayNode();
        for (Allocations.Conflict each : conflicts) {
            ObjectNode item = json.addObject();
            if (each.reservationId() != null) {
                item.put("reservation", each.reservationId());
            }
            if (each.title() != null) {
                item.put("title", each.title());
            }
            item.put("node", each.node());
            ArrayNode gpus = item.putArray("gpus");
            IntStream.range(each.firstGpu(), each.firstGpu() + each.gpus()).forEach(gpus::add);
            item.put("start", RequestJson.time(each.window().start(), zone));
            item.put("end", RequestJson.time(each.window().end(), zone));
        }
        return json;
    }

    private static String time(java.time.Instant instant, QuoteStore.Quote quote) {
        return RequestJson.time(instant, quote.request().timeZone());
    }
}
