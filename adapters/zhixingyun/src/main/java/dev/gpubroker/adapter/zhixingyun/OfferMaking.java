package dev.gpubroker.adapter.zhixingyun;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Stock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes offers of the platform's yes and no; no I/O. */
final class OfferMaking {
    /** Since when the stock has not been refreshed, where that is too long ago; {@code null} if it does not say. */
    static final String STALE_SINCE = "stock_stale_since";

    private final ShopState shop;
    private final List<Size> sizes;
    private final AccountSettings settings;
    private final boolean stale;
    private final List<Offer> available = new ArrayList<>();
    private final List<Offers.Missing> missing = new ArrayList<>();

    private OfferMaking(ShopState shop, List<Size> sizes, AccountSettings settings) {
        this.shop = shop;
        this.sizes = sizes;
        this.settings = settings;
        this.stale = shop.isStale(settings.businessTime().instant());
    }

    static Offers answer(List<Ask> asks, ShopState shop, List<Size> sizes, AccountSettings settings) {
        OfferMaking making = new OfferMaking(shop, sizes, settings);
        for (Ask ask : asks) {
            ZhixingyunMapping.sold(ask.flavor()).ifPresent(sold -> making.look(sold, ask));
        }
        return new Offers(making.available, making.missing);
    }

    private void look(ZhixingyunMapping.Sold sold, Ask ask) {
        int cards = ask.flavor().gpusPerNode();
        ShopState.Model model = shop.model(sold.gpuType()).orElse(null);
        if (model == null) {
            miss(sold, Reason.NOT_OFFERED, "not in the platform's list of models");
            return;
        }
        Boolean rentable = model.rentable().get(cards);
        if (rentable == null) {
            miss(sold, Reason.SHAPE_NOT_OFFERED, "no such card count");
            return;
        }
        Size size = Size.choose(sizes, cards, settings.option("spec", "")).orElse(null);
        if (size == null) {
            miss(sold, Reason.SHAPE_NOT_OFFERED, "no size " + settings.option("spec", "") + " for it");
        } else if (!rentable && !stale) {
            miss(sold, Reason.SOLD_OUT, "ValidCardsRentable " + cards + ": false");
        } else {
            available.add(Offer.now(sold.shape().sku(), ask.flavor(), ZhixingyunMapping.REGION, null, stock(ask))
                    .with(attributes(model, size)));
        }
    }

    /** Yes means one machine; how many there are is not told. */
    private Stock stock(Ask ask) {
        if (stale) {
            return Stock.unknown();
        }
        return ask.nodes() == 1 ? Stock.plenty() : Stock.scarce();
    }

    private Map<String, String> attributes(ShopState.Model model, Size size) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put(OrderForm.GPU_TYPE, model.gpuType());
        attributes.put(OrderForm.SPEC, size.name());
        attributes.put(OrderForm.IMAGE, OrderForm.standardImage(model.images(), settings.option("image", "")));
        attributes.put(OrderForm.IMAGES, String.join(",", model.images()));
        if (stale) {
            attributes.put(STALE_SINCE, String.valueOf(shop.refreshedAt()));
        }
        return attributes;
    }

    private void miss(ZhixingyunMapping.Sold sold, Reason reason, String detail) {
        missing.add(new Offers.Missing(
                sold.shape().sku(), sold.shape().flavor(), ZhixingyunMapping.REGION, reason, detail, null));
    }
}
