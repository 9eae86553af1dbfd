package dev.gpubroker.adapter.zhixingyun;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.MachineOption;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformFault.Kind;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Shape;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the platform's words mean to us; no I/O. */
final class ZhixingyunMapping {
    static final String PLATFORM = "zhixingyun";
    static final String CURRENCY = "CNY";
    static final String REGION = "cn";

    /** Only these can be rented; 3, 5, 6 and 7 cards ended (API documentation, 2026). */
    private static final List<Integer> CARDS = List.of(1, 2, 4, 8);

    private record Model(String gpuType, String model, int memoryGb, String interconnect) {}

    /**
     * Names seen in the API documentation, its samples and user notes up to 2026; what is sold today is in the stock answer. The
     * counts are the platform's rule for all models. Which form the V100 has is not said.
     */
    private static final List<Model> MODELS = List.of(
            new Model("A100-SXM4-80GB", "A100-SXM4-80GB", 80, "nvlink"),
            new Model("A100-SXM4-40GB", "A100-SXM4-40GB", 40, "nvlink"),
            new Model("A800-SXM4-40GB", "A800-SXM4-40GB", 40, "nvlink"),
            new Model("GeForce RTX 4090", "RTX4090", 24, "pcie"),
            new Model("Tesla V100-32GB", "V100-SXM2-32GB", 32, "pcie"),
            new Model("L4", "L4", 24, "pcie"),
            new Model("GeForce RTX 3080", "RTX3080", 10, "pcie"),
            new Model("GeForce RTX 2080 Ti", "RTX2080Ti", 11, "pcie"),
            new Model("GeForce GTX 1080 Ti", "GTX1080Ti", 11, "pcie"));

    /** A shape and the platform's name of its model. */
    record Sold(Shape shape, String gpuType) {}

    static final List<Sold> SOLD = sold();

    static Capabilities capabilities(AccountSettings settings) {
        Capabilities.Builder builder = Capabilities.of(PLATFORM, "AI Galaxy 智星云", CURRENCY)
                .shapes(SOLD.stream().map(Sold::shape).toList())
                .terms(Duration.ofHours(1), Duration.ofHours(1), null)
                .timedEnd()
                .provisioning(Duration.ofMinutes(5))
                .longestCall(longestCall(settings))
                .refund(new RefundTerms(
                        RefundTerms.Rule.UNUSED_HOURS,
                        BigDecimal.ZERO,
                        "API documentation 提前退租, 2026: into vouchers (算力券), not cash; no fee: field report 2026-03"))
                .eligibility(Set.of("real_name"))
                // Its create has no fields for the rest (API documentation 创建云主机, 2026).
                .takesOnly(Set.of(MachineOption.IMAGE, MachineOption.FRAMEWORKS, MachineOption.DATA_DISK));
        return settings.simulated()
                ? builder.minInterval(Duration.ZERO)
                        .callsPerSecond(BigDecimal.valueOf(10_000))
                        .build()
                // The rate limit is not published: stock once a minute, one call a second.
                : builder.minInterval(Duration.ofMinutes(1))
                        .callsPerSecond(BigDecimal.ONE)
                        .build();
    }

    /** A claim with its look at the price before and at the stock after it; a release with its two looks. */
    static Duration longestCall(AccountSettings settings) {
        return settings.claimTimeout().plus(settings.queryTimeout().multipliedBy(2));
    }

    static Optional<Sold> sold(Flavor flavor) {
        return SOLD.stream()
                .filter(sold -> sold.shape().flavor().equals(flavor))
                .findFirst();
    }

    /** A model's name without what differs from page to page: vendor, family, spaces, case. {@code RTX 4090 D} stays another. */
    static String plain(String gpuType) {
        return gpuType.toLowerCase(Locale.ROOT)
                .replaceAll("\\b(nvidia|geforce|tesla)\\b", "")
                .replaceAll("[^a-z0-9]", "");
    }

    // ---- errors -------------------------------------------------------------------------------------------------

    /**
     * The fault if a call was turned away at the gate, before it could have any effect; null for every other refusal. The
     * platform documents no text, these were seen by third parties; those for too many calls are a guess.
     */
    static @Nullable PlatformFault atTheGate(Answer answer) {
        String text = answer.message().toLowerCase(Locale.ROOT);
        if (answer.code().equals("4001")
                || text.contains("accesskey")
                || text.contains("sign验证")
                || text.contains("签名")) {
            return new PlatformFault(Kind.BAD_CREDENTIALS, answer.text());
        }
        if (text.contains("nonce") || text.contains("timestamp") || text.contains("时间戳")) {
            return new PlatformFault(Kind.BAD_REQUEST, answer.text() + " (is the clock right?)");
        }
        if (text.contains("频繁") || text.contains("限流")) {
            return PlatformFault.throttled(answer.text(), null);
        }
        return null;
    }

    /** What a refused read is. */
    static PlatformFault refusedRead(Answer answer) {
        PlatformFault gate = atTheGate(answer);
        if (gate != null) {
            return gate;
        }
        return new PlatformFault(answer.code().startsWith("4") ? Kind.BAD_REQUEST : Kind.PLATFORM_ERROR, answer.text());
    }

    /**
     * Whether a refusal means for certain that nothing was done. {@code 5000} is documented as not in use and proves nothing. A
     * nonce of ours is never used twice: if the platform has seen it, something on the way sent the call again, and the first
     * copy may have had its effect.
     */
    static boolean isDefinite(Answer answer) {
        return answer.code().startsWith("4")
                && !answer.message().toLowerCase(Locale.ROOT).contains("nonce");
    }

    /** Why a create was refused; empty if the words are not known, which is never to be read as sold out. */
    static Optional<Reason> whyRefused(Answer answer) {
        String text = answer.message();
        if (text.contains("资源不足") || text.contains("无资源") || text.contains("库存")) {
            return Optional.of(Reason.SOLD_OUT);
        }
        if (text.contains("余额不足")) {
            return Optional.of(Reason.NO_BALANCE);
        }
        return text.contains("实名") ? Optional.of(Reason.NOT_ELIGIBLE) : Optional.empty();
    }

    /** The words for a machine that the account does not have; unverified. Only of use for names the platform gave us. */
    static boolean isNoSuchMachine(Answer answer) {
        return answer.code().equals("4000")
                && atTheGate(answer) == null
                && answer.message().contains("不存在");
    }

    private static List<Sold> sold() {
        List<Sold> sold = new ArrayList<>();
        for (Model model : MODELS) {
            for (int cards : CARDS) {
                Shape shape = new Shape(
                        model.gpuType() + "×" + cards,
                        new Flavor(model.model(), cards),
                        model.memoryGb(),
                        model.interconnect(),
                        Set.of());
                sold.add(new Sold(shape, model.gpuType()));
            }
        }
        return List.copyOf(sold);
    }

    private ZhixingyunMapping() {}
}
