package dev.gpubroker.broker.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.request.BookingRequest.AtEnd;
import dev.gpubroker.broker.request.BookingRequest.Constraints;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Requests as JSON: members in one order, sets sorted, absent where nothing was asked for, times with the offset of the
 * request's zone. The same wish is the same text, and what is written can be posted or read back as it is.
 */
public final class RequestJson {
    private static final JsonNodeFactory JSON = JsonNodeFactory.withExactBigDecimals(true);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssxxx", Locale.ROOT);

    private RequestJson() {}

    /** An instant as the wire shows it: {@code 2026-12-20T00:00:00+08:00}. */
    public static String time(Instant instant, ZoneId zone) {
        return TIME.format(instant.atZone(zone));
    }

    /** The whole request, for the database: {@link #read} gives it back. */
    public static ObjectNode write(BookingRequest request) {
        ObjectNode json = JSON.objectNode();
        putIfSaid(json, "phrase", request.phrase());
        json.setAll(withoutPhrase(request));
        return json;
    }

    /** The request as an interpretation shows it; a reading's can be posted in place of the phrase. */
    public static ObjectNode withoutPhrase(BookingRequest request) {
        ObjectNode json = shown(request);
        json.remove("phrase");
        putIfSaid(json, "title", request.title());
        if (!request.labels().isEmpty()) {
            ObjectNode labels = json.putObject("labels");
            new TreeMap<>(request.labels()).forEach(labels::put);
        }
        return json;
    }

    /** The request as a reservation shows it: without what the reservation has as members of its own. */
    public static ObjectNode shown(BookingRequest request) {
        ObjectNode json = JSON.objectNode();
        putIfSaid(json, "phrase", request.phrase());
        json.set("gpu", gpu(request.gpu()));
        json.put("start", time(request.window().start(), request.timeZone()));
        json.put("end", time(request.window().end(), request.timeZone()));
        json.put("timeZone", request.timeZone().getId());
        json.set("constraints", constraints(request.constraints()));
        json.set("substitution", substitution(request.substitution()));
        if (request.machine() != null) {
            json.set("machine", machine(request.machine()));
        }
        if (request.atEnd() != null) {
            json.set("atEnd", atEnd(request.atEnd()));
        }
        if (request.onUnavailable() != null) {
            json.put("onUnavailable", request.onUnavailable().name().toLowerCase(Locale.ROOT));
        }
        if (request.maxTotal() != null) {
            json.putObject("maxTotal")
                    .put("amount", request.maxTotal().amount().toPlainString())
                    .put("currency", request.maxTotal().currency().getCurrencyCode());
        }
        return json;
    }

    /** The answer of {@code POST /v1/interpretations}. */
    public static ObjectNode interpretation(Interpretation interpretation) {
        ObjectNode json = JSON.objectNode();
        json.set("request", withoutPhrase(interpretation.request()));
        json.set("readings", readings(interpretation.readings()));
        json.put("needsConfirmation", interpretation.needsConfirmation());
        json.put("echo", interpretation.echo());
        json.put("echoZh", interpretation.echoZh());
        return json;
    }

    static ArrayNode readings(List<Reading> readings) {
        ArrayNode json = JSON.arrayNode();
        for (Reading reading : readings) {
            ObjectNode item = json.addObject();
            item.set("request", withoutPhrase(reading.request()));
            item.put("echo", reading.echo());
            item.put("echoZh", reading.echoZh());
            item.put("why", reading.why());
            item.put("whyZh", reading.whyZh());
        }
        return json;
    }

    /**
     * Reads back what {@link #write} wrote; asks neither catalogue nor clock, since a stored request stays what it was.
     *
     * @throws IllegalArgumentException if it is no written request
     */
    public static BookingRequest read(ObjectNode json) {
        FieldErrors errors = new FieldErrors();
        BodyFields body = new BodyFields(
                json,
                "",
                errors,
                "phrase",
                "gpu",
                "start",
                "end",
                "timeZone",
                "constraints",
                "substitution",
                "machine",
                "atEnd",
                "onUnavailable",
                "maxTotal",
                "title",
                "labels");
        RequestOptions options = OptionFields.read(body);
        BodyFields gpu = body.object("gpu", "model", "count", "nodes", "memoryGb", "formFactor");
        Integer count = gpu == null ? null : gpu.number("count", 1, Integer.MAX_VALUE);
        String model = gpu == null ? null : gpu.text("model", 100);
        if (gpu == null || count == null || model == null || !errors.isEmpty()) {
            throw new IllegalArgumentException("not a written request: " + json);
        }
        try {
            return options.request(
                    body.script("phrase", Integer.MAX_VALUE),
                    new BookingRequest.Gpu(
                            model,
                            count,
                            gpu.number("nodes", 1, Integer.MAX_VALUE),
                            gpu.number("memoryGb", 1, Integer.MAX_VALUE),
                            gpu.text("formFactor", 40)),
                    new Window(instant(json, "start"), instant(json, "end")),
                    ZoneId.of(json.path("timeZone").asText()));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("not a written request: " + json, e);
        }
    }

