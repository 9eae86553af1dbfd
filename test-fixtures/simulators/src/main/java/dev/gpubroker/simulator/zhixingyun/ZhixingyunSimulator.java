package dev.gpubroker.simulator.zhixingyun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import dev.gpubroker.simulator.SimSku;
import dev.gpubroker.simulator.SimulatedPlatform;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Simulated 智星云: the calls of {@code /openapi/v2}, stock per shape, prepaid machines that end at their {@code Due_time}.
 * Length discounts are not known and are 1 unless a test sets one. The texts of refusals are those seen or remembered by
 * third parties; none is documented.
 *
 * <p>Fault codes beyond the platform's own: {@code rollback} takes a create on, which then fails with {@code Status} -1;
 * {@code sold_out} and {@code no_balance} refuse it in the platform's words.
 */
public final class ZhixingyunSimulator extends SimulatedPlatform {
    static final String PLATFORM = "zhixingyun";
    private static final String BASE = "/openapi/v2/";
    private static final Duration STARTING = Duration.ofSeconds(90);
    private static final Duration STOPPING = Duration.ofSeconds(20);
    /** As long as the other simulators take a signature to be fresh; the real platform's span is not published. */
    private static final Duration FRESH = Duration.ofMinutes(15);

    private final Wallet wallet;
    private final InstantSource businessTime;
    private volatile boolean showsExtUid = true;
    private volatile boolean numbersAsText;
    private volatile Duration stockAge = Duration.ZERO;
    private volatile BigDecimal discount = BigDecimal.ONE;

    ZhixingyunSimulator(SimEnvironment environment) {
        super(PLATFORM, ZhixingyunCatalogue.skus(), environment);
        this.businessTime = environment.businessTime();
        this.wallet = new Wallet(table("account", Wallet.Account.class), table("change", Wallet.Change.class));
    }

    // ---- oddities a test can switch on ----------------------------------------------------------------------

    /** Whether list and detail answer {@code ext_uid}; not verified for the real platform. */
    public void showExtUid(boolean shown) {
        showsExtUid = shown;
    }

    /** Sends every number as a text, as the platform now and then does. */
    public void sendNumbersAsText() {
        numbersAsText = true;
    }

    /** The stock answer is a cached one of this age. */
    public void ageStock(Duration age) {
        stockAge = age;
    }

    /** Length discount on cards and size, such as {@code 0.98}. */
    public void discount(String factor) {
        discount = new BigDecimal(factor);
    }

    /** What is left on the account: cash. Vouchers become 0. */
    public synchronized void setMoney(String money) {
        wallet.fill(money);
    }

    // ---- the exchange -----------------------------------------------------------------------------------------

    @Override
    protected Set<String> operations(SimRequest request) {
        return switch (operation(request)) {
            case "store/get_kvm_available_selector", "store/get_instance_specifications" -> Set.of("stock");
            case "store/create_kvm_instance_query_price" -> Set.of("price");
            case "store/create_kvm_instance", "instance/renew_instance" -> Set.of("claim");
            case "instance/get_instance_list" -> Set.of("find");
            case "instance/get_instance_detail" -> Set.of("status");
            case "instance/stop_instance_with_refund", "instance/error_refund", "instance/release_keepped_disk" ->
                Set.of("release");
            case "account/get_main_account_info", "billing/get_balance_change_list" -> Set.of("bill");
            default -> Set.of();
        };
    }

