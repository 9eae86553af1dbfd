package dev.gpubroker.broker.cli;

import dev.gpubroker.client.model.AgreedQuote;
import dev.gpubroker.client.model.Assignment;
import dev.gpubroker.client.model.Explanation;
import dev.gpubroker.client.model.LeadTime;
import dev.gpubroker.client.model.Money;
import dev.gpubroker.client.model.PlannedGpu;
import dev.gpubroker.client.model.QuoteLine;
import dev.gpubroker.client.model.Reason;
import dev.gpubroker.client.model.RefundTerms;
import dev.gpubroker.client.model.Substitution;
import dev.gpubroker.client.model.Total;
import dev.gpubroker.client.model.Window;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parts of a plan and its price, as text. */
final class PlanView {
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    private PlanView() {}

    static String money(@Nullable Money money) {
        return money == null ? "" : money.getAmount() + " " + money.getCurrency();
    }

    static String total(Total total, Lang lang) {
        return (total.getFrom() ? lang.pick("from ", "至少 ") : "") + total.getAmount() + " " + total.getCurrency();
    }

    /** {@code 8×A100-SXM4-80GB}, or {@code 2 × 8×…} on two nodes. */
    static String gpu(PlannedGpu gpu) {
        String node = gpu.getGpusPerNode() + "×" + gpu.getModel();
        return gpu.getNodes() == 1 ? node : gpu.getNodes() + " × " + node;
    }

    /** Every line of a price and its total; each is marked where it is simulated. */
    static String price(List<QuoteLine> lines, Total total, boolean simulated, Lang lang) {
        String mark = simulated ? lang.pick("simulated", "模拟") : "";
        Table table = new Table("", "", "", "", "", "");
        for (QuoteLine line : lines) {
            table.row(
                    Words.of(line.getKind().getValue(), lang),
                    lang.pick(line.getDescription(), line.getDescriptionZh()),
                    plain(line.getQuantity()) + " " + line.getUnit(),
                    "× " + (line.getUnitPrice() == null ? lang.pick("unknown", "未知") : plain(line.getUnitPrice())),
                    line.getAmount() == null ? lang.pick("unknown", "未知") : money(line.getAmount()),
                    mark);
        }
        table.row(lang.pick("total", "合计"), "", "", "", total(total, lang), mark);
        return table.text("  ");
    }

    private static String plain(String decimal) {
        try {
            BigDecimal number = new BigDecimal(decimal).stripTrailingZeros();
            return (number.scale() < 0 ? number.setScale(0) : number).toPlainString();
        } catch (NumberFormatException unreadable) {
            return decimal;
        }
    }

    static String refund(RefundTerms terms, Lang lang) {
        String rule = switch (terms.getRule()) {
            case PAY_PER_USE -> lang.pick("stopping ends the cost", "停止即不再计费");
            case UNUSED_HOURS ->
                lang.pick(
                        "unused whole hours come back less " + plain(terms.getFeePercent()) + " %",
                        "退还未使用的整小时，扣 " + plain(terms.getFeePercent()) + "%");
            case NONE -> lang.pick("nothing comes back", "不退款");
            default -> Words.of(terms.getRule().getValue(), lang);
        };
        return rule + lang.pick(" (" + terms.getSource() + ")", "（" + terms.getSource() + "）");
    }

    static String price(AgreedQuote quote, Lang lang) {
        // What costs nothing, as own machines, has no cap that says anything.
        String cap = quote.getCap() == null || plain(quote.getCap().getAmount()).equals("0")
                ? ""
                : lang.pick(
                        "  nothing is bought above " + money(quote.getCap()) + "\n",
                        "  超过 " + money(quote.getCap()) + " 不会下单\n");
        return price(quote.getLines(), quote.getTotal(), quote.getSimulated(), lang) + cap;
    }

    /** Where a booking is, or is planned to be, delivered. */
    static String assignment(Assignment place, Lang lang) {
        String zone = place.getZone() == null ? "" : ", " + place.getZone();
        return place.getPlatform() + " (" + place.getAccount() + ", " + place.getRegion() + zone + "), "
                + gpu(place.getGpu()) + ", " + place.getSku() + "\n"
                + Words.of(place.getAcquisition().getValue(), lang) + ", "
                + Words.of(place.getCertainty().getValue(), lang) + "; "
                + window(place.getWindow(), Words.of(place.getFit().getValue(), lang), lang);
    }

