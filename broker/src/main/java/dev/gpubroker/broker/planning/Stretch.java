package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.request.BookingRequest;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/**
 * What a stand-in takes beyond what was asked, so that a slower model does the same work: more GPUs, a later end, or both.
 *
 * @param askedCount GPUs that were asked for, {@code askedEnd} until when
 * @param count GPUs that are taken, {@code end} until when
 */
public record Stretch(int askedCount, Instant askedEnd, int count, Instant end) {
    private static final int SHARE_PLACES = 12;

    /** The request as the stand-in serves it; doing it again changes nothing. */
    BookingRequest over(BookingRequest asked) {
        return sized(asked, count, end);
    }

    /** The request as it was, but for what was changed since. */
    public BookingRequest undone(BookingRequest taken) {
        return sized(
                taken,
                taken.gpu().count() == count ? askedCount : taken.gpu().count(),
                taken.window().end().equals(end) ? askedEnd : taken.window().end());
    }

    /** Whether the request is as the stand-in serves it: nobody has changed it since. */
    public boolean isOf(BookingRequest taken) {
        return taken.gpu().count() == count && taken.window().end().equals(end);
    }

    private static BookingRequest sized(BookingRequest request, int count, Instant end) {
        BookingRequest.Gpu gpu = request.gpu();
        return request.with(
                new BookingRequest.Gpu(gpu.model(), count, gpu.nodes(), gpu.memoryGb(), gpu.formFactor()),
                new Window(request.window().start(), end));
    }

    /** The part of all GPU hours from {@code start} on that was not asked for, from 0 to 1. */
    public BigDecimal share(Instant start) {
        BigDecimal asked = gpuSeconds(askedCount, start, askedEnd);
        return BigDecimal.ONE.subtract(
                asked.divide(gpuSeconds(count, start, end), SHARE_PLACES, RoundingMode.HALF_EVEN));
    }

    private static BigDecimal gpuSeconds(int count, Instant start, Instant end) {
        return BigDecimal.valueOf(count)
                .multiply(BigDecimal.valueOf(Duration.between(start, end).toSeconds()));
    }

    public String english(ZoneId zone) {
        String gpus = count == askedCount ? "" : count + " GPUs instead of " + askedCount;
        String until = end.equals(askedEnd) ? "" : "until " + time(end, zone) + " instead of " + time(askedEnd, zone);
        return gpus + (gpus.isEmpty() || until.isEmpty() ? "" : ", ") + until;
    }

    public String chinese(ZoneId zone) {
        String gpus = count == askedCount ? "" : count + " 张卡（原为 " + askedCount + " 张）";
        String until = end.equals(askedEnd) ? "" : "至 " + time(end, zone) + "（原为 " + time(askedEnd, zone) + "）";
        return gpus + (gpus.isEmpty() || until.isEmpty() ? "" : "，") + until;
    }

    private static String time(Instant instant, ZoneId zone) {
        return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
                instant.atZone(zone).toOffsetDateTime());
    }
}
