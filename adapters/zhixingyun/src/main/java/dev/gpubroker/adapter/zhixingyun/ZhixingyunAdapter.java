package dev.gpubroker.adapter.zhixingyun;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.SupportsBalance;
import dev.gpubroker.adapter.spi.SupportsLogin;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * 智星云 over its OpenAPI v2 ({@code platforms/zhixingyun.md}, 2026): stock in yes and no, prepaid packs, no token.
 *
 * <p><b>The end.</b> A pack always ends by itself, at the purchase plus the hours bought, and its disk with it. What is bought
 * covers the claim's window, rounded up to whole hours from the moment of the purchase; no grace is paid for, so the timed end
 * that a claim asks for is met early, never late. The end cannot be moved without paying (renewing is a second purchase), so
 * {@link dev.gpubroker.adapter.spi.SupportsTimedEnd} is left out. Given back early, unused whole hours return as vouchers (算力券),
 * not as cash.
 *
 * <p><b>The key.</b> The create carries it as {@code ext_uid}. Where the answer does not show that back, it is also written
 * into the machine's note; see {@link Search} for what happens when neither can be read. An account of the broker's own, in
 * which nobody else rents, is never in doubt.
 */
final class ZhixingyunAdapter implements PlatformAdapter, SupportsBalance, SupportsLogin {
    private static final Logger LOG = LoggerFactory.getLogger(ZhixingyunAdapter.class);
    private static final Duration SIZES_STAY = Duration.ofMinutes(10);

    private final AccountSettings settings;
    private final ZhixingyunClient client;
    private final Attempts attempts = new Attempts();
    private final MachineList machines;
    private volatile @Nullable Sizes sizes;

    private record Sizes(List<Size> list, long readAt) {}

    ZhixingyunAdapter(AccountSettings settings, ZhixingyunClient client) {
        this.settings = settings;
        this.client = client;
        this.machines = new MachineList(client, settings.queryTimeout(), ZhixingyunMapping.longestCall(settings));
    }

    @Override
    public Capabilities capabilities() {
        return ZhixingyunMapping.capabilities(settings);
    }

    // ---- what can be had ----------------------------------------------------------------------------------

    @Override
    public Offers offers(OfferQuery query) {
        if (!query.regions().isEmpty() && !query.regions().contains(ZhixingyunMapping.REGION)) {
            return Offers.none();
        }
        return OfferMaking.answer(query.asks(), shop(), sizes(), settings);
    }

    private ShopState shop() {
        return ShopState.read(read("store/get_kvm_available_selector", Map.of()).data());
    }

    /** Sizes change seldom, stock all the time. */
    private List<Size> sizes() {
        Sizes kept = sizes;
        long now = System.nanoTime();
        if (kept != null && now - kept.readAt() < SIZES_STAY.toNanos()) {
            return kept.list();
        }
        List<Size> fresh = Size.read(read("store/get_instance_specifications", Map.of("GpuNum", "1,2,4,8"))
                .data());
        sizes = new Sizes(fresh, now);
        return fresh;
    }

    /** By the hour, and by the day where that is hardly longer: only the platform knows its discount for length. */
    @Override
    public List<Price> price(PriceQuery query) {
        Pack hours = Pack.hours(query.window().start(), query.window().end());
        List<Price> prices = new ArrayList<>();
        prices.add(price(query, hours));
        hours.asDays().ifPresent(days -> prices.add(price(query, days)));
        return prices;
    }

    private Price price(PriceQuery query, Pack pack) {
        PackQuote quote = quote(OrderForm.of(query.offer(), query.machine(), pack, payTypeFirst()), pack);
        return new Price(
                pack.unit(),
                Window.of(query.window().start(), Duration.ofHours(quote.hours())),
                quote.lines(query.nodes()));
    }

    private PackQuote quote(Map<String, String> form, Pack pack) {
        return PackQuote.read(
                read("store/create_kvm_instance_query_price", form).data(), pack);
    }

    private String payTypeFirst() {
        return settings.option("pay_type_first", "power");
    }

    // ---- taking ---------------------------------------------------------------------------------------------

