package dev.gpubroker.broker.request;

import dev.gpubroker.broker.request.PhraseDraft.Cards;
import dev.gpubroker.broker.request.PhraseDraft.Spread;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which GPUs a phrase may mean: how many, on how many nodes, of which memory. */
final class GpuChoices {
    private final List<Choice> choices = new ArrayList<>();
    private final PhraseDraft draft;
    private final BookingRequest.Constraints constraints;

    record Choice(BookingRequest.Gpu gpu, @Nullable Words why) {}

    private record Total(
            int count, @Nullable Integer nodes, @Nullable Words why) {}

    private record Memory(
            @Nullable Integer gigabytes, @Nullable Words why) {}

    private GpuChoices(PhraseDraft draft, BookingRequest.Constraints constraints) {
        this.draft = draft;
        this.constraints = constraints;
    }

    /** What is missing or does not fit together is added to the draft's errors. */
    static GpuChoices of(PhraseDraft draft, BookingRequest.Constraints constraints) {
        GpuChoices gpus = new GpuChoices(draft, constraints);
        gpus.choose();
        return gpus;
    }

    /** Likeliest first; empty if there are errors. */
    List<Choice> choices() {
        return choices;
    }

    private void choose() {
        FieldErrors errors = draft.errors;
        Said<ModelName> model = PhraseReader.only(draft.models, "gpu.model", errors);
        Said<Cards> cards = PhraseReader.only(draft.cards, "gpu.count", errors);
        Said<Spread> spread = PhraseReader.only(draft.spreads, "gpu.nodes", errors);
        Said<Integer> memory = PhraseReader.only(draft.memories, "gpu.memoryGb", errors);
        Said<String> form = PhraseReader.only(draft.forms, "gpu.formFactor", errors);
        if (model == null && !errors.mentions("gpu.model")) {
            errors.add("gpu.model", "missing", "Say which GPU, such as A100.", "请说明要哪种 GPU，例如 A100。");
        }
        if (cards == null && !errors.mentions("gpu.count") && !errors.mentions("gpu.nodes")) {
            errors.add("gpu.count", "missing", "Say how many GPUs, such as 8×A100.", "请说明要多少张卡，例如 8卡A100。");
        }
        if (model == null || cards == null) {
            return;
        }
        for (Total total : totals(cards, spread == null ? null : spread.value())) {
            if (!checkShape(total.count(), total.nodes(), constraints.singleNode(), errors)) {
                continue;
            }
            for (Memory choice : memories(model.value(), memory)) {
                Integer nodes = normalNodes(total.count(), total.nodes(), constraints.singleNode());
                choices.add(new Choice(
                        new BookingRequest.Gpu(
                                model.value().canonical(),
                                total.count(),
                                nodes,
                                choice.gigabytes(),
                                form == null ? null : form.value()),
                        Words.join(total.why(), choice.why())));
            }
        }
    }

    /** One node for up to eight GPUs is what a request without nodes means, so both are the same request. */
    static @Nullable Integer normalNodes(int count, @Nullable Integer nodes, @Nullable Boolean singleNode) {
        boolean implied =
                nodes != null && nodes == 1 && count <= Limits.WHOLE_NODE && !Boolean.FALSE.equals(singleNode);
        return implied ? null : nodes;
    }

    /** Whether so many GPUs can stand on so many nodes; if not, the error is noted. */
    static boolean checkShape(int count, @Nullable Integer nodes, @Nullable Boolean singleNode, FieldErrors errors) {
        if (nodes == null) {
            return true;
        }
        if (count % nodes != 0) {
            errors.add(
                    "gpu.nodes",
                    "shape_impossible",
                    count + " GPUs cannot be spread evenly over " + nodes + " nodes.",
                    count + " 卡无法平均分到 " + nodes + " 个节点。");
            return false;
        }
        if (nodes > 1 && Boolean.TRUE.equals(singleNode)) {
            errors.add(
                    "gpu.nodes",
                    "shape_impossible",
                    nodes + " nodes do not go with constraints.singleNode.",
                    nodes + " 个节点与 constraints.singleNode 矛盾。");
            return false;
        }
        return true;
    }

    private List<Total> totals(Said<Cards> said, @Nullable Spread spread) {
        Cards cards = said.value();
        List<Total> totals = new ArrayList<>();
        if (cards.nodes() != null && spread != null && spread.nodes() != cards.nodes()) {
            draft.errors.add(
                    "gpu.nodes",
                    "said_twice",
                    "Both " + cards.nodes() + " and " + spread.nodes() + " nodes were said.",
                    "同时说了 " + cards.nodes() + " 个和 " + spread.nodes() + " 个节点。");
            return totals;
        }
        if (cards.nodes() != null) {
            perNode(totals, cards.count(), cards.nodes());
            if (cards.count() > Limits.WHOLE_NODE && cards.count() % cards.nodes() == 0) {
                inAll(totals, cards.count(), cards.nodes());
            }
        } else if (spread == null) {
            totals.add(new Total(cards.count(), null, null));
        } else if (spread.spreadsTotal() || spread.nodes() == 1) {
            inAll(totals, cards.count(), spread.nodes());
        } else {
            perNode(totals, cards.count(), spread.nodes());
            if (cards.count() % spread.nodes() == 0) {
                inAll(totals, cards.count(), spread.nodes());
            }
        }
        return totals;
    }

    private void perNode(List<Total> totals, int each, int nodes) {
        if ((long) each * nodes > Limits.MAX_GPUS) {
            draft.errors.add(
                    "gpu.count",
                    "out_of_range",
                    nodes + " × " + each + " is more than " + Limits.MAX_GPUS + " GPUs.",
                    nodes + " × " + each + " 超过 " + Limits.MAX_GPUS + " 卡。");
            return;
        }
        totals.add(new Total(
                each * nodes,
                nodes,
                new Words(each + " GPUs on each of " + nodes + " nodes", nodes + " 个节点，每个 " + each + " 卡")));
    }

    private static void inAll(List<Total> totals, int count, int nodes) {
        totals.add(new Total(
                count,
                nodes,
                new Words(
                        count + " GPUs in all, spread over " + nodes + " nodes",
                        "共 " + count + " 卡，分布在 " + nodes + " 个节点")));
    }

    private List<Memory> memories(ModelName model, @Nullable Said<Integer> said) {
        if (said != null && (said.value() < 1 || said.value() > 1024)) {
            draft.errors.add(
                    "gpu.memoryGb",
                    "out_of_range",
                    "“" + said.words() + "” must be from 1 to 1024 GB.",
                    "“" + said.words() + "”必须在 1 到 1024 GB 之间。");
        }
        List<Integer> sizes = model.choices().stream()
                .map(VariantMemory::memoryGb)
                .distinct()
                .sorted()
                .toList();
        if (said != null || sizes.size() < 2) {
            return List.of(new Memory(said == null ? null : said.value(), null));
        }
        return sizes.stream()
                .map(size -> new Memory(size, variants(model, size)))
                .toList();
    }

    private static Words variants(ModelName model, int size) {
        List<String> names = model.choices().stream()
                .filter(variant -> variant.memoryGb() >= size)
                .map(variant -> variant.model() + " " + variant.memoryGb() + " GB")
                .toList();
        return new Words(
                "at least " + size + " GB each: " + String.join(", ", names),
                "每卡至少 " + size + " GB：" + String.join("、", names));
    }
}