    @Override
    protected Optional<SimReply> refuse(SimRequest request, Instant wallNow) {
        if (!request.method().equals("POST") || !request.path().startsWith(BASE)) {
            return Optional.of(SimReply.empty(404));
        }
        Map<String, String> form = request.form();
        if (!field(form, "apikey").equals(ZhixingyunSimulatorFactory.ACCESS_KEY)) {
            return Optional.of(Replies.bad("accesskey不存在"));
        }
        String timestamp = field(form, "timestamp");
        if (!timestamp.matches("\\d{1,12}")
                || Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), wallNow)
                                .abs()
                                .compareTo(FRESH)
                        > 0) {
            return Optional.of(Replies.bad("timestamp已失效"));
        }
        if (!field(form, "sign").equals(FormSignature.of(form, ZhixingyunSimulatorFactory.SECRET_KEY))) {
            return Optional.of(Replies.bad("sign验证失败"));
        }
        if (field(form, "nonce").length() < 8 || !isFresh(field(form, "nonce"))) {
            return Optional.of(Replies.bad("nonce重复"));
        }
        return Optional.empty();
    }

    @Override
    protected SimReply throttled(SimRequest request) {
        return Replies.bad("请求过于频繁，请稍后再试"); // Not documented: words that such platforms use.
    }

    @Override
    protected SimReply error(SimRequest request, @Nullable String code) {
        if (code == null) {
            return Replies.gatewayError();
        }
        return switch (code) {
            case "rollback" -> create(request.form(), businessTime.instant(), true);
            case "sold_out" -> Replies.bad("资源不足");
            case "no_balance" -> Replies.bad("余额不足");
            default -> code.matches("\\d{4}") ? Replies.bad(code, "操作失败") : Replies.bad(code);
        };
    }

    @Override
    protected SimReply serve(SimRequest request, Instant now) {
        Map<String, String> form = request.form();
        return switch (operation(request)) {
            case "store/get_kvm_available_selector" -> good(Shop.selector(sku -> free(sku) > 0, now.minus(stockAge)));
            case "store/get_instance_specifications" -> good(Shop.specifications(field(form, "GpuNum")));
            case "store/create_kvm_instance_query_price" -> quote(form, now);
            case "store/create_kvm_instance" -> create(form, now, false);
            case "instance/get_instance_list" ->
                Listing.answer(instances.all(), form, machine -> detail(machine, now))
                        .map(this::good)
                        .orElseGet(() -> Replies.bad("page_size参数超限"));
            case "account/get_main_account_info" -> good(wallet.account());
            case "billing/get_balance_change_list" -> good(wallet.changes());
            default ->
                instances
                        .find(field(form, "instance_name"))
                        .map(machine -> serveMachine(operation(request), machine, form, now))
                        .orElseGet(() -> Replies.bad("实例不存在"));
        };
    }

    private SimReply serveMachine(String operation, SimInstance machine, Map<String, String> form, Instant now) {
        return switch (operation) {
            case "instance/get_instance_detail" -> good(detail(machine, now));
            case "instance/stop_instance_with_refund_query_price" ->
                good(JsonNodeFactory.instance.objectNode().put("ReturnMoney", Pack.plain(refund(machine, now))));
            case "instance/stop_instance_with_refund" -> stop(machine, form, now);
            case "instance/error_refund" -> errorRefund(machine, now);
            case "instance/release_keepped_disk" -> releaseDisk(machine, now);
            case "instance/change_note" -> change(remarked(machine, field(form, "note")), now);
            case "instance/change_due_mode" -> change(machine.with("dueMode", field(form, "due_mode")), now);
            case "instance/renew_instance" -> renew(machine, form, now);
            default -> SimReply.empty(404);
        };
    }

    // ---- the shop -----------------------------------------------------------------------------------------------

    private SimReply quote(Map<String, String> form, Instant now) {
        Order order = Order.read(form);
        Optional<SimSku> sku = sku(order.sku());
        if (order.fault() != null || sku.isEmpty()) {
            return Replies.bad(order.fault() == null ? "gpu_type参数错误" : order.fault());
        }
        return good(pack(order, sku.get()).toJson("create_kvm_instance", now.plus(Duration.ofHours(order.hours()))));
    }

    private SimReply create(Map<String, String> form, Instant now, boolean fails) {
        Order order = Order.read(form);
        Optional<SimSku> sku = sku(order.sku());
        if (order.fault() != null || sku.isEmpty()) {
            return Replies.bad(order.fault() == null ? "gpu_type参数错误" : order.fault());
        }
        if (free(order.sku()) < 1) {
            return Replies.bad("资源不足");
        }
        Pack pack = pack(order, sku.get());
        if (!wallet.pay(pack.cost(), now, "租用云主机")) {
            return Replies.bad("余额不足");
        }
        take(order.sku(), 1);
        int number = instances.ids().size() + 1;
        SimInstance machine = order.machine(number, sku.get().model(), pack, now, now.plus(STARTING));
        return change(fails ? machine.with("fails", "true") : machine, now);
    }

    private Pack pack(Order order, SimSku sku) {
        BigDecimal cardHour = new BigDecimal(hourly(sku)).divide(BigDecimal.valueOf(sku.gpus())); // Exact: 1, 2, 4, 8.
        ZhixingyunCatalogue.Spec spec =
                ZhixingyunCatalogue.specOf(order.spec(), order.cards()).orElseThrow();
        return new Pack(
                order.gpuType(),
                order.cards(),
                spec,
                order.diskGb(),
                order.hours(),
                cardHour,
                discount,
                order.payTypeFirst());
    }

    // ---- machines -------------------------------------------------------------------------------------------------

    @Override
    protected void settle(Instant now) {
        for (SimInstance machine : instances.where(SimInstance::isLive)) {
            if (machine.state().equals("4") && !instant(machine, "readyAt").isAfter(now)) {
                machine = machine.in(machine.attribute("fails").isEmpty() ? "1" : "-1");
                instances.put(machine.id(), machine);
            }
            Instant end = end(machine);
            if (machine.state().equals("1") && !end.isAfter(now)) {
                instances.put(machine.id(), ended(machine, end));
            }
        }
    }

    private static Instant end(SimInstance machine) {
        Instant due = instant(machine, "dueAt");
        String stopped = machine.attribute("stopAt");
        return stopped.isEmpty() || Instant.parse(stopped).isAfter(due) ? due : Instant.parse(stopped);
    }

    /** Its cards are free again; its disk goes too unless it is to be kept. */
    private SimInstance ended(SimInstance machine, Instant at) {
        take(machine.sku(), -1);
        SimInstance over = machine.with("endedAt", at.toString());
        return machine.attribute("dueMode").equals("1")
                ? over.with("keptAt", at.toString()).in("8")
                : over.gone("0", at);
    }

    private SimReply stop(SimInstance machine, Map<String, String> form, Instant now) {
        if (!machine.state().equals("1") || !machine.attribute("stopAt").isEmpty()) {
            return Replies.bad("该状态不能退租");
        }
        BigDecimal back = refund(machine, now);
        wallet.pay(back.negate(), now, "提前退租");
        return change(
                machine.with("stopAt", now.plus(STOPPING).toString())
                        .with("returned", Pack.plain(back))
                        .with("dueMode", field(form, "release_disk").equals("1") ? "-1" : machine.attribute("dueMode")),
                now);
    }

    /** Whole hours that are left, without a fee; the real formula was not readable. */
    private static BigDecimal refund(SimInstance machine, Instant now) {
        long left = Math.max(0, Duration.between(now, instant(machine, "dueAt")).toHours());
        return new BigDecimal(machine.attribute("paid"))
                .multiply(BigDecimal.valueOf(left))
                .divide(new BigDecimal(machine.attribute("hours")), 2, java.math.RoundingMode.DOWN);
    }

    private SimReply errorRefund(SimInstance machine, Instant now) {
        if (!machine.state().equals("-1")) {
            return Replies.bad("该状态不能退费");
        }
        wallet.pay(new BigDecimal(machine.attribute("paid")).negate(), now, "启动错误退费");
        take(machine.sku(), -1);
        return change(
                machine.with("returned", machine.attribute("paid"))
                        .with("endedAt", now.toString())
                        .gone("-2", now),
                now);
    }

    private SimReply releaseDisk(SimInstance machine, Instant now) {
        return machine.state().equals("8") ? change(machine.gone("0", now), now) : Replies.bad("该状态不能释放磁盘");
    }

    private SimReply renew(SimInstance machine, Map<String, String> form, Instant now) {
        String time = field(form, "pack_time");
        if (!machine.state().equals("1") || !time.matches("[1-9]\\d{0,3}")) {
            return Replies.bad("该状态不能续费");
        }
        int hours = Integer.parseInt(time) * (field(form, "unit").equals("day") ? 24 : 1);
        BigDecimal before = new BigDecimal(machine.attribute("paid"));
        BigDecimal cost = before.multiply(BigDecimal.valueOf(hours))
                .divide(new BigDecimal(machine.attribute("hours")), 2, java.math.RoundingMode.HALF_EVEN);
        if (!wallet.pay(cost, now, "续租")) {
            return Replies.bad("余额不足");
        }
        int all = hours + Integer.parseInt(machine.attribute("hours"));
        return change(
                machine.with(
                                "dueAt",
                                instant(machine, "dueAt")
                                        .plus(Duration.ofHours(hours))
                                        .toString())
                        .with("paid", Pack.plain(before.add(cost)))
                        .with("hours", String.valueOf(all)),
                now);
    }

    private static SimInstance remarked(SimInstance machine, String note) {
        Map<String, String> tags = machine.tags().isEmpty() ? Order.tags(note) : machine.tags();
        return new SimInstance(
                        machine.id(),
                        machine.sku(),
                        machine.model(),
                        machine.gpus(),
                        keyIn(tags),
                        tags,
                        machine.state(),
                        machine.createdAt(),
                        machine.releasedAt(),
                        machine.attributes())
                .with("note", note);
    }

    private SimReply change(SimInstance machine, Instant now) {
        instances.put(machine.id(), machine);
        return good(detail(machine, now));
    }

    private ObjectNode detail(SimInstance machine, Instant now) {
        return Detail.of(machine, now, showsExtUid, gatewayPort());
    }

    // ---- small ------------------------------------------------------------------------------------------------------

    private SimReply good(JsonNode data) {
        return Replies.good(numbersAsText ? Replies.numbersAsText(data) : data);
    }

    private static String operation(SimRequest request) {
        return request.path().startsWith(BASE) ? request.path().substring(BASE.length()) : "";
    }

    private static Instant instant(SimInstance machine, String attribute) {
        return Instant.parse(machine.attribute(attribute));
    }

    private static String field(Map<String, String> form, String name) {
        return form.getOrDefault(name, "");
    }
}
