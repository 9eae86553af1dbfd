package dev.gpubroker.adapter.huawei;

import com.huaweicloud.sdk.bss.v2.model.AccountBalanceV3;
import com.huaweicloud.sdk.bss.v2.model.DemandProductInfo;
import com.huaweicloud.sdk.bss.v2.model.DemandProductRatingResult;
import com.huaweicloud.sdk.bss.v2.model.ListOnDemandResourceRatingsResponse;
import com.huaweicloud.sdk.bss.v2.model.ShowCustomerAccountBalancesResponse;
import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Currency;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Prices from BSS, product by product and for one hour of one piece; the broker multiplies. Codes of services and resources: customer API
 * reference; those of ModelArts, which needs the size of a linear product, from Huawei's own examples of a price inquiry for pools.
 */
final class Prices {
    static final String BILLING = "postPaid";

    private static final String CURRENCY = "CNY";
    private static final int HOURS = 4;
    private static final int YUAN = 1;
    private static final int PIECES = 14;
    private static final int GIGABYTES = 17;
    private static final int MOST_PLACES = 12;
    private static final Duration HOUR = Duration.ofHours(1);

    private final AccountSettings settings;

    /** What is asked of BSS, and the line that it becomes. */
    private record Product(DemandProductInfo info, LineKind kind, String description, String unit) {}

    Prices(AccountSettings settings) {
        this.settings = settings;
    }

    Price price(HuaweiClient client, PriceQuery query) {
        List<Product> products = HuaweiShapes.isServer(query.offer().sku()) ? server(query) : pool(query);
        ListOnDemandResourceRatingsResponse answer =
                client.rate(products.stream().map(Product::info).toList());
        Map<String, DemandProductRatingResult> results = new HashMap<>();
        if (answer.getProductRatingResults() != null) {
            answer.getProductRatingResults().forEach(result -> results.put(result.getId(), result));
        }
        Duration length = query.window().length();
        long hours = length.plus(HOUR).minusNanos(1).toHours(); // Begun hours are paid.
        BigDecimal quantity = BigDecimal.valueOf(hours * query.nodes());
        String currency = answer.getCurrency() == null ? CURRENCY : answer.getCurrency();
        List<Price.Line> lines = new ArrayList<>();
        for (Product product : products) {
            lines.add(new Price.Line(
                    product.kind(),
                    product.description(),
                    product.unit(),
                    quantity,
                    amount(results.get(product.info().getId())),
                    currency));
        }
        if (query.machine().publicIp()) {
            // By traffic: what will flow is not known, nor does the inquiry say what a GB costs.
            lines.add(new Price.Line(
                    LineKind.BANDWIDTH, "public traffic, by volume", "GB", BigDecimal.ONE, null, currency));
        }
        return new Price(BILLING, Window.of(query.window().start(), Duration.ofHours(hours)), lines);
    }

    /** What the account pays, after its own discounts; null where the platform does not say, or not in yuan. */
    private static @Nullable BigDecimal amount(@Nullable DemandProductRatingResult result) {
        if (result == null || result.getAmount() == null) {
            return null;
        }
        boolean yuan = result.getMeasureId() == null || result.getMeasureId() == YUAN;
        return yuan && result.getAmount().stripTrailingZeros().scale() <= MOST_PLACES ? result.getAmount() : null;
    }

    private List<Product> server(PriceQuery query) {
        Offer offer = query.offer();
        List<Product> products = new ArrayList<>();
        products.add(new Product(
                hourly("1", offer, "hws.service.type.ec2", "hws.resource.type.vm", offer.sku() + ".linux"),
                LineKind.GPU,
                offer.sku() + ", " + offer.flavor(),
                "instance-hour"));
        String type = ServerRequest.diskType(settings);
        products.add(disk("2", offer, type, ServerRequest.rootDiskGb(settings), LineKind.SYSTEM_DISK));
        if (query.machine().dataDiskGb() > 0) {
            products.add(disk("3", offer, type, query.machine().dataDiskGb(), LineKind.DATA_DISK));
        }
        if (query.machine().publicIp()) {
            products.add(new Product(
                    hourly("4", offer, "hws.service.type.vpc", "hws.resource.type.ip", "5_bgp"),
                    LineKind.PUBLIC_IP,
                    "public address",
                    "address-hour"));
        }
        return products;
    }

    private static Product disk(String id, Offer offer, String type, int gigabytes, LineKind kind) {
        DemandProductInfo info = hourly(id, offer, "hws.service.type.ebs", "hws.resource.type.volume", type)
                .withResourceSize(gigabytes)
                .withSizeMeasureId(GIGABYTES);
        return new Product(info, kind, type + " disk of " + gigabytes + " GB", "disk-hour");
    }

    private static List<Product> pool(PriceQuery query) {
        Offer offer = query.offer();
        String code = offer.attributes().getOrDefault(Pools.BILLING_CODE, "");
        DemandProductInfo info = hourly(
                        "1",
                        offer,
                        "hws.service.type.modelarts",
                        "hws.resource.type.modelarts",
                        code.isEmpty() ? offer.sku() : code)
                .withResourceSize(1)
                .withSizeMeasureId(PIECES);
        return List.of(new Product(info, LineKind.GPU, offer.sku() + ", " + offer.flavor(), "instance-hour"));
    }

    private static DemandProductInfo hourly(String id, Offer offer, String service, String resource, String spec) {
        return new DemandProductInfo()
                .withId(id)
                .withCloudServiceType(service)
                .withResourceType(resource)
                .withResourceSpec(spec)
                .withRegion(offer.region())
                .withAvailableZone(offer.zone())
                .withUsageFactor("Duration")
                .withUsageValue(BigDecimal.ONE)
                .withUsageMeasureId(HOURS)
                .withSubscriptionNum(1);
    }

    /** Cash and credit, less debts. */
    static Money balance(HuaweiClient client) {
        ShowCustomerAccountBalancesResponse answer = client.balances();
        if (answer.getAccountBalances() == null) {
            throw WireFault.unreadable(200, "an answer without balances");
        }
        BigDecimal left = BigDecimal.ZERO;
        for (AccountBalanceV3 balance : answer.getAccountBalances()) {
            boolean spendable = balance.getAccountType() != null
                    && (balance.getAccountType() == 1 || balance.getAccountType() == 2);
            if (spendable && balance.getAmount() != null) {
                left = left.add(balance.getAmount());
            }
        }
        if (answer.getDebtAmount() != null) {
            left = left.subtract(answer.getDebtAmount());
        }
        return Money.rounded(
                left, Currency.getInstance(answer.getCurrency() == null ? CURRENCY : answer.getCurrency()));
    }
}