    @Override
    public ClaimOutcome claim(ClaimRequest request) {
        if (request.nodes() != 1) {
            throw new PlatformFault(PlatformFault.Kind.BAD_REQUEST, "one claim takes one machine");
        }
        MachineSpec machine = request.machine();
        if (machine.startupScript() != null || machine.publicIp()) {
            return new ClaimOutcome.Refused(
                    Reason.NOT_OFFERED, "it takes neither a start-up script nor a public address of a machine's own");
        }
        Instant now = settings.businessTime().instant();
        if (!now.isBefore(request.window().end())) {
            return new ClaimOutcome.Refused(Reason.WINDOW_UNSUPPORTED, "the window is over");
        }
        Pack pack = Pack.covering(now, request.window().end(), request.billing());
        Map<String, String> form = OrderForm.of(request.offer(), request.machine(), pack, payTypeFirst());
        Money atMost = request.atMost();
        if (atMost != null) {
            Money cost = Money.rounded(quote(form, pack).finalCost(), Currency.getInstance(ZhixingyunMapping.CURRENCY));
            if (cost.isMoreThan(atMost)) {
                return new ClaimOutcome.Refused(
                        Reason.TOO_EXPENSIVE, cost + " for " + pack.hours() + " hours, at most " + atMost);
            }
        }
        Mark mark = new Mark(request.installation(), request.key());
        form.put("ext_uid", mark.text());
        attempts.sending(
                request.key(),
                request.offer().attributes().getOrDefault(OrderForm.GPU_TYPE, ""),
                request.offer().flavor().gpusPerNode(),
                now);
        return buy(request, form, pack, mark, now);
    }

    private ClaimOutcome buy(ClaimRequest request, Map<String, String> form, Pack pack, Mark mark, Instant now) {
        Answer answer;
        Machine machine;
        try {
            answer = client.call("store/create_kvm_instance", form, settings.claimTimeout());
            if (!answer.isGood()) {
                return refused(request, answer);
            }
            machine = Machine.read(answer.data());
        } catch (PlatformFault fault) {
            if (fault.kind() == PlatformFault.Kind.PLATFORM_ERROR || fault.kind() == PlatformFault.Kind.TIMED_OUT) {
                LOG.warn("{}: nobody knows whether {} was bought: {}", settings.id(), mark.text(), fault.getMessage());
                return new ClaimOutcome.Unknown(request.key());
            }
            throw fault;
        }
        attempts.answered(machine.name(), mark);
        if (!machine.mark().equals(Optional.of(mark))) {
            writeNote(machine.name(), mark);
        }
        PlatformRef ref = new PlatformRef(ZhixingyunMapping.REGION, Search.KIND, List.of(machine.name()));
        Window bought = machine.window();
        boolean certain = machine.status() == Machine.STARTING || machine.status() == Machine.RUNNING;
        return certain
                ? new ClaimOutcome.Claimed(ref, bought == null ? Window.of(now, pack.length()) : bought)
                : new ClaimOutcome.Accepted(ref);
    }

    /** @throws PlatformFault if the call was turned away at the gate */
    private ClaimOutcome refused(ClaimRequest request, Answer answer) {
        if (!ZhixingyunMapping.isDefinite(answer)) {
            return new ClaimOutcome.Unknown(request.key());
        }
        PlatformFault gate = ZhixingyunMapping.atTheGate(answer);
        if (gate != null) {
            throw gate;
        }
        Reason reason = ZhixingyunMapping.whyRefused(answer)
                .orElseGet(() -> isSoldOutNow(request.offer()) ? Reason.SOLD_OUT : Reason.REFUSED_UNKNOWN);
        return new ClaimOutcome.Refused(reason, answer.text());
    }

    /** No code for "out of stock" is documented, so a refusal in unknown words is followed by one look at the stock. */
    private boolean isSoldOutNow(Offer offer) {
        try {
            ShopState shop = shop();
            return !shop.isStale(settings.businessTime().instant())
                    && ZhixingyunMapping.sold(offer.flavor())
                            .flatMap(sold -> shop.model(sold.gpuType()))
                            .map(model -> Boolean.FALSE.equals(
                                    model.rentable().get(offer.flavor().gpusPerNode())))
                            .orElse(false);
        } catch (PlatformFault unknown) {
            return false;
        }
    }

    /**
     * Best effort: the claim is made, and its outcome must not hang on this. The path is in the documentation's list of calls
     * (修改备注); its field {@code note} is unverified.
     */
    private void writeNote(String machine, Mark mark) {
        try {
            read("instance/change_note", Map.of("instance_name", machine, "note", mark.text()));
        } catch (PlatformFault fault) {
            LOG.warn("{}: the note of {} could not be set: {}", settings.id(), machine, fault.getMessage());
        }
    }

    // ---- looking --------------------------------------------------------------------------------------------

    @Override
    public ClaimStatus status(PlatformRef ref) {
        List<Machine> there = new ArrayList<>();
        for (String name : ref.ids()) {
            there.add(detail(name));
        }
        return Search.status(there);
    }

    @Override
    public Finding find(ClaimKey key) {
        try {
            return Search.find(key, machines.all(), attempts);
        } catch (PlatformFault fault) {
            return new Finding.CannotTell(String.valueOf(fault.getMessage()));
        }
    }

