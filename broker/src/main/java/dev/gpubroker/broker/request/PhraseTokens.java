package dev.gpubroker.broker.request;

import dev.gpubroker.broker.request.grammar.PhraseLexer;
import dev.gpubroker.broker.request.grammar.PhraseParser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonToken;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a phrase that the parser sees. The longest run which names a model as a whole becomes one MODEL; a word
 * that is in no list becomes UNKNOWN, together with all that is glued to it, so that {@code A100-8:8} is reported as
 * such and never read as an A100.
 */
final class PhraseTokens {
    /** "GeForce RTX 4090 D Laptop GPU" has six words; hyphens count as tokens. */
    private static final int LONGEST_MODEL = 10;

    /** After a bare number that is also a model's nickname (4090), these make it a number. */
    private static final Set<Integer> MEASURES = Set.of(
            PhraseLexer.HOURS,
            PhraseLexer.DAYS,
            PhraseLexer.WEEKS,
            PhraseLexer.ZHOU,
            PhraseLexer.MONTHS,
            PhraseLexer.MINUTES,
            PhraseLexer.HAO,
            PhraseLexer.YUE,
            PhraseLexer.NIAN,
            PhraseLexer.DIAN,
            PhraseLexer.GB);

    /** After a number that follows 点, these make the two a fraction or name the minutes themselves. */
    private static final Set<Integer> COUNTED = Set.of(
            PhraseLexer.CARDS,
            PhraseLexer.NODES,
            PhraseLexer.TIMES,
            PhraseLexer.HOURS,
            PhraseLexer.DAYS,
            PhraseLexer.WEEKS,
            PhraseLexer.MONTHS,
            PhraseLexer.FEN);

    private final PhraseText text;
    private final ModelNames names;
    private final List<CommonToken> lexed;
    private final List<CommonToken> tokens = new ArrayList<>();
    private final Map<Integer, ModelName> models = new HashMap<>();

    PhraseTokens(PhraseText text, ModelNames names) {
        this.text = text;
        this.names = names;
        PhraseLexer lexer = new PhraseLexer(CharStreams.fromString(text.folded()));
        lexer.removeErrorListeners();
        lexed = lexer.getAllTokens().stream()
                .filter(token -> token.getChannel() == Token.DEFAULT_CHANNEL)
                .map(CommonToken.class::cast)
                .toList();
        merge();
    }

    List<CommonToken> tokens() {
        return tokens;
    }

    List<CommonToken> unknown() {
        return tokens.stream()
                .filter(token -> token.getType() == PhraseParser.UNKNOWN)
                .toList();
    }

    /** The model that a MODEL token names. */
    ModelName model(Token token) {
        ModelName model = models.get(token.getStartIndex());
        if (model == null) {
            throw new IllegalArgumentException("not a model: " + token);
        }
        return model;
    }

    private void merge() {
        int i = 0;
        while (i < lexed.size()) {
            CommonToken token = lexed.get(i);
            int last = modelFrom(i);
            if (last >= 0) {
                tokens.add(joined(
                        PhraseParser.MODEL,
                        token.getStartIndex(),
                        lexed.get(last).getStopIndex()));
                i = last + 1;
            } else if (token.getType() == PhraseLexer.WORD || token.getType() == PhraseLexer.OTHER) {
                i = unknownAround(i);
            } else {
                if (token.getType() == PhraseLexer.DASH && isMinus(token.getStartIndex())) {
                    token.setType(PhraseParser.MINUS);
                } else if (isMinute(i)) {
                    token.setType(PhraseParser.MINUTE);
                }
                tokens.add(token);
                i++;
            }
        }
    }

    /** The last token of the longest model name that begins at this token, or -1. */
    private int modelFrom(int first) {
        int start = lexed.get(first).getStartIndex();
        if (isGlue(text.at(start - 1)) && !isMinus(start - 1)) {
            return -1;
        }
        for (int last = Math.min(first + LONGEST_MODEL, lexed.size()) - 1; last >= first; last--) {
            int stop = lexed.get(last).getStopIndex();
            if (!endsName(last) || (first == last && isPlainNumber(first))) {
                continue;
            }
            Optional<ModelName> found = find(text.halfWidth(start, stop));
            if (found.isPresent()) {
                models.put(start, found.get());
                return last;
            }
        }
        return -1;
    }

    private Optional<ModelName> find(String said) {
        Optional<ModelName> found = names.find(said);
        boolean plural = said.length() > 1 && (said.endsWith("s") || said.endsWith("S"));
        return found.isEmpty() && plural ? names.find(said.substring(0, said.length() - 1)) : found;
    }