    private static String window(Window window, String fit, Lang lang) {
        String usable = window.getUsableEnd().equals(window.getEnd())
                ? ""
                : lang.pick(", usable until ", "，可用至 ") + Times.shown(window.getUsableEnd());
        return Times.shown(window.getStart()) + " → " + Times.shown(window.getEnd()) + " (" + fit + usable + ")";
    }

    /** Zero is "in stock now"; else the length and where it is from. */
    static String leadTime(LeadTime lead, Lang lang) {
        boolean now = lead.getDuration().equals("PT0S") || lead.getDuration().equals("P0D");
        String observed = lead.getObservations() == null
                ? ""
                : ", n=" + lead.getObservations() + (lead.getP50() == null ? "" : ", P50 " + lead.getP50());
        return (now ? lang.pick("none", "无") : lead.getDuration()) + " ("
                + Words.of(lead.getSource().getValue(), lang) + observed + ")";
    }

    /** {@code RTX4090 for A100 (sold_out), about 30 % longer, estimated; planned}. */
    static String substitution(Substitution standIn, Lang lang) {
        String slowdown = standIn.getExpectedSlowdown() == null
                ? lang.pick("slowdown unknown", "变慢程度未知")
                : slowdown(standIn.getExpectedSlowdown(), lang);
        String basis = standIn.getBasis() == null
                ? ""
                : ", " + Words.of(standIn.getBasis().getValue(), lang);
        String source = standIn.getSource() == null ? "" : ", " + standIn.getSource();
        String first = lang.pick(
                standIn.getTo() + " for " + standIn.getFrom(), "以 " + standIn.getTo() + " 替代 " + standIn.getFrom());
        String detail = lang.pick(standIn.getDetail() == null ? "" : standIn.getDetail(), standIn.getDetailZh());
        return first + " (" + standIn.getReason().getValue() + "); " + slowdown + basis + source + "; "
                + Words.of(standIn.getStatus().getValue(), lang) + (detail.isBlank() ? "" : "\n" + detail);
    }

    private static String slowdown(BigDecimal ratio, Lang lang) {
        BigDecimal percent = ratio.subtract(BigDecimal.ONE).multiply(HUNDRED).stripTrailingZeros();
        String number = percent.abs().toPlainString();
        return percent.signum() >= 0
                ? lang.pick("about " + number + " % longer (×" + ratio + ")", "约慢 " + number + "%（×" + ratio + "）")
                : lang.pick("about " + number + " % shorter (×" + ratio + ")", "约快 " + number + "%（×" + ratio + "）");
    }

    /** Why each candidate was left aside; models of one platform that fail for one reason share a line. */
    static String explanation(List<Explanation> reasons, Lang lang) {
        Table table = new Table("", "", "", "", "");
        Map<List<String>, List<String>> alike = new LinkedHashMap<>();
        for (Explanation each : reasons) {
            String detail = lang.pick(each.getDetail(), each.getDetailZh());
            String reason = each.getReason().getValue();
            if (each.getSku() == null) {
                String shared = each.getReason() == Reason.NOT_OFFERED ? lang.pick("does not sell", "不提供") : detail;
                alike.computeIfAbsent(List.of(each.getPlatform(), reason, shared), key -> new ArrayList<>())
                        .add(each.getModel());
            } else {
                table.row(each.getPlatform(), each.getModel(), each.getSku(), reason, detail);
            }
        }
        alike.forEach((key, models) -> {
            boolean isOne = models.size() == 1;
            table.row(
                    key.get(0),
                    isOne ? models.get(0) : "",
                    "",
                    key.get(1),
                    isOne ? key.get(2) : key.get(2) + ": " + String.join(", ", models));
        });
        return table.isEmpty() ? "" : lang.pick("Left aside:", "未采用：") + "\n" + table.text("  ");
    }
}
