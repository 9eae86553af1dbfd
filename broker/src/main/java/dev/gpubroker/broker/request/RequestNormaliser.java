package dev.gpubroker.broker.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.request.BookingRequest.Constraints;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Turns the body of a quote or a booking into a {@link BookingRequest}: a phrase, or GPU, start and end or duration. The
 * same wish in any spelling is the same request. Everything that is wrong with a body is said at once.
 */
public final class RequestNormaliser {
    private static final String[] MEMBERS = {
        "phrase",
        "gpu",
        "start",
        "end",
        "duration",
        "timeZone",
        "constraints",
        "substitution",
        "onUnavailable",
        "machine",
        "atEnd",
        "maxTotal",
        "title",
        "labels"
    };

    private final ModelNames models;
    private final KnownNames known;
    private final PhraseReader phrases;
    private final Echo echo;

    public RequestNormaliser(ModelNames models, KnownNames known) {
        this.models = models;
        this.known = known;
        this.phrases = new PhraseReader(models);
        this.echo = new Echo(models);
    }

    /**
     * The request of a body.
     *
     * @param zone where the body names none: the team's, else the installation's
     * @throws RequestProblem 422 {@code needs_confirmation} with {@code readings} where it can be read in two ways; 400
     *     with every error that was found for anything else
     */
    public BookingRequest normalise(ObjectNode body, ZoneId zone, Instant now) {
        Interpretation read = read(body, zone, now);
        if (read.needsConfirmation()) {
            throw new RequestProblem(
                    "needs_confirmation",
                    422,
                    "This has to be confirmed before it is booked: post the request of one of the readings.",
                    "预订前需要确认：请提交其中一种读法的 request。",
                    List.of(),
                    Map.of("readings", RequestJson.readings(read.readings())));
        }
        return read.request();
    }

    /** How the body of {@code POST /v1/interpretations} is understood; throws as {@link #normalise} does, but never asks. */
    public Interpretation interpret(ObjectNode body, ZoneId zone, Instant now) {
        return read(body, zone, now);
    }

    private Interpretation read(ObjectNode body, ZoneId defaultZone, Instant now) {
        FieldErrors errors = new FieldErrors();
        BodyFields fields = new BodyFields(body, "", errors, MEMBERS);
        RequestOptions options = canonical(OptionFields.read(fields), errors);
        ZoneId said = zone(fields);
        ZoneId zone = said == null ? defaultZone : said;
        if (fields.has("phrase")) {
            return ofPhrase(fields, zone, now, options);
        }
        BookingRequest.Gpu gpu = gpu(fields, options.constraints());
        List<Window> windows = windows(fields, new BodyTimes(fields, zone, said != null, now));
        if (gpu == null || windows.isEmpty()) {
            errors.throwIfAny();
            throw new IllegalStateException("a body without GPU or window, and nobody said why: " + body);
        }
        errors.throwIfAny();
        return interpretation(windows, gpu, options, zone);
    }

    private Interpretation ofPhrase(BodyFields fields, ZoneId zone, Instant now, RequestOptions options) {
        FieldErrors errors = fields.errors();
        for (String other : List.of("gpu", "start", "end", "duration")) {
            if (fields.has(other)) {
                fields.error(
                        other,
                        "conflicts_with_phrase",
                        "Give a phrase or " + other + ", not both.",
                        "phrase 与 " + other + " 不能同时给出。");
            }
        }
        String phrase = fields.script("phrase", Limits.MAX_PHRASE);
        if (phrase != null && !errors.mentions("timeZone")) {
            try {
                Interpretation read = phrases.read(phrase, zone, now, options);
                errors.throwIfAny();
                return read;
            } catch (RequestProblem problem) {
                if (!errors.isEmpty()) {
                    errors.addAll(problem);
                    throw errors.problem();
                }
                throw problem;
            }
        }
        throw errors.problem();
    }

    private Interpretation interpretation(
            List<Window> windows, BookingRequest.Gpu gpu, RequestOptions options, ZoneId zone) {
        List<Reading> readings = new ArrayList<>();
        for (Window window : windows) {
            BookingRequest request = options.request(null, gpu, window, zone);
            boolean only = windows.size() == 1;
            readings.add(new Reading(
                    request,
                    echo.english(request),
                    echo.chinese(request),
                    only ? "nothing else was said" : "that hour comes twice on that day; this is one of the two",
                    only ? "没有其他读法" : "这个钟点当天出现两次，此为其中一次"));
        }
        return new Interpretation(readings);
    }

