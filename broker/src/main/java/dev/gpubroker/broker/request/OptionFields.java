package dev.gpubroker.broker.request;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.request.BookingRequest.AtEnd;
import dev.gpubroker.broker.request.BookingRequest.Constraints;
import dev.gpubroker.broker.request.BookingRequest.OnUnavailable;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the members of a request that say how, not what and when. Needs no catalogue: names are taken as they are. */
final class OptionFields {
    private static final int NAME = 64;
    private static final int KEEP_DAYS = 365;
    private static final List<String> SECURITY = List.of("encryptedDisks", "noPublicIp", "dedicatedHost");
    private static final BigDecimal HIGHEST_SLOWDOWN = BigDecimal.valueOf(100);

    private OptionFields() {}

    static RequestOptions read(BodyFields body) {
        return new RequestOptions(
                constraints(body),
                substitution(body),
                body.choice("onUnavailable", OnUnavailable.class),
                machine(body),
                atEnd(body),
                maxTotal(body),
                title(body),
                body.map("labels", Limits.MAX_LABELS, Limits.MAX_LABEL_KEY, Limits.MAX_LABEL_VALUE));
    }

    /** Null where there is none to show: an empty title is no title. */
    private static @Nullable String title(BodyFields body) {
        JsonNode title = body.value("title");
        boolean blank = title != null && title.isTextual() && title.textValue().isBlank();
        return blank ? null : body.text("title", Limits.MAX_TITLE);
    }

    private static Constraints constraints(BodyFields body) {
        BodyFields fields = body.object(
                "constraints",
                "platforms",
                "regions",
                "compliance",
                "frameworks",
                "singleNode",
                "interconnect",
                "maxLeadTime",
                "customerType",
                "dataPlace",
                "security");
        if (fields == null) {
            return Constraints.none();
        }
        return new Constraints(
                set(fields, "platforms"),
                Set.copyOf(fields.texts("regions", NAME)),
                set(fields, "compliance"),
                set(fields, "frameworks"),
                fields.flag("singleNode"),
                interconnect(fields),
                duration(fields, "maxLeadTime"),
                customerType(fields),
                lower(fields.text("dataPlace", NAME)),
                security(fields));
    }

