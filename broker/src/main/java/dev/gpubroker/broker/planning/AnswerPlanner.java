package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.MachineOption;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Term;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.config.MachineSettings;
import dev.gpubroker.broker.inventory.Snapshot;
import dev.gpubroker.broker.quote.Costing;
import dev.gpubroker.broker.quote.Quoter;
import dev.gpubroker.broker.request.BookingRequest.AtEnd;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import dev.gpubroker.broker.request.MachineWish;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Plans for one candidate model from the answer of one account and region. */
final class AnswerPlanner {
    private final Quoter quoter;
    private final PlanningInput input;
    private final Snapshot.Answer answer;
    private final Candidate candidate;
    private final Capabilities platform;
    private final List<Plan> plans = new ArrayList<>();
    private final List<Plan> watched = new ArrayList<>();
    private final List<Plan> aboveLimit = new ArrayList<>();
    private final List<Rejection> rejections = new ArrayList<>();
    private boolean possible;

    AnswerPlanner(Quoter quoter, PlanningInput input, Snapshot.Answer answer, Candidate candidate) {
        this.quoter = quoter;
        this.input = input;
        this.answer = answer;
        this.candidate = candidate;
        this.platform = answer.account().capabilities();
    }

    List<Plan> plans() {
        return plans;
    }

    /** Sold out with a lead time too long to plan on; taken all the same if stock appears in time. */
    List<Plan> watched() {
        return watched;
    }

    /** Could be had now, at a price above the request's own limit. */
    List<Plan> aboveLimit() {
        return aboveLimit;
    }

    List<Rejection> rejections() {
        return rejections;
    }

    /** Whether stock, time or an answer is all that is missing. */
    boolean possible() {
        return possible;
    }

    void run() {
        List<Shape> sold = platform.shapes().stream()
                .filter(shape -> shape.flavor().model().equals(candidate.model().id()))
                .filter(shape -> shape.regions().isEmpty() || shape.regions().contains(answer.region()))
                .toList();
        if (sold.isEmpty()) {
            reject(
                    null,
                    Reason.NOT_OFFERED,
                    platform.name() + " does not list " + candidate.model().id());
            return;
        }
        ShapeRule rule = ShapeRule.of(input.request());
        List<Shape> fitting = sold.stream()
                .filter(shape -> rule.nodesOf(shape.flavor().gpusPerNode()).isPresent())
                .toList();
        if (fitting.isEmpty()) {
            List<Integer> counts = sold.stream()
                    .map(shape -> shape.flavor().gpusPerNode())
                    .distinct()
                    .sorted()
                    .toList();
            reject(
                    null,
                    Reason.SHAPE_NOT_OFFERED,
                    "it sells " + candidate.model().id() + " in machines of " + counts);
            return;
        }
        if (!answer.account().buys()) {
            reject(
                    null,
                    Reason.PURCHASES_OFF,
                    "account " + answer.account().id() + " is set to '"
                            + answer.account().purchases() + "': nothing is bought there");
        }
        if (rejectedKeep() || rejectedMachine() || rejectedTerm(fitting.get(0))) {
            return;
        }
        possible |= answer.account().buys();
        Offers offers = answer.offers();
        if (answer.silence() != null) {
            reject(null, answer.silence(), answer.silenceDetail());
        }
        if (offers != null) {
            fitting.forEach(shape -> shape(shape, rule, offers));
        }
    }

    /** No adapter can have a disk kept or an image made, and what is lost at the end cannot be mended then. */
    private boolean rejectedKeep() {
        AtEnd atEnd = input.request().atEnd();
        if (atEnd == null || atEnd.keep() == AtEnd.Keep.NONE) {
            return false;
        }
        boolean disk = atEnd.keep() == AtEnd.Keep.DISK;
        rejections.add(new Rejection(
                answer.account().platform(),
                null,
                candidate.model().id(),
                Reason.NOT_OFFERED,
                disk
                        ? "no disk of its machines can be kept after the end: all data on them is gone then"
                        : "no image of its machines can be made at the end: all data on them is gone then",
                disk ? "结束后无法保留其机器的磁盘，机器上的所有数据都会被清除" : "结束时无法为其机器制作镜像，机器上的所有数据都会被清除"));
        return true;
    }

