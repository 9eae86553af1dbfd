package dev.gpubroker.broker.request;

import dev.gpubroker.broker.request.PhraseDraft.Cards;
import dev.gpubroker.broker.request.PhraseDraft.Spread;
import dev.gpubroker.broker.request.PhraseDraft.Stay;
import dev.gpubroker.broker.request.grammar.PhraseParser.AmountContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.ClauseContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.CountContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.CountOnlyContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.CountThenModelContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.FormContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.GluedContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.GpusContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.HalfContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.LengthContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.MemoryContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.ModelThenCountContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.NodeCountContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.PhraseContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.UnitContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.VariantContext;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;

/** Turns the clauses of a parsed phrase into a {@link PhraseDraft}. */
final class PhraseClauses {
    private static final Pattern SPAN_PART = Pattern.compile("(\\d+(?:\\.\\d+)?)([a-z]+)");

    private final PhraseText text;
    private final PhraseTokens tokens;
    private final PhraseMoments moments;
    private final PhraseDraft draft = new PhraseDraft();

    private PhraseClauses(PhraseText text, PhraseTokens tokens) {
        this.text = text;
        this.tokens = tokens;
        this.moments = new PhraseMoments(this::amount);
    }

    static PhraseDraft draft(PhraseContext phrase, PhraseText text, PhraseTokens tokens) {
        PhraseClauses clauses = new PhraseClauses(text, tokens);
        boolean afterLength = false;
        for (ClauseContext clause : phrase.clause()) {
            clauses.add(clause, afterLength);
            afterLength = clause.length() != null;
        }
        return clauses.draft;
    }

    private void add(ClauseContext clause, boolean afterLength) {
        if (clause.gpus() != null) {
            gpus(clause.gpus());
        } else if (clause.spread() != null) {
            Integer nodes = count(clause.spread().count(), "gpu.nodes");
            if (nodes != null) {
                boolean spreads = clause.spread().ON() != null
                        || clause.spread().IN() != null
                        || clause.spread().FEN() != null;
                draft.spreads.add(said(new Spread(nodes, spreads), clause));
            }
        } else if (clause.memory() != null) {
            draft.memories.add(said(memory(clause.memory()), clause));
        } else if (clause.form() != null) {
            draft.forms.add(said(form(clause.form()), clause));
        } else if (clause.start() != null) {
            draft.stays.add(said(new Stay(moments.start(clause.start()), null, false), clause));
        } else if (clause.range() != null) {
            draft.stays.add(said(moments.range(clause.range()), clause));
        } else if (clause.length() != null) {
            length(clause.length(), afterLength);
        }
    }

    private void gpus(GpusContext gpus) {
        if (gpus instanceof CountThenModelContext c) {
            model(c.MODEL().getSymbol());
            cards(c.nodeCount(), c.each, c);
        } else if (gpus instanceof ModelThenCountContext c) {
            model(c.MODEL().getSymbol());
            c.variant().forEach(this::variant);
            if (c.each != null) {
                cards(null, c.each, c);
            }
        } else if (gpus instanceof CountOnlyContext c) {
            cards(c.nodeCount(), c.each, c);
        }
    }

    private void variant(VariantContext variant) {
        if (variant.memory() != null) {
            draft.memories.add(said(memory(variant.memory()), variant.memory()));
        } else {
            draft.forms.add(said(form(variant.form()), variant.form()));
        }
    }

    /** The name may say more than the model: A100 80GB is an A100 of 80 GB. */
    private void model(Token token) {
        ModelName model = tokens.model(token);
        int position = token.getStartIndex();
        String words = text.said(position, token.getStopIndex());
        draft.models.add(new Said<>(model, words, position));
        if (model.memoryGb() != null) {
            draft.memories.add(new Said<>(model.memoryGb(), words, position));
        }
        if (model.formFactor() != null) {
            draft.forms.add(new Said<>(model.formFactor(), words, position));
        }
    }

    private void cards(@Nullable NodeCountContext nodeCount, CountContext each, ParserRuleContext all) {
        Integer nodes = nodeCount == null ? null : count(nodeCount.count(), "gpu.nodes");
        Integer count = count(each, "gpu.count");
        if (count != null && (nodeCount == null || nodes != null)) {
            draft.cards.add(said(new Cards(count, nodes), all));
        }
    }

    /** A whole number from 1 up to the limit; else null, and the error is noted. */
    private @Nullable Integer count(CountContext count, String field) {
        String words = said(count).words();
        if (count.MINUS() != null || count.DECIMAL() != null || count.DIAN() != null) {
            draft.errors.add(
                    field,
                    "out_of_range",
                    "“" + words + "” at character " + place(count) + " must be a whole number of at least 1.",
                    "第 " + place(count) + " 个字符处的“" + words + "”必须是不小于 1 的整数。");
            return null;
        }
        int number = Numerals.parse(count.number(0).getText());
        if (number < 1 || number > Limits.MAX_GPUS) {
            draft.errors.add(
                    field,
                    "out_of_range",
                    "“" + words + "” at character " + place(count) + " must be from 1 to " + Limits.MAX_GPUS + ".",
                    "第 " + place(count) + " 个字符处的“" + words + "”必须在 1 到 " + Limits.MAX_GPUS + " 之间。");
            return null;
        }
        return number;
    }