    @Override
    public List<Holding> list(String installation) {
        List<Holding> holdings = new ArrayList<>();
        for (Machine machine : machines.all()) {
            attempts.owner(machine)
                    .filter(mark -> mark.installation().equals(installation) && !machine.isOver())
                    .ifPresent(mark -> holdings.add(new Holding(
                            new PlatformRef(ZhixingyunMapping.REGION, Search.KIND, List.of(machine.name())),
                            mark.key(),
                            machine.createdAt() == null
                                    ? settings.businessTime().instant()
                                    : machine.createdAt(),
                            machine.phase())));
        }
        return holdings;
    }

    /** What the platform does not know any more has ended: the name came from the platform. */
    private Machine detail(String name) {
        Answer answer =
                client.call("instance/get_instance_detail", Map.of("instance_name", name), settings.queryTimeout());
        if (ZhixingyunMapping.isNoSuchMachine(answer)) {
            return Machine.ended(name);
        }
        if (!answer.isGood()) {
            throw ZhixingyunMapping.refusedRead(answer);
        }
        return Machine.read(answer.data());
    }

    /** {@code LastInitPasswd} is the one in force after a change of image (unverified); else the first. */
    @Override
    public Optional<Login> login(PlatformRef ref, String machine) {
        if (!ref.ids().contains(machine)) {
            return Optional.empty();
        }
        Answer answer = client.callWithPasswords(
                "instance/get_instance_detail", Map.of("instance_name", machine), settings.queryTimeout());
        if (ZhixingyunMapping.isNoSuchMachine(answer)) {
            return Optional.empty();
        }
        if (!answer.isGood()) {
            throw ZhixingyunMapping.refusedRead(answer);
        }
        var detail = answer.data();
        String last = Json.text(detail.path("LastInitPasswd"));
        String password = last.isEmpty() ? Json.text(detail.path("Init_passwd")) : last;
        String user = Json.text(detail.path("LoginUserName"));
        return password.isEmpty() ? Optional.empty() : Optional.of(new Login(user.isEmpty() ? "root" : user, password));
    }

    /** Cash and vouchers; the credit line is not counted, a fraction of a cent is dropped. */
    @Override
    public Money balance() {
        var account = read("account/get_main_account_info", Map.of()).data();
        BigDecimal cash = Json.decimal(account.path("Money"));
        BigDecimal vouchers = Json.decimal(account.path("PowerMoney"));
        if (cash == null) {
            throw new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, "an account without Money");
        }
        BigDecimal all = vouchers == null ? cash : cash.add(vouchers);
        return new Money(all.setScale(2, RoundingMode.DOWN), Currency.getInstance(ZhixingyunMapping.CURRENCY));
    }

    private Answer read(String operation, Map<String, String> fields) {
        Answer answer = client.call(operation, fields, settings.queryTimeout());
        if (!answer.isGood()) {
            throw ZhixingyunMapping.refusedRead(answer);
        }
        return answer;
    }

    // ---- giving back ------------------------------------------------------------------------------------------

    /** Goes on with the other machines when one makes trouble. */
    @Override
    public ReleaseProgress release(PlatformRef ref) {
        ReleaseProgress worst = new ReleaseProgress.Gone();
        PlatformFault trouble = null;
        for (String name : ref.ids()) {
            try {
                ReleaseProgress progress = release(name);
                boolean worse = progress instanceof ReleaseProgress.Refused
                        || (progress instanceof ReleaseProgress.InProgress && worst instanceof ReleaseProgress.Gone);
                worst = worse ? progress : worst;
            } catch (PlatformFault fault) {
                trouble = fault;
            }
        }
        if (trouble != null) {
            throw trouble;
        }
        return worst;
    }

    private ReleaseProgress release(String name) {
        Machine before = detail(name);
        if (before.isOver()) {
            return new ReleaseProgress.Gone();
        }
        Answer answer = client.call(Giveback.operation(before), Giveback.fields(before), settings.claimTimeout());
        if (!answer.isGood() && !ZhixingyunMapping.isNoSuchMachine(answer)) {
            PlatformFault gate = ZhixingyunMapping.atTheGate(answer);
            if (gate != null || !ZhixingyunMapping.isDefinite(answer)) {
                throw gate == null ? ZhixingyunMapping.refusedRead(answer) : gate;
            }
            return new ReleaseProgress.Refused(
                    Reason.REFUSED_UNKNOWN,
                    before.detail() + ", " + answer.text(),
                    settings.businessTime().instant().plus(Giveback.PAUSE));
        }
        Machine after = detail(name);
        return after.isOver() ? new ReleaseProgress.Gone() : new ReleaseProgress.InProgress(after.detail());
    }

    /** Leaves the credentials out. */
    @Override
    public String toString() {
        return ZhixingyunMapping.PLATFORM + ", " + settings;
    }
}
