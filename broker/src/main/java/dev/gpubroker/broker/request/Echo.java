package dev.gpubroker.broker.request;

import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Says a request back in one sentence, so that a person sees what will be bought before any money moves. */
public final class Echo {
    private static final DateTimeFormatter ENGLISH =
            DateTimeFormatter.ofPattern("d MMM uuuu HH:mm xxx", Locale.ENGLISH);
    private static final DateTimeFormatter CHINESE = DateTimeFormatter.ofPattern("uuuu年M月d日 HH:mm xxx", Locale.ROOT);

    private final ModelNames models;

    public Echo(ModelNames models) {
        this.models = models;
    }

    public String english(BookingRequest request) {
        ZonedDateTime start = request.window().start().atZone(request.timeZone());
        ZonedDateTime end = request.window().end().atZone(request.timeZone());
        long days = wholeDays(start, end);
        return model(request.gpu(), " (", ")", "any variant", "at least ", " GB each")
                + ", " + nodes(request)
                + ", " + ENGLISH.format(start) + " → " + ENGLISH.format(end)
                + " (" + request.timeZone().getId() + "), "
                + request.window().length().toHours() + " h"
                + (days == 0 ? "" : days == 1 ? " (1 day)" : " (" + days + " days)");
    }

    public String chinese(BookingRequest request) {
        ZonedDateTime start = request.window().start().atZone(request.timeZone());
        ZonedDateTime end = request.window().end().atZone(request.timeZone());
        long days = wholeDays(start, end);
        return model(request.gpu(), "（", "）", "型号不限", "每卡至少 ", " GB")
                + "，" + nodesZh(request)
                + "，" + CHINESE.format(start) + " → " + CHINESE.format(end)
                + "（" + request.timeZone().getId() + "），共 "
                + request.window().length().toHours() + " 小时"
                + (days == 0 ? "" : "（" + days + " 天）");
    }

    static String english(ZonedDateTime time) {
        return ENGLISH.format(time);
    }

    static String chinese(ZonedDateTime time) {
        return CHINESE.format(time);
    }

    private String model(
            BookingRequest.Gpu gpu, String open, String close, String any, String atLeast, String gigabytes) {
        List<String> said = new ArrayList<>();
        if (gpu.formFactor() != null) {
            said.add(gpu.formFactor().toUpperCase(Locale.ROOT));
        }
        if (gpu.memoryGb() != null) {
            said.add(atLeast + gpu.memoryGb() + gigabytes);
        }
        if (said.isEmpty() && !models.find(gpu.model()).map(ModelName::exact).orElse(false)) {
            said.add(any);
        }
        return gpu.count() + " × " + gpu.model() + (said.isEmpty() ? "" : open + String.join(", ", said) + close);
    }

    private static String nodes(BookingRequest request) {
        BookingRequest.Gpu gpu = request.gpu();
        if (gpu.nodes() != null) {
            return gpu.nodes() == 1 ? "on one node" : "on " + gpu.nodes() + " nodes of " + gpu.count() / gpu.nodes();
        }
        if (Boolean.FALSE.equals(request.constraints().singleNode())) {
            return "on any number of nodes";
        }
        return gpu.count() <= Limits.WHOLE_NODE ? "on one node" : "on equal whole nodes";
    }

    private static String nodesZh(BookingRequest request) {
        BookingRequest.Gpu gpu = request.gpu();
        if (gpu.nodes() != null) {
            return gpu.nodes() == 1 ? "单节点" : gpu.nodes() + " 个节点，每节点 " + gpu.count() / gpu.nodes() + " 卡";
        }
        if (Boolean.FALSE.equals(request.constraints().singleNode())) {
            return "节点数不限";
        }
        return gpu.count() <= Limits.WHOLE_NODE ? "单节点" : "若干台相同的整机";
    }

    /** Calendar days of a window that begins and ends at the same wall time; 0 for any other. */
    private static long wholeDays(ZonedDateTime start, ZonedDateTime end) {
        LocalTime from = start.toLocalTime();
        return from.equals(end.toLocalTime()) ? ChronoUnit.DAYS.between(start.toLocalDate(), end.toLocalDate()) : 0;
    }
}