    /** What the platform's orders do not take is no plan; keys it takes none of are told, since its login is a password then. */
    private boolean rejectedMachine() {
        MachineWish wish = input.request().machineWish();
        Set<MachineOption> takes = platform.machineOptions();
        List<MachineOption> lacking = new ArrayList<>();
        if (wish.startupScript() != null) {
            lacking.add(MachineOption.STARTUP_SCRIPT);
        }
        if (Boolean.TRUE.equals(wish.publicIp())) {
            lacking.add(MachineOption.PUBLIC_IP);
        }
        if (wish.dataDiskGb() != null && wish.dataDiskGb() > 0) {
            lacking.add(MachineOption.DATA_DISK);
        }
        if (wish.image() != null) {
            lacking.add(MachineOption.IMAGE);
        }
        lacking.removeAll(takes);
        if (!lacking.isEmpty()) {
            reject(
                    null,
                    Reason.NOT_OFFERED,
                    "its orders take no "
                            + lacking.stream().map(MachineOption::words).collect(Collectors.joining(" and no ")));
            return true;
        }
        Optional<BootText> tooLong = BootText.tooLong(
                platform,
                answer.account().machine(wish),
                answer.account().machines().readiness() == MachineSettings.Readiness.CALL_HOME);
        if (tooLong.isPresent()) {
            rejections.add(new Rejection(
                    answer.account().platform(),
                    null,
                    candidate.model().id(),
                    Reason.NOT_OFFERED,
                    tooLong.get().english(),
                    tooLong.get().chinese()));
            return true;
        }
        if (!wish.sshKeys().isEmpty() && !takes.contains(MachineOption.SSH_KEYS)) {
            reject(
                    null,
                    Reason.NOT_OFFERED,
                    "its orders take no SSH keys: its machines are logged in to with a password, which the reservation's"
                            + " access shows");
        }
        return false;
    }

    private boolean rejectedTerm(Shape shape) {
        Window window = input.window();
        Capabilities.Forward forward = platform.forward();
        if (platform.sellsNow()) {
            if (platform.maxTerm() != null && window.length().compareTo(platform.maxTerm()) > 0) {
                reject(shape.sku(), Reason.TERM_NOT_OFFERED, "it sells at most " + platform.maxTerm());
                return true;
            }
            return false;
        }
        if (forward != null && window.start().isAfter(input.now().plus(forward.horizon()))) {
            reject(
                    shape.sku(),
                    Reason.WINDOW_UNSUPPORTED,
                    "it sells at most " + forward.horizon().toDays() + " days ahead");
            return true;
        }
        if (forward != null && window.length().compareTo(forward.maxLength()) > 0) {
            reject(
                    shape.sku(),
                    Reason.TERM_NOT_OFFERED,
                    "it sells at most " + forward.maxLength().toDays() + " days");
            return true;
        }
        return false;
    }

    private void shape(Shape shape, ShapeRule rule, Offers offers) {
        OptionalInt nodes = rule.nodesOf(shape.flavor().gpusPerNode());
        List<Offer> found = offers.available().stream()
                .filter(offer -> offer.sku().equals(shape.sku()))
                .toList();
        List<Offer> enough = found.stream()
                .filter(offer -> offer.stock().allows(nodes.orElseThrow()))
                .toList();
        if (tooSpecial(shape)) {
            return;
        }
        for (Offer offer : enough) {
            offered(shape, offer, nodes.orElseThrow());
        }
        if (enough.isEmpty()) {
            missing(shape, nodes.orElseThrow(), offers, found);
        }
    }

    /** Interconnect is checked here because it is the machine's, not the model's. */
    private boolean tooSpecial(Shape shape) {
        String wanted = input.request().constraints().interconnect();
        if (wanted != null
                && !wanted.equalsIgnoreCase(shape.interconnect())
                && shape.flavor().gpusPerNode() > 1) {
            reject(
                    shape.sku(),
                    Reason.INTERCONNECT,
                    "its GPUs are joined by " + shape.interconnect() + ", not " + wanted);
            return true;
        }
        return false;
    }