    private static @Nullable ZoneId zone(BodyFields fields) {
        String said = fields.text("timeZone", 64);
        if (said == null) {
            return null;
        }
        Optional<ZoneId> zone = TimeZones.named(said);
        if (zone.isEmpty()) {
            fields.error(
                    "timeZone",
                    "time_zone_unknown",
                    "“" + said + "” is no time zone; a known one is Asia/Shanghai.",
                    "“" + said + "”不是已知时区，例如 Asia/Shanghai。");
        }
        return zone.orElse(null);
    }

    private BookingRequest.@Nullable Gpu gpu(BodyFields fields, Constraints constraints) {
        BodyFields gpu = fields.object("gpu", "model", "count", "nodes", "memoryGb", "formFactor");
        if (gpu == null) {
            missing(fields, "gpu", "{\"model\": \"A100\", \"count\": 8}");
            return null;
        }
        if (!gpu.has("model")) {
            missing(gpu, "model", "A100");
        }
        if (!gpu.has("count")) {
            missing(gpu, "count", "8");
        }
        ModelName model = model(gpu.path("model"), gpu.text("model", 100), fields.errors());
        Integer count = gpu.number("count", 1, Limits.MAX_GPUS);
        Integer nodes = gpu.number("nodes", 1, Limits.MAX_GPUS);
        Integer memory = gpu.number("memoryGb", 1, 1024);
        String said = gpu.text("formFactor", 40);
        String form = said == null ? null : PhraseClauses.formFactor(said);
        boolean fits = count == null || GpuChoices.checkShape(count, nodes, constraints.singleNode(), fields.errors());
        if (model == null || count == null || !fits) {
            return null;
        }
        agree(gpu, "memoryGb", model.memoryGb(), memory);
        agree(gpu, "formFactor", model.formFactor(), form);
        return new BookingRequest.Gpu(
                model.canonical(),
                count,
                GpuChoices.normalNodes(count, nodes, constraints.singleNode()),
                memory == null ? model.memoryGb() : memory,
                form == null ? model.formFactor() : form);
    }

    /** A name such as "A100 80GB" says what the member says too. */
    private static void agree(BodyFields gpu, String name, @Nullable Object ofName, @Nullable Object said) {
        if (ofName != null && said != null && !ofName.equals(said)) {
            gpu.error(
                    name,
                    "conflict",
                    "gpu.model says " + ofName + ", " + gpu.path(name) + " says " + said + ".",
                    "gpu.model 为 " + ofName + "，而 " + gpu.path(name) + " 为 " + said + "。");
        }
    }

    private @Nullable ModelName model(String path, @Nullable String said, FieldErrors errors) {
        if (said == null) {
            return null;
        }
        Optional<ModelName> found = models.find(said);
        if (found.isEmpty()) {
            List<String> close = models.suggest(said);
            errors.add(
                    path,
                    "unknown_model",
                    "“" + said + "” is no GPU model of the catalogue."
                            + (close.isEmpty() ? "" : " Did you mean " + String.join(", ", close) + "?"),
                    "目录中没有名为“" + said + "”的 GPU。" + (close.isEmpty() ? "" : "是否指 " + String.join("、", close) + "？"));
            errors.extra("suggestions", close);
        }
        return found.orElse(null);
    }

    /** Ordered by start, each once; empty with an error. */
    private static List<Window> windows(BodyFields fields, BodyTimes times) {
        if (!fields.has("start")) {
            missing(fields, "start", "2026-12-20T00:00:00+08:00");
        }
        if (fields.has("end") && fields.has("duration")) {
            fields.error("duration", "conflict", "Give end or duration, not both.", "end 与 duration 只能给一个。");
        } else if (!fields.has("end") && !fields.has("duration")) {
            fields.error("end", "missing", "end or duration is missing, such as P5D.", "缺少 end 或 duration，例如 P5D。");
        }
        List<ZonedDateTime> starts = times.starts();
        List<ZonedDateTime> ends = times.ends();
        List<Length> lengths = times.lengths();
        Map<Window, Window> windows = new LinkedHashMap<>();
        for (ZonedDateTime start : starts) {
            for (ZonedDateTime end : ends) {
                window(windows, start, end, "end", fields.errors());
            }
            for (Length length : lengths) {
                if (length.isAbsurd()) {
                    StayChoices.tooLong("duration", fields.errors());
                } else {
                    window(windows, start, length.after(start), "duration", fields.errors());
                }
            }
        }
        if (windows.isEmpty()
                && !starts.isEmpty()
                && !ends.isEmpty()
                && !fields.errors().mentions("end")) {
            fields.error("end", "end_before_start", "end must be after start.", "end 必须晚于 start。");
        }
        return List.copyOf(windows.values());
    }

