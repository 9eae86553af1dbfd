package dev.gpubroker.broker.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.LeadTimePriors;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import dev.gpubroker.broker.planning.KnownLeadTimes;
import dev.gpubroker.broker.planning.LeadTime;
import dev.gpubroker.broker.platform.FakeAdapter;
import dev.gpubroker.broker.platform.ManualWall;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class StockHistoryTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Flavor A100 = new Flavor("A100-SXM4-80GB", 8);
    private static final Flavor H100 = new Flavor("H100-SXM5-80GB", 8);
    private static final AccountView ACCOUNT = view(FakeAdapter.selling("one"));

    private final ManualWall clock = new ManualWall();
    private final StockHistory history = new StockHistory(DATABASE.database().pool(), clock, clock);
    private final KnownLeadTimes leadTimes =
            new KnownLeadTimes(history, GpuCatalogue.shipped(), LeadTimePriors.shipped());

    @BeforeEach
    void empty() {
        await(history.discard());
    }

    @Test
    void oneRowIsWrittenForEachChange() {
        in(4);
        after(Duration.ofMinutes(1));
        in(4);
        after(Duration.ofMinutes(1));
        in(3);
        after(Duration.ofMinutes(1));
        soldOut();

        assertThat(rows()).containsExactly("true 4 PT1M", "true 3 PT0S", "false 0 PT0S");
    }

    @Test
    void anAnswerThatComesLateChangesNothing() {
        Instant before = clock.instant();
        after(Duration.ofMinutes(1));
        in(4);
        await(history.write(ACCOUNT, "here", List.of(new Ask(A100, 1)), Offers.none(), before));

        assertThat(rows()).containsExactly("true 4 PT0S");
    }

    @Test
    void whatLeavesStockOpenIsNoObservation() {
        Offers unknown = available(Offer.now("sku-a100", A100, "here", null, Stock.unknown()));
        Offers noQuota = new Offers(
                List.of(), List.of(new Offers.Missing("sku-a100", A100, "here", Reason.NO_QUOTA, "quota 0", null)));
        write(unknown);
        write(noQuota);
        AccountView blind = view(new FakeAdapter(
                FakeAdapter.sellsA100("blind").stockCannotBeAsked().build()));
        await(history.write(blind, "here", List.of(new Ask(A100, 1)), Offers.none(), clock.instant()));

        assertThat(rows()).isEmpty();
    }

    @Test
    void zonesOfOneFlavorAreCountedTogether() {
        write(available(
                Offer.now("sku-a100", A100, "here", "z1", Stock.of(2)),
                Offer.now("sku-a100", A100, "here", "z2", Stock.of(3))));
        after(Duration.ofMinutes(1));
        write(available(Offer.now("sku-a100", A100, "here", "z1", Stock.scarce())));

        assertThat(rows()).containsExactly("true 5 PT0S", "true null PT0S");
    }

    @Test
    void waitsRunFromSoldOutToBack() {
        in(1);
        for (int hours : new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 40}) {
            spell(Duration.ofHours(hours));
        }

        assertThat(await(history.waits()).of("one", "here", A100))
                .contains(new Wait(Duration.ofHours(5), Duration.ofHours(9), 10));
        assertThat(await(history.waits()).of("one", "there", A100)).isEmpty();
    }

    @Test
    void aSpellWhoseBeginningOrEndNobodySawTeachesNothing() {
        soldOut();
        after(Duration.ofHours(5));
        in(1);
        after(Duration.ofHours(5));
        soldOut();

        assertThat(await(history.waits()).of("one", "here", A100)).isEmpty();
    }

    @Test
    void fiveWaitsMakeALeadTimeAndFourDoNot() {
        in(1);
        for (int i = 0; i < 4; i++) {
            spell(Duration.ofHours(10));
        }
        assertThat(await(leadTimes.read(Set.of())).of("one", "here", A100)).isEmpty();
        spell(Duration.ofHours(30));

        LeadTime lead = await(leadTimes.read(Set.of())).of("one", "here", A100).orElseThrow();
        assertThat(lead.low()).isEqualTo(Duration.ofHours(10));
        assertThat(lead.high()).isEqualTo(Duration.ofHours(30));
        assertThat(lead.source()).isEqualTo(LeadTime.Source.HISTORY);
        assertThat(lead.observations()).isEqualTo(5);
    }

    @Test
    void withoutHistoryTheShippedPriorCountsAndNamesItsSource() {
        LeadTime lead = await(leadTimes.read(Set.of())).of("one", "here", H100).orElseThrow();

        assertThat(lead.low()).isEqualTo(Duration.ofDays(21));
        assertThat(lead.high()).isEqualTo(Duration.ofDays(28));
        assertThat(lead.source()).isEqualTo(LeadTime.Source.PRIOR);
        assertThat(lead.note()).contains("field report");
    }

    @Test
    void whatIsDiscardedIsForgotten() {
        in(1);
        spell(Duration.ofHours(1));
        assertThat(await(history.waits()).of("one", "here", A100)).isPresent();

        await(history.discard());

        assertThat(rows()).isEmpty();
        assertThat(await(history.waits()).of("one", "here", A100)).isEmpty();
    }

    // ---- helpers ---------------------------------------------------------------------------------

    private void spell(Duration wait) {
        after(Duration.ofHours(1));
        soldOut();
        after(wait);
        in(1);
    }

    private void in(int nodes) {
        write(available(Offer.now("sku-a100", A100, "here", null, Stock.of(nodes))));
    }

    private void soldOut() {
        write(Offers.none());
    }

    private void write(Offers offers) {
        await(history.write(ACCOUNT, "here", List.of(new Ask(A100, 1)), offers, clock.instant()));
    }

    private void after(Duration time) {
        clock.advance(time);
    }

    private static List<String> rows() {
        return await(DATABASE.database()
                .pool()
                .query("SELECT in_stock, nodes, extract(epoch FROM last_seen_at - from_at)::bigint AS seconds"
                        + " FROM stock_observation ORDER BY observation_id")
                .execute()
                .map(rows -> {
                    List<String> texts = new java.util.ArrayList<>();
                    rows.forEach(row -> texts.add(row.getBoolean("in_stock") + " " + row.getInteger("nodes") + " "
                            + Duration.ofSeconds(row.getLong("seconds"))));
                    return texts;
                }));
    }

    private static AccountView view(FakeAdapter adapter) {
        return new AccountView(adapter.capabilities().platform(), "p", adapter.capabilities(), true, true, "auto");
    }

    private static Offers available(Offer... offers) {
        return new Offers(List.of(offers), List.of());
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
