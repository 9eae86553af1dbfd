package dev.gpubroker.broker.booking;

import static dev.gpubroker.broker.booking.PlanJson.JSON;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.request.RequestJson;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * What a little more time of a reservation that runs would cost now, or why it cannot be had.
 *
 * @param by the shortest time that would be added
 * @param cost null where it is not to be had, and where it is paid already
 * @param until the latest end that would be accepted; null where it is not to be had
 * @param refusal null where it is to be had
 */
record Extension(
        Duration by,
        @Nullable Money cost,
        @Nullable Instant until,
        @Nullable Why refusal) {
    static Extension of(Duration by, @Nullable Money cost, Instant until) {
        return new Extension(by, cost, until, null);
    }

    static Extension refused(Duration by, Why why) {
        return new Extension(by, null, null, why);
    }

    /** One clause in each language. */
    Why inWords(ZoneId zone) {
        if (refusal != null) {
            return new Why("it cannot be extended: " + refusal.english(), "无法延长：" + refusal.chinese());
        }
        String english = Spans.english(by) + " more " + (cost == null ? "costs nothing more" : "costs " + cost);
        String chinese = "再延长 " + Spans.chinese(by) + (cost == null ? "不另收费" : "需 " + cost);
        return until == null
                ? new Why(english, chinese)
                : new Why(
                        english + ", until " + RequestJson.time(until, zone) + " at most",
                        chinese + "，最晚可至 " + RequestJson.time(until, zone));
    }

    ObjectNode json(ZoneId zone) {
        ObjectNode json = JSON.objectNode();
        json.put("possible", refusal == null);
        json.put("by", by.toString());
        if (refusal != null) {
            json.put("why", refusal.english());
            json.put("whyZh", refusal.chinese());
        } else {
            json.set("cost", cost == null ? JSON.nullNode() : PlanJson.money(cost));
            json.put("until", until == null ? null : RequestJson.time(until, zone));
        }
        return json;
    }
}
