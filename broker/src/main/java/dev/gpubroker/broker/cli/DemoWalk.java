package dev.gpubroker.broker.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Interpretation;
import dev.gpubroker.client.model.NormalisedRequest;
import dev.gpubroker.client.model.Phrase;
import dev.gpubroker.client.model.Reservation;
import dev.gpubroker.client.model.State;
import dev.gpubroker.client.model.Substitution;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The demo up to the crash: the sentence from end to end, sold out, and a lost reply. */
final class DemoWalk {
    static final String ENGLISH = "8×A100 for 5 days from the 20th";
    static final String CHINESE = "8卡A100 从20号开始租5天";
    private static final Duration SOON = Duration.ofMinutes(10);
    private static final Duration LATER = Duration.ofMinutes(40);
    private static final int MOST_WARM_UPS = 5;

    private final DemoStage stage;

    DemoWalk(DemoStage stage) {
        this.stage = stage;
    }

    void play() throws ApiException {
        stage.scene("The clock: 10:00 on the 1st, so that the demo is alike on every day", "时钟：调到本月 1 号 10:00");
        LocalDate first = LocalDate.now(stage.zone()).withDayOfMonth(1);
        stage.clockTo(first.atTime(LocalTime.of(10, 0)).atZone(stage.zone()));
        warmUp();
        stage.run("availability", "--model", "A100", "--count", "8");
        mission();
        soldOut();
        lostReply();
    }

    /** A broker that has just started is slow at its first calls; the demo is not about that. */
    private void warmUp() throws ApiException {
        for (int i = 0; i < MOST_WARM_UPS; i++) {
            if (stage.session()
                    .planning()
                    .readAvailability("A100", 8, null, null, null)
                    .getSilent()
                    .isEmpty()) {
                return;
            }
        }
    }

    // ---- 1 ----------------------------------------------------------------------------------------------------

    private void mission() throws ApiException {
        stage.scene("1. A sentence becomes machines, and they go back", "1. 一句话预订，到期自动归还");
        stage.run("interpret", ENGLISH);
        stage.run("interpret", CHINESE);
        NormalisedRequest english = read(ENGLISH);
        stage.check(english.equals(read(CHINESE)), "both sentences are the same request", "两种语言得到同一个请求");
        stage.run("quote", ENGLISH);
        stage.run("book", ENGLISH, "--title", "7B 微调 fine-tuning");
        String id = stage.newest().getId();
        stage.run("calendar");
        stage.clockAfter(english.getStart(), SOON);
        stage.run("list");
        stage.mustBe(id, State.ACTIVE);
        stage.clockAfter(english.getEnd(), LATER);
        stage.run("show", id, "--events");
        stage.showStates(id);
        stage.mustBe(id, State.COMPLETED);
        stage.check(stage.left() == 0, "no machine is left", "没有剩余机器");
    }

    /** What the sentence means, without its words. */
    private NormalisedRequest read(String phrase) throws ApiException {
        Interpretation read = stage.session().planning().interpretPhrase(new Phrase().phrase(phrase), Session.newKey());
        return read.getRequest().phrase(null);
    }

    // ---- 2 ----------------------------------------------------------------------------------------------------

    private void soldOut() throws ApiException {
        stage.scene("2. A100 is sold out everywhere: RTX 4090 stand in", "2. A100 全部售罄：改用 RTX 4090");
        stage.run("sim", "stock", "all", "--model", "A100", "--gpus-per-node", "8", "--nodes", "0");
        LocalDate start = stage.now().toLocalDate().plusDays(5);
        stage.run(
                "book",
                "--gpu",
                "A100",
                "--count",
                "8",
                "--start",
                stage.midnight(start),
                "--for",
                "P2D",
                "--substitute",
                "auto",
                "--models",
                "RTX4090",
                "--title",
                "LoRA 4090");
        Reservation booked = stage.newest();
        Substitution planned = booked.getSubstitution();
        stage.check(
                planned != null && planned.getTo().equals("RTX4090"),
                "RTX4090 are planned in place of A100, with reason, slowdown and basis",
                "计划以 RTX4090 替代 A100，并说明原因、变慢程度和依据");
        stage.clockAfter(booked.getRequest().getStart(), SOON);
        stage.run("show", booked.getId());
        Substitution bought = stage.mustBe(booked.getId(), State.ACTIVE).getSubstitution();
        stage.check(
                bought != null && bought.getStatus() == Substitution.StatusEnum.FINAL,
                "they were bought at their date",
                "已按期购买替代机器");
        stage.clockAfter(booked.getRequest().getEnd(), LATER);
        stage.showStates(booked.getId());
        stage.mustBe(booked.getId(), State.COMPLETED);
        stage.check(stage.left() == 0, "no machine is left", "没有剩余机器");
    }

    // ---- 3 ----------------------------------------------------------------------------------------------------

    private void lostReply() throws ApiException {
        stage.scene("3. The reply to a purchase is lost: still exactly one machine", "3. 下单的回复丢失：仍然只有一台机器");
        stage.run("sim", "stock", "aliyun", "--model", "A100", "--gpus-per-node", "8", "--nodes", "8");
        stage.run("sim", "faults", "aliyun", "--operation", "claim", "--kind", "lose_reply");
        Set<String> before = ids(stage.instances("aliyun"));
        LocalDate start = stage.now().toLocalDate().plusDays(1);
        stage.run(
                "book",
                "--gpu",
                "A100",
                "--count",
                "8",
                "--start",
                stage.midnight(start),
                "--for",
                "P1D",
                "--platforms",
                "aliyun",
                "--substitute",
                "never",
                "--title",
                "夜间训练 nightly");
        Reservation booked = stage.newest();
        stage.clockAfter(booked.getRequest().getStart(), LATER);
        stage.run("show", booked.getId(), "--events");
        stage.mustBe(booked.getId(), State.ACTIVE);
        stage.run("sim", "instances", "aliyun", "--live");
        Set<String> made = ids(stage.instances("aliyun"));
        made.removeAll(before);
        stage.check(made.size() == 1, "exactly one machine was made for it: " + made, "只产生了一台机器：" + made);
    }

    private static Set<String> ids(List<JsonNode> instances) {
        return instances.stream().map(each -> each.path("id").asText()).collect(Collectors.toSet());
    }
}