    private void offered(Shape shape, Offer offer, int nodes) {
        Window window = input.window();
        Window sold = offer.window();
        Instant usableEnd = offer.usableEnd() != null ? offer.usableEnd() : sold != null ? sold.end() : window.end();
        if (sold != null && (sold.start().isAfter(window.start()) || usableEnd.isBefore(window.end()))) {
            reject(
                    shape.sku(),
                    Reason.WINDOW_UNSUPPORTED,
                    "it sells " + sold.start() + " to " + usableEnd + ", which does not cover the window");
            return;
        }
        boolean ahead = offer.term() == Term.FORWARD;
        Instant tried =
                ahead ? input.now() : window.start().minus(input.policy().acquireLead());
        Optional<RecentRefusals.Refusal> refused =
                input.refusals().of(answer.account().id(), offer, latest(input.now(), tried));
        if (refused.isPresent()) {
            reject(
                    shape.sku(),
                    refused.get().reason(),
                    "refused at " + refused.get().refusedAt() + " although it was listed; tried again from "
                            + refused.get().until());
            return;
        }
        costed(shape, offer, nodes).ifPresent(costing -> {
            if (isAboveLimit(costing)) {
                reject(
                        shape.sku(),
                        Reason.TOO_EXPENSIVE,
                        costing.total() + " is above the limit of "
                                + input.request().maxTotal());
                Acquisition how = ahead ? Acquisition.FORWARD : Acquisition.JUST_IN_TIME;
                aboveLimit.add(plan(shape, offer, nodes, how, LeadTime.none(), stockOf(offer), costing));
                return;
            }
            if (ahead) {
                plans.add(plan(shape, offer, nodes, Acquisition.FORWARD, LeadTime.none(), stockOf(offer), costing));
                return;
            }
            boolean unknown = offer.stock().level() == Stock.Level.UNKNOWN;
            if (unknown) {
                reject(shape.sku(), Reason.STOCK_UNKNOWN, "its stock cannot be asked; tried after known stock");
            }
            plans.add(plan(shape, offer, nodes, Acquisition.JUST_IN_TIME, LeadTime.none(), stockOf(offer), costing));
            Duration before = Duration.between(input.now(), window.start());
            if (!unknown && before.compareTo(Duration.ofHours(1)) >= 0) {
                Costing early = quoter.heldEarly(costing, window.length(), before);
                if (isAboveLimit(early)) {
                    reject(
                            shape.sku(),
                            Reason.TOO_EXPENSIVE,
                            "taken early it costs " + early.total() + ", above the limit of "
                                    + input.request().maxTotal());
                    return;
                }
                plans.add(plan(shape, offer, nodes, Acquisition.HOLD_EARLY, LeadTime.none(), stockOf(offer), early));
            }
        });
    }

    private static Plan.StockView stockOf(Offer offer) {
        switch (offer.stock().level()) {
            case PLENTY:
                return Plan.StockView.KNOWN;
            case SCARCE:
                return Plan.StockView.SCARCE;
            default:
                return Plan.StockView.UNKNOWN;
        }
    }

    private Optional<Costing> costed(Shape shape, Offer offer, int nodes) {
        List<Price> prices = input.snapshot().pricesOf(answer, offer);
        if (prices.isEmpty()) {
            reject(shape.sku(), Reason.UNKNOWN_PRICE, "the platform stated no price");
            return Optional.empty();
        }
        Window priced = offer.window() == null ? input.window() : offer.window();
        Quoter.Result result =
                quoter.cheapest(prices, priced, nodes * shape.flavor().gpusPerNode(), platform.refund());
        Costing costing = result.costing();
        if (costing == null) {
            reject(shape.sku(), Reason.BAD_PRICE, String.valueOf(result.badPrice()));
            return Optional.empty();
        }
        return Optional.of(costing);
    }

    private boolean isAboveLimit(Costing costing) {
        Money most = input.request().maxTotal();
        Money total = costing.total();
        return most != null && total != null && quoter.isDearer(total, most);
    }

    /** Sold out, or missing for a reason the platform gave: a wait if its lead time is short enough. */
    private void missing(Shape shape, int nodes, Offers offers, List<Offer> tooFew) {
        Optional<Offers.Missing> stated = offers.missing().stream()
                .filter(missing -> missing.sku().equals(shape.sku()))
                .findFirst();
        Reason reason = stated.map(Offers.Missing::reason).orElse(Reason.SOLD_OUT);
        String detail = stated.map(Offers.Missing::detail)
                .orElseGet(() -> tooFew.isEmpty()
                        ? "no machine of " + shape.flavor() + " in stock now"
                        : "fewer than " + nodes + " machines in stock now");
        reject(shape.sku(), reason, detail);
        if (reason != Reason.SOLD_OUT || !platform.sellsNow()) {
            return;
        }
        LeadTime lead = stated.flatMap(missing -> Optional.ofNullable(missing.backIn()))
                .map(backIn -> new LeadTime(backIn, backIn, LeadTime.Source.PLATFORM, null, "stated by the platform"))
                .or(() -> input.leadTimes().of(answer.account().id(), answer.region(), shape.flavor()))
                .orElseGet(LeadTime::assumed);
        Offer wait = Offer.now(shape.sku(), shape.flavor(), answer.region(), null, Stock.unknown());
        Costing costing = costedWait(wait, shape.flavor(), nodes);
        Plan plan = plan(shape, wait, nodes, Acquisition.JUST_IN_TIME, lead, Plan.StockView.SOLD_OUT, costing);
        if (isTooLong(lead)) {
            reject(
                    shape.sku(),
                    Reason.LEAD_TIME_TOO_LONG,
                    "expected in " + lead.high().toDays() + " days ("
                            + lead.source().wireName() + "), after the start");
            watched.add(plan);
        } else {
            plans.add(plan);
        }
    }

