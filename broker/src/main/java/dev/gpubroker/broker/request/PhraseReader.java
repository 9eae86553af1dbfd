package dev.gpubroker.broker.request;

import dev.gpubroker.broker.request.PhraseDraft.Stay;
import dev.gpubroker.broker.request.grammar.PhraseParser;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.antlr.v4.runtime.BailErrorStrategy;
import org.antlr.v4.runtime.CommonToken;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.ListTokenSource;
import org.antlr.v4.runtime.NoViableAltException;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.misc.ParseCancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Reads what people say, in English or Chinese: {@code 8×A100 for 5 days from the 20th}, {@code 8卡A100 从20号开始租5天}.
 * The same wish in either language gives the same request. Nothing is guessed: a word it does not know is named, a part
 * that is missing is asked for, and where two readings are usual both are given.
 */
public final class PhraseReader {
    /** Unknown words that are named; more of them are noise. */
    private static final int MOST_NAMED = 10;

    private final ModelNames models;
    private final Echo echo;
    private final Vocabulary vocabulary = new Vocabulary();

    public PhraseReader(ModelNames models) {
        this.models = models;
        this.echo = new Echo(models);
    }

    /**
     * The readings of a phrase in a zone, seen from an instant.
     *
     * @throws RequestProblem {@code not_understood}, {@code no_such_date}, {@code in_the_past}, {@code beyond_horizon}, or
     *     {@code invalid_request} with the parts that are missing or out of range
     */
    public Interpretation read(String phrase, ZoneId zone, Instant now) {
        return read(phrase, zone, now, RequestOptions.none());
    }

    /** The same, with everything that a body said beside its phrase put into each reading. */
    Interpretation read(String phrase, ZoneId zone, Instant now, RequestOptions options) {
        PhraseDraft draft = draft(phrase);
        GpuChoices gpus = GpuChoices.of(draft, options.constraints());
        StayChoices stays = new StayChoices(zone, now);
        Said<Stay> stay = only(draft.stays, "start", draft.errors);
        Said<Length> length = only(draft.lengths, "duration", draft.errors);
        List<StayChoices.Choice> windows = stay == null || draft.errors.mentions("duration")
                ? List.of()
                : stays.windows(stay, length, draft.errors);
        if (stay == null && !draft.errors.mentions("start")) {
            draft.errors.add(
                    "start", "missing", "Say when it starts, such as “from the 20th”.", "请说明从何时开始，例如“从20号开始”。");
        }
        boolean lengthKnown = length != null || (stay != null && stay.value().end() != null);
        if (!lengthKnown && !draft.errors.mentions("duration")) {
            draft.errors.add(
                    "duration",
                    "missing",
                    "Say for how long, such as “for 5 days”, or until when.",
                    "请说明租多久，例如“租5天”，或到何时为止。");
        }
        if (!gpus.choices().isEmpty() && !stays.pastAlternatives().isEmpty() && draft.errors.size() == 1) {
            Interpretation nearest = interpretation(phrase, zone, gpus, stays.pastAlternatives(), options);
            draft.errors.extra("readings", RequestJson.readings(nearest.readings()));
        }
        draft.errors.throwIfAny();
        return interpretation(phrase, zone, gpus, windows, options);
    }

    private Interpretation interpretation(
            String phrase, ZoneId zone, GpuChoices gpus, List<StayChoices.Choice> windows, RequestOptions options) {
        Map<BookingRequest, Reading> readings = new LinkedHashMap<>();
        for (GpuChoices.Choice gpu : gpus.choices()) {
            for (StayChoices.Choice window : windows) {
                BookingRequest request = options.request(phrase, gpu.gpu(), window.window(), zone);
                Words why = Objects.requireNonNullElse(
                        Words.join(gpu.why(), window.why()), new Words("the words allow no other reading", "没有其他读法"));
                Reading reading = new Reading(
                        request, echo.english(request), echo.chinese(request), why.english(), why.chinese());
                if (readings.size() < Limits.MAX_READINGS) {
                    readings.putIfAbsent(request, reading);
                }
            }
        }
        return new Interpretation(List.copyOf(readings.values()));
    }