    private boolean isPlainNumber(int index) {
        int type = lexed.get(index).getType();
        if (type == PhraseLexer.CNUM || type == PhraseLexer.ENUM) {
            return true;
        }
        return type == PhraseLexer.INT
                && index + 1 < lexed.size()
                && MEASURES.contains(lexed.get(index + 1).getType());
    }

    /** A name ends where its word ends; {@code A100-80GB}, {@code A100-SXM} and {@code A100:8} may go on. */
    private boolean endsName(int last) {
        int after = lexed.get(last).getStopIndex() + 1;
        if (PhraseText.isWord(text.at(after))) {
            return false;
        }
        if (!isGlue(text.at(after)) || !PhraseText.isWord(text.at(after + 1))) {
            return true;
        }
        CommonToken sign = tokenAt(last + 1);
        CommonToken next = tokenAt(last + 2);
        if (sign == null || next == null || sign.getStartIndex() != after || next.getStartIndex() != after + 1) {
            return false;
        }
        int type = next.getType();
        if (sign.getType() == PhraseLexer.COLON) {
            return type == PhraseLexer.INT && wordEndsAfter(next);
        }
        return sign.getType() == PhraseLexer.DASH
                && (type == PhraseLexer.MEMORY || type == PhraseLexer.FORM)
                && endsName(last + 2);
    }

    private boolean wordEndsAfter(CommonToken token) {
        int after = token.getStopIndex() + 1;
        return !PhraseText.isWord(text.at(after)) && !(isGlue(text.at(after)) && PhraseText.isWord(text.at(after + 1)));
    }

    private @Nullable CommonToken tokenAt(int index) {
        return index < lexed.size() ? lexed.get(index) : null;
    }

    /** Makes one UNKNOWN of everything glued to this token; answers the first token behind it. */
    private int unknownAround(int index) {
        int start = lexed.get(index).getStartIndex();
        int stop = lexed.get(index).getStopIndex();
        if (text.at(start) < 0x80 && PhraseText.isWord(text.at(start))) {
            while (isGlued(text.at(start - 1))) {
                start--;
            }
            while (isGlued(text.at(stop + 1))) {
                stop++;
            }
            while (isGlue(text.at(stop))) {
                stop--;
            }
        } else {
            while (index + 1 < lexed.size()
                    && lexed.get(index + 1).getType() == PhraseLexer.OTHER
                    && lexed.get(index + 1).getStartIndex() == stop + 1) {
                index++;
                stop = lexed.get(index).getStopIndex();
            }
        }
        int from = start;
        tokens.removeIf(token -> token.getStartIndex() >= from);
        tokens.add(joined(PhraseParser.UNKNOWN, start, stop));
        while (index < lexed.size() && lexed.get(index).getStartIndex() <= stop) {
            index++;
        }
        return index;
    }

    private CommonToken joined(int type, int start, int stop) {
        CommonToken token = new CommonToken(type, text.said(start, stop));
        token.setStartIndex(start);
        token.setStopIndex(stop);
        token.setLine(1);
        token.setCharPositionInLine(start);
        return token;
    }

    /** Two digits glued to 点 are minutes (8点30), unless a measure follows: 八点十五卡 would be a fraction. */
    private boolean isMinute(int index) {
        CommonToken token = lexed.get(index);
        boolean number = token.getType() == PhraseLexer.INT || token.getType() == PhraseLexer.CNUM;
        boolean twoDigits = token.getStopIndex() == token.getStartIndex() + 1;
        CommonToken before = index == 0 ? null : lexed.get(index - 1);
        CommonToken next = tokenAt(index + 1);
        return number
                && twoDigits
                && before != null
                && before.getType() == PhraseLexer.DIAN
                && before.getStopIndex() + 1 == token.getStartIndex()
                && (next == null || !COUNTED.contains(next.getType()));
    }

    /** A dash that is glued to a number and to nothing before it. */
    private boolean isMinus(int position) {
        int before = text.at(position - 1);
        return text.at(position) == '-'
                && (PhraseText.isDigit(text.at(position + 1)) || text.at(position + 1) == '.')
                && !PhraseText.isWord(before)
                && before != '号'
                && before != '日';
    }

    private static boolean isGlue(int c) {
        return c == '-' || c == '.' || c == ':' || c == '/' || c == '+';
    }

    private static boolean isGlued(int c) {
        return PhraseText.isWord(c) || isGlue(c);
    }
}
