package dev.gpubroker.broker.cli;

import dev.gpubroker.client.model.Action;
import dev.gpubroker.client.model.AssignedNode;
import dev.gpubroker.client.model.Assignment;
import dev.gpubroker.client.model.Proposal;
import dev.gpubroker.client.model.Quote;
import dev.gpubroker.client.model.Reservation;
import dev.gpubroker.client.model.ReservationEvent;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A reservation, and what happened to it, as text. */
final class ReservationView {
    private ReservationView() {}

    /** Everything that a person wants to know of one reservation. */
    static String text(Reservation r, Lang lang) {
        Fields fields = new Fields()
                .add(lang.pick("Reservation", "预订编号"), r.getId())
                .add(lang.pick("State", "状态"), state(r, lang))
                .add(lang.pick("Understood", "理解为"), RequestText.of(r.getRequest(), lang))
                .add(lang.pick("Phrase", "原话"), r.getRequest().getPhrase())
                .add(lang.pick("Title", "标题"), r.getTitle())
                .add(lang.pick("Labels", "标签"), labels(r.getLabels()));
        if (r.getAssignment() == null) {
            fields.add(lang.pick("Plan", "方案"), lang.pick("none yet", "暂无"));
        } else {
            fields.add(lang.pick("Plan", "方案"), PlanView.assignment(r.getAssignment(), lang))
                    .add(lang.pick("Machines", "机器"), machines(r.getAssignment()));
        }
        if (r.getSubstitution() != null) {
            fields.add(lang.pick("Stand-in", "替代"), PlanView.substitution(r.getSubstitution(), lang));
        }
        StringBuilder text = new StringBuilder(fields.text());
        if (r.getProposal() != null) {
            text.append(proposal(r.getId(), r.getProposal(), lang));
        }
        if (r.getQuote() != null) {
            text.append(lang.pick("Price:", "价格：")).append('\n').append(PlanView.price(r.getQuote(), lang));
            text.append(new Fields()
                    .add(lang.pick("Refund", "退款"), PlanView.refund(r.getQuote().getRefundTerms(), lang))
                    .text());
        }
        text.append(PlanView.explanation(r.getExplanation(), lang));
        return text.append(rest(r, lang)).toString();
    }

    private static String rest(Reservation r, Lang lang) {
        Fields fields = new Fields();
        r.getBlockers()
                .forEach(blocker -> fields.add(
                        lang.pick("To do", "待办"),
                        blocker.getWhat() + ": " + lang.pick(blocker.getHow(), blocker.getHowZh())
                                + (blocker.getFixBy() == null
                                        ? ""
                                        : lang.pick(" — by ", "——最迟 ") + Times.shown(blocker.getFixBy()))));
        if (r.getPendingChange() != null) {
            fields.add(
                    lang.pick("Under way", "修改中"),
                    lang.pick(
                            r.getPendingChange().getCount() + " GPUs, once all of them run",
                            "全部运行后为 " + r.getPendingChange().getCount() + " 张卡"));
        }
        if (r.getWaitlist() != null) {
            fields.add(
                    lang.pick("In line", "排队"),
                    lang.pick(
                            "position " + r.getWaitlist().getPosition() + ", expected "
                                    + Words.of(r.getWaitlist().getEta(), lang),
                            "第 " + r.getWaitlist().getPosition() + " 位，预计 "
                                    + Words.of(r.getWaitlist().getEta(), lang)));
        }
        if (r.getNextAction() != null) {
            fields.add(lang.pick("Next", "下一步"), next(r.getNextAction(), lang));
        }
        return fields.text();
    }

    private static String next(Action action, Lang lang) {
        String detail = lang.pick(action.getDetail() == null ? "" : action.getDetail(), action.getDetailZh());
        return Words.of(action.getWhat(), lang)
                + lang.pick(" at ", "，")
                + Times.shown(action.getAt())
                + (detail.isBlank() ? "" : "\n" + detail);
    }