    private static Instant instant(JsonNode json, String name) {
        return OffsetDateTime.parse(json.path(name).asText()).toInstant();
    }

    private static ObjectNode gpu(BookingRequest.Gpu gpu) {
        ObjectNode json = JSON.objectNode();
        json.put("model", gpu.model());
        json.put("count", gpu.count());
        if (gpu.nodes() != null) {
            json.put("nodes", gpu.nodes().intValue());
        }
        if (gpu.memoryGb() != null) {
            json.put("memoryGb", gpu.memoryGb().intValue());
        }
        putIfSaid(json, "formFactor", gpu.formFactor());
        return json;
    }

    private static ObjectNode constraints(Constraints constraints) {
        ObjectNode json = JSON.objectNode();
        putIfAny(json, "platforms", sorted(constraints.platforms()));
        putIfAny(json, "regions", sorted(constraints.regions()));
        putIfAny(json, "compliance", sorted(constraints.compliance()));
        putIfAny(json, "frameworks", sorted(constraints.frameworks()));
        if (constraints.singleNode() != null) {
            json.put("singleNode", constraints.singleNode().booleanValue());
        }
        putIfSaid(json, "interconnect", constraints.interconnect());
        putIfSaid(json, "maxLeadTime", text(constraints.maxLeadTime()));
        putIfSaid(json, "customerType", constraints.customerType());
        putIfSaid(json, "dataPlace", constraints.dataPlace());
        if (!constraints.security().isEmpty()) {
            ObjectNode flags = json.putObject("security");
            sorted(constraints.security()).forEach(name -> flags.put(name, true));
        }
        return json;
    }

    private static ObjectNode substitution(Substitution substitution) {
        ObjectNode json = JSON.objectNode();
        json.put("mode", substitution.mode().name().toLowerCase(Locale.ROOT));
        putIfAny(json, "models", substitution.models());
        if (substitution.maxSlowdown() != null) {
            json.put("maxSlowdown", substitution.maxSlowdown());
        }
        if (substitution.scaleCount()) {
            json.put("scaleCount", true);
        }
        if (substitution.extendWindow()) {
            json.put("extendWindow", true);
        }
        return json;
    }

    /** Only what was said. */
    public static ObjectNode machine(MachineWish machine) {
        ObjectNode json = JSON.objectNode();
        putIfSaid(json, "image", machine.image());
        putIfAny(json, "frameworks", machine.frameworks());
        putIfAny(json, "sshKeys", machine.sshKeys());
        putIfSaid(json, "startupScript", machine.startupScript());
        if (machine.dataDiskGb() != null) {
            json.put("dataDiskGb", machine.dataDiskGb().intValue());
        }
        if (machine.publicIp() != null) {
            json.put("publicIp", machine.publicIp().booleanValue());
        }
        return json;
    }

    private static ObjectNode atEnd(AtEnd atEnd) {
        ObjectNode json = JSON.objectNode();
        putIfSaid(json, "hook", atEnd.hook());
        putIfSaid(json, "hookTimeout", text(atEnd.hookTimeout()));
        json.put("keep", atEnd.keep().name().toLowerCase(Locale.ROOT));
        if (atEnd.keepDays() > 0) {
            json.put("keepDays", atEnd.keepDays());
        }
        return json;
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : value.toString();
    }

    private static Collection<String> sorted(Set<String> texts) {
        return new TreeSet<>(texts);
    }

    private static void putIfSaid(ObjectNode json, String name, @Nullable String text) {
        if (text != null) {
            json.put(name, text);
        }
    }

    private static void putIfAny(ObjectNode json, String name, Collection<String> texts) {
        if (!texts.isEmpty()) {
            ArrayNode array = json.putArray(name);
            texts.forEach(array::add);
        }
    }
}