    private static Set<String> set(BodyFields fields, String name) {
        return fields.texts(name, NAME).stream()
                .map(text -> text.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static @Nullable String interconnect(BodyFields fields) {
        String said = lower(fields.text("interconnect", NAME));
        List<String> known = List.of("nvlink", "pcie", "hccs");
        if (said != null && !known.contains(said)) {
            fields.error(
                    "interconnect",
                    "bad_value",
                    "constraints.interconnect must be one of " + String.join(", ", known) + ".",
                    "constraints.interconnect 必须是 " + String.join("、", known) + " 之一。");
            return null;
        }
        return said;
    }

    /** As the profiles of platforms say it; a word that nobody knows would rule out nothing, unnoticed. */
    private static @Nullable String customerType(BodyFields fields) {
        String said = lower(fields.text("customerType", NAME));
        if (said == null) {
            return null;
        }
        switch (said) {
            case "personal":
            case "individual":
                return "personal";
            case "company":
            case "enterprise":
                return "company";
            default:
                fields.error(
                        "customerType",
                        "bad_value",
                        "constraints.customerType must be personal (also: individual) or company (also: enterprise).",
                        "constraints.customerType 必须是 personal（或 individual）或 company（或 enterprise）。");
                return null;
        }
    }

    private static Set<String> security(BodyFields fields) {
        BodyFields flags = fields.object("security", SECURITY.toArray(String[]::new));
        return flags == null
                ? Set.of()
                : SECURITY.stream()
                        .filter(name -> Boolean.TRUE.equals(flags.flag(name)))
                        .collect(Collectors.toUnmodifiableSet());
    }

    private static Substitution substitution(BodyFields body) {
        BodyFields fields = body.object("substitution", "mode", "models", "maxSlowdown", "scaleCount", "extendWindow");
        if (fields == null) {
            return Substitution.ask();
        }
        Substitution.Mode mode = fields.choice("mode", Substitution.Mode.class);
        return new Substitution(
                Objects.requireNonNullElse(mode, Substitution.Mode.ASK),
                fields.texts("models", 100),
                maxSlowdown(fields),
                Boolean.TRUE.equals(fields.flag("scaleCount")),
                Boolean.TRUE.equals(fields.flag("extendWindow")));
    }

    /** A number from 1 to 100, up to four decimals; trailing zeros mean nothing. */
    private static @Nullable BigDecimal maxSlowdown(BodyFields fields) {
        JsonNode value = fields.value("maxSlowdown");
        if (value == null) {
            return null;
        }
        BigDecimal ratio = BodyFields.exact(value);
        if (ratio != null && ratio.compareTo(BigDecimal.ONE) >= 0 && ratio.compareTo(HIGHEST_SLOWDOWN) <= 0) {
            BigDecimal plain = ratio.stripTrailingZeros();
            if (plain.scale() <= 4) {
                return plain.setScale(Math.max(plain.scale(), 0), RoundingMode.UNNECESSARY);
            }
        }
        fields.error(
                "maxSlowdown",
                "out_of_range",
                "substitution.maxSlowdown must be a ratio from 1 to 100, such as 1.3.",
                "substitution.maxSlowdown 必须是 1 到 100 之间的比值，例如 1.3。");
        return null;
    }

    private static @Nullable MachineWish machine(BodyFields body) {
        BodyFields fields = body.object("machine", MachineFields.MEMBERS);
        return fields == null ? null : MachineFields.read(fields);
    }

    private static @Nullable AtEnd atEnd(BodyFields body) {
        BodyFields fields = body.object("atEnd", "hook", "hookTimeout", "keep", "keepDays");
        if (fields == null) {
            return null;
        }
        AtEnd.Keep keep = Objects.requireNonNullElse(fields.choice("keep", AtEnd.Keep.class), AtEnd.Keep.NONE);
        int days = Objects.requireNonNullElse(fields.number("keepDays", 0, KEEP_DAYS), 0);
        if ((keep == AtEnd.Keep.NONE) != (days == 0) && !fields.errors().mentions("atEnd.keepDays")) {
            fields.error(
                    "keepDays",
                    "conflict",
                    "What is kept needs atEnd.keepDays of at least 1; keeping nothing needs none.",
                    "要保留数据时 atEnd.keepDays 至少为 1；不保留时无需给出。");
        }
        String hook = fields.script("hook", 4000);
        if (hook != null && hook.isBlank()) {
            fields.error("hook", "format", "atEnd.hook must do something.", "atEnd.hook 不能为空。");
        }
        Duration timeout = duration(fields, "hookTimeout");
        if (hook == null && timeout != null) {
            fields.error(
                    "hookTimeout",
                    "conflict",
                    "atEnd.hookTimeout needs atEnd.hook.",
                    "atEnd.hookTimeout 需与 atEnd.hook 同时给出。");
        }
        if (timeout != null
                && (timeout.compareTo(AtEnd.SHORTEST_HOOK) < 0 || timeout.compareTo(AtEnd.LONGEST_HOOK) > 0)) {
            fields.error(
                    "hookTimeout",
                    "out_of_range",
                    "atEnd.hookTimeout must be from PT1M to PT2H.",
                    "atEnd.hookTimeout 必须在 PT1M 到 PT2H 之间。");
        }
        return new AtEnd(hook, timeout, keep, days);
    }

    /** A positive ISO 8601 duration in which a day is 24 hours: a limit, not a booked time. */
    private static @Nullable Duration duration(BodyFields fields, String name) {
        String said = fields.text(name, 40);
        if (said == null) {
            return null;
        }
        try {
            Duration duration = said.matches("P\\d{1,4}W")
                    ? Duration.ofDays(7L * Integer.parseInt(said.substring(1, said.length() - 1)))
                    : Duration.parse(said);
            if (!duration.isNegative() && !duration.isZero()) {
                return duration;
            }
        } catch (DateTimeParseException e) {
            // Answered below, like a negative one.
        }
        fields.error(
                name,
                "bad_value",
                fields.path(name) + " must be an ISO 8601 duration such as P14D or PT10M.",
                fields.path(name) + " 必须是 ISO 8601 时长，例如 P14D 或 PT10M。");
        return null;
    }

    private static @Nullable Money maxTotal(BodyFields body) {
        BodyFields fields = body.object("maxTotal", "amount", "currency");
        if (fields == null) {
            return null;
        }
        String amount = fields.text("amount", 32);
        String currency = fields.text("currency", 3);
        try {
            if (amount != null && currency != null && amount.matches("\\d{1,18}(\\.\\d{1,12})?")) {
                Money money = Money.of(amount, currency);
                if (money.amount().signum() > 0) {
                    return money;
                }
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            // No such currency, or more decimals than it has; answered below.
        }
        body.error(
                "maxTotal",
                "bad_value",
                "maxTotal must be a positive amount as text and its currency, such as {\"amount\": \"9600.00\", \"currency\": \"CNY\"}.",
                "maxTotal 必须是文本形式的正数金额及币种，例如 {\"amount\": \"9600.00\", \"currency\": \"CNY\"}。");
        return null;
    }

    private static @Nullable String lower(@Nullable String text) {
        return text == null ? null : text.toLowerCase(Locale.ROOT);
    }
}