    private Costing costedWait(Offer wait, Flavor flavor, int nodes) {
        List<Price> prices = input.snapshot().pricesOf(answer, wait);
        if (!prices.isEmpty()) {
            Costing costing = quoter.cheapest(prices, input.window(), nodes * flavor.gpusPerNode(), platform.refund())
                    .costing();
            if (costing != null) {
                return costing;
            }
        }
        return Quoter.unknown(platform.currency(), platform.refund());
    }

    private boolean isTooLong(LeadTime lead) {
        Duration most = input.request().constraints().maxLeadTime();
        return input.now().plus(lead.high()).isAfter(input.request().window().start())
                || (most != null && lead.high().compareTo(most) > 0);
    }

    private Plan plan(
            Shape shape,
            Offer offer,
            int nodes,
            Acquisition acquisition,
            LeadTime lead,
            Plan.StockView stock,
            Costing costing) {
        Window asked = input.window();
        Window sold = offer.window();
        Window taken = sold != null
                ? sold
                : acquisition == Acquisition.HOLD_EARLY ? new Window(input.now(), asked.end()) : asked;
        Instant usableEnd = offer.usableEnd() == null ? taken.end() : offer.usableEnd();
        return new Plan(
                answer.account().platform(),
                answer.account().id(),
                answer.region(),
                offer.zone(),
                shape.sku(),
                shape.flavor(),
                nodes,
                shape.memoryGb(),
                acquisition,
                acquisition == Acquisition.JUST_IN_TIME ? Certainty.BEST_EFFORT : Certainty.GUARANTEED,
                taken,
                usableEnd,
                actions(acquisition, asked, stock),
                lead,
                stock,
                costing,
                candidate.standIn(),
                ifItFails(acquisition),
                ifItFailsZh(acquisition),
                platform.sellsNow() && !platform.timedEnd(),
                !answer.account().buys()
                        || (acquisition == Acquisition.HOLD_EARLY
                                && !input.policy().holdsEarly()),
                answer.account().simulated(),
                offer);
    }

    private List<Plan.Action> actions(Acquisition acquisition, Window asked, Plan.StockView stock) {
        Instant order = acquisition == Acquisition.JUST_IN_TIME
                ? latest(input.now(), asked.start().minus(input.policy().acquireLead()))
                : input.now();
        List<Plan.Action> actions = new ArrayList<>();
        if (stock == Plan.StockView.SOLD_OUT || candidate.standIn() != null) {
            boolean alone = input.request().substitution().mode() == Substitution.Mode.NEVER;
            actions.add(new Plan.Action(
                    alone ? "watch_stock" : "decide_fallback",
                    latest(input.now(), asked.start().minus(input.policy().decideBefore()))));
        }
        actions.add(new Plan.Action("order", order));
        actions.add(new Plan.Action("start", asked.start()));
        actions.add(new Plan.Action("end", asked.end()));
        return actions;
    }

    private static Instant latest(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private static String ifItFails(Acquisition acquisition) {
        return acquisition == Acquisition.JUST_IN_TIME
                ? "the next plan is tried at once, then again until the start's grace runs out; nothing is charged"
                : "the next plan is tried at once; nothing is charged for what was not delivered";
    }

    private static String ifItFailsZh(Acquisition acquisition) {
        return acquisition == Acquisition.JUST_IN_TIME ? "立即尝试下一方案，之后在开始后的宽限期内反复尝试；不产生费用" : "立即尝试下一方案；未交付的部分不产生费用";
    }

    private void reject(@Nullable String sku, Reason reason, String detail) {
        rejections.add(new Rejection(
                answer.account().platform(), sku, candidate.model().id(), reason, detail));
    }
}