    private static void window(
            Map<Window, Window> windows, ZonedDateTime start, ZonedDateTime end, String field, FieldErrors errors) {
        if (!end.toInstant().isAfter(start.toInstant())) {
            return;
        }
        if (StayChoices.isTooLong(start, end)) {
            StayChoices.tooLong(field, errors);
            return;
        }
        Window window = new Window(start.toInstant(), end.toInstant());
        windows.putIfAbsent(window, window);
    }

    private static void missing(BodyFields fields, String name, String example) {
        if (!fields.has(name)) {
            fields.error(
                    name,
                    "missing",
                    fields.path(name) + " is missing, such as " + example + ".",
                    "缺少 " + fields.path(name) + "，例如 " + example + "。");
        }
    }

    /** No certificate, platform, region or currency that nobody knows: a slip would look like a wish nobody can meet. */
    private void namesAreKnown(RequestOptions options, FieldErrors errors) {
        Constraints wishes = options.constraints();
        isKnown("constraints.compliance", wishes.compliance(), known.compliance(), UNKNOWN_COMPLIANCE, errors);
        isKnown("constraints.platforms", wishes.platforms(), known.platforms().get(), UNKNOWN_PLATFORM, errors);
        Set<String> regions = known.regions().get();
        if (!regions.isEmpty()) {
            isKnown("constraints.regions", wishes.regions(), regions, UNKNOWN_REGION, errors);
        }
        if (options.maxTotal() != null) {
            Set<String> said = Set.of(options.maxTotal().currency().getCurrencyCode());
            isKnown("maxTotal.currency", said, known.currencies(), UNKNOWN_CURRENCY, errors);
        }
    }

    /** How a name that is not known is answered. */
    private record Unknown(String code, String english, String chinese) {}

    private static final Unknown UNKNOWN_COMPLIANCE =
            new Unknown("unknown_compliance", "is no known certificate", "不是已知的合规认证");
    private static final Unknown UNKNOWN_PLATFORM = new Unknown("unknown_platform", "is no known platform", "不是已知的平台");
    private static final Unknown UNKNOWN_REGION =
            new Unknown("bad_value", "is a region of no account and of no own machines", "不是任何账户或自有机器的地域");
    private static final Unknown UNKNOWN_CURRENCY =
            new Unknown("bad_value", "is no currency that prices can be compared in", "不是可用于比价的币种");

    private static void isKnown(
            String field, Set<String> said, Set<String> known, Unknown otherwise, FieldErrors errors) {
        Set<String> unknown = new TreeSet<>(said);
        unknown.removeAll(known);
        List<String> all = List.copyOf(new TreeSet<>(known));
        for (String name : unknown) {
            errors.add(
                    field,
                    otherwise.code(),
                    "“" + name + "” " + otherwise.english() + "; known are " + String.join(", ", all) + ".",
                    "“" + name + "”" + otherwise.chinese() + "，已知的有 " + String.join("、", all) + "。");
            errors.extra("known", all);
        }
    }

    /** Models by their canonical names. */
    private RequestOptions canonical(RequestOptions options, FieldErrors errors) {
        namesAreKnown(options, errors);
        Substitution said = options.substitution();
        List<String> canonical = new ArrayList<>();
        for (String model : said.models()) {
            ModelName name = model("substitution.models", model, errors);
            if (name != null && (name.memoryGb() != null || name.formFactor() != null)) {
                errors.add(
                        "substitution.models",
                        "bad_value",
                        "“" + model + "” leaves several models; name " + name.canonical() + " or one of them exactly.",
                        "“" + model + "”对应多个型号，请写 " + name.canonical() + " 或其中一个确切型号。");
            } else if (name != null && !canonical.contains(name.canonical())) {
                canonical.add(name.canonical());
            }
        }
        Substitution substitution =
                new Substitution(said.mode(), canonical, said.maxSlowdown(), said.scaleCount(), said.extendWindow());
        return new RequestOptions(
                options.constraints(),
                substitution,
                options.onUnavailable(),
                options.machine(),
                options.atEnd(),
                options.maxTotal(),
                options.title(),
                options.labels());
    }
}
