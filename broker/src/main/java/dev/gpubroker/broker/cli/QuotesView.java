package dev.gpubroker.broker.cli;

import dev.gpubroker.client.model.Plan;
import dev.gpubroker.client.model.PlatformAnswer;
import dev.gpubroker.client.model.Quote;
import dev.gpubroker.client.model.Quotes;

/** Priced plans beside each other, with what the first one costs and why others are not among them. */
final class QuotesView {
    private QuotesView() {}

    static String text(Quotes quotes, Lang lang) {
        StringBuilder text = new StringBuilder();
        text.append(new Fields()
                .add(lang.pick("Understood", "理解为"), lang.pick(quotes.getEcho(), quotes.getEchoZh()))
                .text());
        text.append(platforms(quotes, lang));
        if (quotes.getPlans().isEmpty()) {
            text.append(lang.pick("No plan: nothing can be had for this.", "没有可行方案。"))
                    .append('\n');
        } else {
            text.append(plans(quotes, lang));
            text.append(first(quotes.getPlans().get(0), lang));
        }
        return text.append(PlanView.explanation(quotes.getExplanation(), lang)).toString();
    }

    /** Who was asked, who answered, and how long it took. */
    private static String platforms(Quotes quotes, Lang lang) {
        Table table = new Table("", "", "", "");
        for (PlatformAnswer answer : quotes.getPlatforms()) {
            String said = answer.getAnswered()
                    ? lang.pick("answered", "已答复")
                    : lang.pick("SILENT", "未答复")
                            + (answer.getReason() == null
                                    ? ""
                                    : " " + answer.getReason().getValue());
            table.row(
                    answer.getPlatform(),
                    answer.getAccount(),
                    said + lang.pick(" in ", "，") + answer.getTookMs() + " ms",
                    answer.getDetail());
        }
        return lang.pick("Platforms asked:", "已询问平台：") + "\n" + table.text("  ");
    }

    private static String plans(Quotes quotes, Lang lang) {
        Table table = new Table(
                "",
                lang.pick("platform", "平台"),
                lang.pick("GPUs", "GPU"),
                "SKU",
                lang.pick("acquisition", "获取方式"),
                lang.pick("certainty", "确定性"),
                lang.pick("total", "总价"),
                lang.pick("lead time", "交付周期"),
                lang.pick("stock", "库存"),
                lang.pick("stands in for", "替代"),
                lang.pick("quote", "报价编号"));
        int number = 1;
        for (Quote quote : quotes.getPlans()) {
            Plan plan = quote.getPlan();
            table.row(
                    number++ + (plan.getNeedsPick() ? "*" : ""),
                    plan.getPlatform() + " " + plan.getRegion(),
                    PlanView.gpu(plan.getGpu()),
                    plan.getSku(),
                    Words.of(plan.getAcquisition().getValue(), lang),
                    Words.of(plan.getCertainty().getValue(), lang),
                    PlanView.total(quote.getTotal(), lang)
                            + (quote.getSimulated() ? lang.pick(" simulated", " 模拟") : ""),
                    PlanView.leadTime(plan.getLeadTime(), lang),
                    Words.of(plan.getStock().getValue(), lang),
                    plan.getSubstitution() == null ? "" : plan.getSubstitution().getFrom(),
                    quote.getQuoteId());
        }
        boolean picks =
                quotes.getPlans().stream().anyMatch(quote -> quote.getPlan().getNeedsPick());
        return lang.pick("Plans, best first:", "方案（最优在前）：") + "\n" + table.text("  ")
                + (picks ? lang.pick("  * only if picked by its quote\n", "  * 仅在指定报价编号时采用\n") : "");
    }

    private static String first(Quote quote, Lang lang) {
        Plan plan = quote.getPlan();
        Fields fields = new Fields();
        if (plan.getSubstitution() != null) {
            fields.add(lang.pick("Stand-in", "替代"), PlanView.substitution(plan.getSubstitution(), lang));
        }
        fields.add(lang.pick("If it fails", "若未成功"), lang.pick(plan.getIfItFails(), plan.getIfItFailsZh()));
        if (plan.getEndsOnlyWhileBrokerRuns()) {
            fields.add(
                    lang.pick("Note", "注意"),
                    lang.pick(
                            "The platform has no timed end: it ends only while the broker runs.",
                            "该平台没有定时释放：仅在 broker 运行时才能按时结束。"));
        }
        fields.add(lang.pick("Refund", "退款"), PlanView.refund(quote.getRefundTerms(), lang))
                .add(lang.pick("Data", "数据"), lang.pick(quote.getDataAtEnd(), quote.getDataAtEndZh()))
                .add(lang.pick("Valid until", "有效期至"), Times.shown(quote.getExpiresAt()))
                .add(lang.pick("Book it", "预订"), "gpu-broker book --quote " + quote.getQuoteId());
        return lang.pick("Price of the first:", "首个方案的价格：") + "\n"
                + PlanView.price(quote.getLines(), quote.getTotal(), quote.getSimulated(), lang) + fields.text();
    }
}