    private static int memory(MemoryContext memory) {
        String digits = memory.MEMORY() != null
                ? memory.MEMORY().getText().replaceAll("\\D", "")
                : memory.number().getText();
        return Numerals.parse(digits);
    }

    private static String form(FormContext form) {
        return formFactor(form.getText());
    }

    /** {@code sxm} for SXM4 and SXM5, {@code pcie} for PCI-E. */
    static String formFactor(String said) {
        String plain = said.toLowerCase(Locale.ROOT).replace("-", "");
        return plain.matches("sxm\\d?") ? "sxm" : plain;
    }

    /** Lengths said in a row are one if their units descend: "1d 12h", "2 weeks and 3 days". */
    private void length(LengthContext said, boolean goesOn) {
        Length length = value(said);
        if (length == null || length.isZero()) {
            draft.errors.add(
                    "duration",
                    "out_of_range",
                    "“" + said(said).words() + "” at character " + place(said)
                            + " must be a length of at least one hour, in whole hours, days or weeks.",
                    "第 " + place(said) + " 个字符处的“" + said(said).words() + "”必须是以整小时、天或周计的时长，至少 1 小时。");
            return;
        }
        int last = draft.lengths.size() - 1;
        if (goesOn && last >= 0 && draft.lengths.get(last).value().canTake(length)) {
            Said<Length> before = draft.lengths.get(last);
            String words = text.said(before.position(), said.getStop().getStopIndex());
            draft.lengths.set(last, new Said<>(before.value().plus(length), words, before.position()));
        } else {
            draft.lengths.add(said(length, said));
        }
    }

    private @Nullable Length value(LengthContext said) {
        if (said instanceof GluedContext glued) {
            return glued.MINUS() != null ? null : span(glued.SPAN().getText());
        }
        if (said instanceof HalfContext half) {
            return half.unit().DAYS() != null ? new Length(0, 0, 12) : null;
        }
        AmountContext amount = (AmountContext) said;
        if (amount.MINUS() != null) {
            return null;
        }
        if (amount.DECIMAL() != null || amount.DIAN() != null) {
            String number = amount.DECIMAL() != null
                    ? amount.DECIMAL().getText()
                    : Numerals.parse(amount.number(0).getText()) + "."
                            + Numerals.parse(amount.number(1).getText());
            return amount.HALF() != null ? null : fraction(number, unit(amount.unit()));
        }
        int number = amount.A() != null ? 1 : Numerals.parse(amount.number(0).getText());
        Length whole = amount(number, amount.unit());
        if (whole == null || amount.HALF() == null) {
            return whole;
        }
        return amount.unit().DAYS() != null ? whole.plus(new Length(0, 0, 12)) : null;
    }

    /** {@code 2w3d}, {@code 5days}; null for anything that is not whole hours. */
    private static @Nullable Length span(String text) {
        Length length = Length.NONE;
        Matcher parts = SPAN_PART.matcher(text);
        while (parts.find()) {
            String unit = parts.group(2);
            if (unit.startsWith("m") && !unit.startsWith("mo")) {
                return null;
            }
            char of = unit.startsWith("mo") ? 'm' : unit.charAt(0);
            Length part = parts.group(1).indexOf('.') >= 0
                    ? fraction(parts.group(1), of)
                    : amount(Numerals.parse(parts.group(1)), of);
            if (part == null) {
                return null;
            }
            length = length.plus(part);
        }
        return length;
    }

    private @Nullable Length amount(int number, UnitContext unit) {
        if (unit.MINUTES() != null) {
            return number % 60 == 0 ? amount(number / 60, 'h') : null;
        }
        return amount(number, unit(unit));
    }

    private static char unit(UnitContext unit) {
        return unit.HOURS() != null ? 'h' : unit.DAYS() != null ? 'd' : unit.MONTHS() != null ? 'm' : 'w';
    }

    /** 1.5 days are a day and twelve hours; null where the hours are not whole, or months have no whole number of them. */
    private static @Nullable Length fraction(String number, char unit) {
        BigDecimal days = new BigDecimal(number).multiply(BigDecimal.valueOf(unit == 'w' ? 7 : 1));
        if ((unit != 'd' && unit != 'w') || days.compareTo(BigDecimal.valueOf(1_000_000)) > 0) {
            return null;
        }
        BigDecimal hours = days.remainder(BigDecimal.ONE).multiply(BigDecimal.valueOf(24));
        return hours.stripTrailingZeros().scale() > 0 ? null : new Length(0, days.intValue(), hours.intValue());
    }

    private static Length amount(int number, char unit) {
        int bounded = Math.min(number, 1_000_000);
        return switch (unit) {
            case 'h' -> new Length(0, 0, bounded);
            case 'd' -> new Length(0, bounded, 0);
            case 'w' -> new Length(0, bounded * 7, 0);
            default -> new Length(bounded, 0, 0);
        };
    }

    private Said<String> said(ParserRuleContext context) {
        return said("", context);
    }

    private <T> Said<T> said(T value, ParserRuleContext context) {
        int start = context.getStart().getStartIndex();
        return new Said<>(value, text.said(start, context.getStop().getStopIndex()), start);
    }

    /** For people, who count from 1. */
    private static int place(ParserRuleContext context) {
        return context.getStart().getStartIndex() + 1;
    }
}