    private PhraseDraft draft(String phrase) {
        PhraseText text = new PhraseText(phrase);
        if (phrase.codePointCount(0, phrase.length()) > Limits.MAX_PHRASE) {
            FieldErrors errors = new FieldErrors();
            errors.add(
                    "phrase",
                    "too_long",
                    "A phrase has at most " + Limits.MAX_PHRASE + " characters.",
                    "一句话最多 " + Limits.MAX_PHRASE + " 个字符。");
            throw errors.problem();
        }
        PhraseTokens tokens = new PhraseTokens(text, models);
        if (!tokens.unknown().isEmpty()) {
            throw notUnderstood(tokens.unknown(), text);
        }
        PhraseParser parser = new PhraseParser(new CommonTokenStream(new ListTokenSource(tokens.tokens())));
        parser.removeErrorListeners();
        parser.setErrorHandler(new BailErrorStrategy());
        try {
            return PhraseClauses.draft(parser.phrase(), text, tokens);
        } catch (ParseCancellationException e) {
            throw doesNotFit(e, tokens.tokens(), text);
        }
    }

    private RequestProblem notUnderstood(List<? extends Token> unknown, PhraseText text) {
        FieldErrors errors = new FieldErrors();
        List<Map<String, Object>> tokens = new ArrayList<>();
        Set<String> suggestions = new LinkedHashSet<>();
        for (Token token : unknown.subList(0, Math.min(unknown.size(), MOST_NAMED))) {
            String words = text.said(token.getStartIndex(), token.getStopIndex());
            Set<String> close = new LinkedHashSet<>(vocabulary.close(words));
            close.addAll(models.suggest(words));
            suggestions.addAll(close);
            tokens.add(Map.of("text", words, "position", token.getStartIndex(), "suggestions", List.copyOf(close)));
            int place = token.getStartIndex() + 1;
            errors.add(
                    "phrase",
                    "not_understood",
                    "“" + words + "” at character " + place + " is not understood."
                            + (close.isEmpty() ? "" : " Did you mean " + String.join(", ", close) + "?"),
                    "第 " + place + " 个字符处的“" + words + "”无法理解。"
                            + (close.isEmpty() ? "" : "是否指 " + String.join("、", close) + "？"));
        }
        errors.extra("tokens", tokens);
        errors.extra("suggestions", List.copyOf(suggestions));
        return errors.problem();
    }

    /** All words are known, but not in this order. */
    private static RequestProblem doesNotFit(ParseCancellationException e, List<CommonToken> tokens, PhraseText text) {
        RecognitionException cause = (RecognitionException) Objects.requireNonNull(e.getCause());
        Token last = cause.getOffendingToken();
        Token token = cause instanceof NoViableAltException n ? n.getStartToken() : last;
        if (last.getType() == Token.EOF && !tokens.isEmpty()) {
            last = tokens.get(tokens.size() - 1);
            token = token.getType() == Token.EOF ? last : token;
        }
        FieldErrors errors = new FieldErrors();
        if (token.getType() == Token.EOF) {
            errors.add("phrase", "not_understood", "The phrase says nothing.", "这句话没有内容。");
            return errors.problem();
        }
        String words = text.said(token.getStartIndex(), Math.max(token.getStopIndex(), last.getStopIndex()));
        int place = token.getStartIndex() + 1;
        errors.add(
                "phrase",
                "not_understood",
                "“" + words + "” at character " + place
                        + " does not fit there. A phrase that does: 8×A100 for 5 days from the 20th.",
                "第 " + place + " 个字符处的“" + words + "”放在这里无法理解。可以这样说：8卡A100 从20号开始租5天。");
        errors.extra(
                "tokens", List.of(Map.of("text", words, "position", token.getStartIndex(), "suggestions", List.of())));
        return errors.problem();
    }

    /** The one value that was said; null if none was, or, with an error, if different ones were. */
    static <T> @Nullable Said<T> only(List<Said<T>> said, String field, FieldErrors errors) {
        if (said.stream().map(Said::value).distinct().count() > 1) {
            Said<T> first = said.get(0);
            Said<T> last = said.get(said.size() - 1);
            errors.add(
                    field,
                    "said_twice",
                    "“" + first.words() + "” and “" + last.words() + "” do not go together; say one of them.",
                    "“" + first.words() + "”与“" + last.words() + "”不能同时成立，请只说一个。");
            return null;
        }
        return said.isEmpty() ? null : said.get(0);
    }
}