    static String state(Reservation r, Lang lang) {
        String health = r.getHealth().stream().map(flag -> Words.of(flag, lang)).collect(Collectors.joining(", "));
        return Words.of(r.getState().getValue(), lang) + (health.isEmpty() ? "" : " (" + health + ")");
    }

    private static String labels(Map<String, String> labels) {
        return labels.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static String machines(Assignment place) {
        return place.getNodes().stream().map(ReservationView::machine).collect(Collectors.joining("\n"));
    }

    private static String machine(AssignedNode node) {
        String ref = node.getPlatformRef() == null ? "" : " = " + node.getPlatformRef();
        List<Integer> gpus = node.getGpus();
        String indexes =
                gpus.isEmpty() ? "" : " GPU " + gpus.get(0) + (gpus.size() == 1 ? "" : "–" + gpus.get(gpus.size() - 1));
        return node.getName() + ref + indexes;
    }

    /** What an offered reservation asks, and the two answers to it. */
    static String proposal(String id, Proposal proposal, Lang lang) {
        Quote quote = proposal.getQuote();
        String asked = Words.of(proposal.getKind().getValue(), lang) + ": "
                + lang.pick(proposal.getDetail(), proposal.getDetailZh())
                + lang.pick("\nAnswer by ", "\n请在此前答复：") + Times.shown(proposal.getExpiresAt()) + ":\n"
                + "gpu-broker accept " + id + "\ngpu-broker decline " + id;
        return new Fields().add(lang.pick("Proposal", "提议"), asked).text()
                + PlanView.price(quote.getLines(), quote.getTotal(), quote.getSimulated(), lang);
    }

    /** What happened, oldest first, one line each. */
    static String events(List<ReservationEvent> events, Lang lang) {
        Table table = new Table("", "", "", "", "");
        for (ReservationEvent event : events) {
            table.row(
                    Times.shown(event.getAt()),
                    event.getWho(),
                    Words.of(event.getWhat(), lang),
                    change(event.getBefore(), event.getAfter(), lang),
                    lang.pick(event.getWhy() == null ? "" : event.getWhy(), event.getWhyZh()));
        }
        return lang.pick("Events:", "经过：") + "\n" + table.text("  ");
    }

    private static String change(@Nullable Map<String, Object> before, @Nullable Map<String, Object> after, Lang lang) {
        String from = state(before);
        String to = state(after);
        if (from.equals(to)) {
            return "";
        }
        return from.isEmpty() ? Words.of(to, lang) : Words.of(from, lang) + " → " + Words.of(to, lang);
    }

    /** The state that one side of an event names, empty where it names none. */
    static String state(@Nullable Map<String, Object> side) {
        return side != null && side.get("state") instanceof String state ? state : "";
    }

    static String list(List<Reservation> reservations, Lang lang) {
        Table table = new Table(
                lang.pick("reservation", "预订编号"),
                lang.pick("state", "状态"),
                lang.pick("asked", "需求"),
                lang.pick("start", "开始"),
                lang.pick("end", "结束"),
                lang.pick("platform", "平台"),
                lang.pick("gets", "交付"),
                lang.pick("total", "总价"),
                lang.pick("title", "标题"));
        for (Reservation r : reservations) {
            Assignment place = r.getAssignment();
            table.row(
                    r.getId(),
                    state(r, lang),
                    r.getRequest().getGpu().getCount() + "×"
                            + r.getRequest().getGpu().getModel(),
                    Times.shown(r.getRequest().getStart()),
                    Times.shown(r.getRequest().getEnd()),
                    place == null ? "" : place.getPlatform(),
                    place == null ? "" : PlanView.gpu(place.getGpu()),
                    r.getQuote() == null
                            ? ""
                            : PlanView.total(r.getQuote().getTotal(), lang)
                                    + (r.getQuote().getSimulated() ? lang.pick(" simulated", " 模拟") : ""),
                    r.getTitle());
        }
        return table.isEmpty() ? lang.pick("None.", "没有。") + "\n" : table.text("");
    }
}
