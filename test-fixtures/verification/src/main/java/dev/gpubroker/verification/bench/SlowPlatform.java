package dev.gpubroker.verification.bench;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Stock;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A platform in memory that answers after a set time, and not for long while a file of a set name is there. */
final class SlowPlatform implements PlatformAdapter {
    static final String MODEL = "A100-SXM4-80GB";
    private static final Duration HANG = Duration.ofSeconds(10);

    private final Capabilities capabilities;
    private final Duration delay;
    private final Path hangs;

    SlowPlatform(String platform, AccountSettings settings) {
        delay = Duration.parse(settings.option("delay", "PT0S"));
        hangs = Path.of(settings.option("hangsWhile", "/nonexistent"));
        capabilities = Capabilities.of(platform, platform, "CNY")
                .shapes(List.of(new Shape("eight", new Flavor(MODEL, 8), 80, "nvlink", Set.of())))
                .minInterval(Duration.ZERO)
                .callsPerSecond(BigDecimal.valueOf(1_000))
                .build();
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public Offers offers(OfferQuery query) {
        pause(Files.exists(hangs) ? HANG : delay);
        return new Offers(
                query.asks().stream()
                        .map(Ask::flavor)
                        .map(flavor -> Offer.now("eight", flavor, "here", null, Stock.plenty()))
                        .toList(),
                List.of());
    }

    private static void pause(Duration length) {
        try {
            TimeUnit.NANOSECONDS.sleep(length.toNanos());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new PlatformFault(PlatformFault.Kind.UNREACHABLE, "stopped");
        }
    }

    @Override
    public List<Price> price(PriceQuery query) {
        BigDecimal hours = BigDecimal.valueOf(query.window().length().toHours() * query.nodes());
        return List.of(new Price(
                "hourly",
                query.window(),
                List.of(new Price.Line(
                        LineKind.GPU,
                        "machine",
                        "instance-hour",
                        hours,
                        BigDecimal.valueOf(delay.toMillis()),
                        "CNY"))));
    }

    @Override
    public ClaimOutcome claim(ClaimRequest request) {
        throw notSold();
    }

    @Override
    public ClaimStatus status(PlatformRef ref) {
        throw notSold();
    }

    @Override
    public Finding find(ClaimKey key) {
        throw notSold();
    }

    @Override
    public List<Holding> list(String installation) {
        return List.of();
    }

    @Override
    public ReleaseProgress release(PlatformRef ref) {
        throw notSold();
    }

    private static PlatformFault notSold() {
        return new PlatformFault(PlatformFault.Kind.BAD_REQUEST, "this platform only quotes");
    }
}
