package dev.gpubroker.broker.inventory;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.config.MachineSettings;
import dev.gpubroker.broker.request.MachineWish;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A fixed picture of what platforms said: decide on it, check again on write. */
public record Snapshot(Window window, Instant asOf, List<Answer> answers) {
    public Snapshot {
        answers = List.copyOf(answers);
    }

    /**
     * What one account said of one region.
     *
     * @param asked what it was asked; every ask is of a flavor that it sells
     * @param offers null when it did not answer
     * @param prices by offer id: every way to pay that the platform stated; an offer without entry has no known price
     * @param silence why it did not answer, {@code platform_unavailable} or {@code bad_credentials}; null when it did
     * @param silenceDetail for a person
     */
    public record Answer(
            AccountView account,
            String region,
            List<Ask> asked,
            @Nullable Offers offers,
            Map<String, List<Price>> prices,
            @Nullable Reason silence,
            String silenceDetail,
            Instant asOf,
            Duration took) {
        public Answer {
            asked = List.copyOf(asked);
            prices = Map.copyOf(prices);
        }
    }

    /** The account as the planner sees it. */
    public record AccountView(
            String id,
            String platform,
            Capabilities capabilities,
            boolean simulated,
            boolean buys,
            String purchases,
            MachineSettings machines) {
        public AccountView(
                String id,
                String platform,
                Capabilities capabilities,
                boolean simulated,
                boolean buys,
                String purchases) {
            this(id, platform, capabilities, simulated, buys, purchases, MachineSettings.NONE);
        }

        /** What is priced and ordered here for a wish: what it does not say, the account does. */
        public MachineSpec machine(MachineWish wish) {
            return wish.over(machines.defaults()).spec();
        }
    }

    public List<Price> pricesOf(Answer answer, Offer offer) {
        return answer.prices().getOrDefault(offer.id(), List.of());
    }
}
