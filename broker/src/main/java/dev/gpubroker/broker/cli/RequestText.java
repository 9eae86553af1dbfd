package dev.gpubroker.broker.cli;

import dev.gpubroker.client.model.GpuWish;
import dev.gpubroker.client.model.NormalisedRequest;
import dev.gpubroker.client.model.SubstitutionWish;
import java.util.ArrayList;
import java.util.List;

/** A normalised request in one sentence, so that a person sees what was understood. */
final class RequestText {
    private RequestText() {}

    static String of(NormalisedRequest request, Lang lang) {
        GpuWish gpu = request.getGpu();
        List<String> parts = new ArrayList<>();
        parts.add(gpu.getCount() + " × " + gpu.getModel());
        if (gpu.getMemoryGb() != null) {
            parts.add(lang.pick("at least " + gpu.getMemoryGb() + " GB each", "每卡至少 " + gpu.getMemoryGb() + " GB"));
        }
        if (gpu.getFormFactor() != null) {
            parts.add(gpu.getFormFactor());
        }
        if (gpu.getNodes() != null) {
            parts.add(lang.pick("nodes: " + gpu.getNodes(), gpu.getNodes() + " 台"));
        }
        parts.add(length(request, lang));
        parts.add(Times.withDay(Times.in(request.getStart(), request.getTimeZone()), lang) + " → "
                + Times.withDay(Times.in(request.getEnd(), request.getTimeZone()), lang));
        String zone =
                request.getTimeZone() + " " + Times.read(request.getStart()).getOffset();
        return String.join(lang.pick(", ", "，"), parts)
                + lang.pick(" (" + zone + ")", "（" + zone + "）")
                + standIns(request.getSubstitution(), lang);
    }

    private static String length(NormalisedRequest request, Lang lang) {
        String length = Times.length(request.getStart(), request.getEnd(), request.getTimeZone());
        if (length.startsWith("PT")) {
            String hours = length.substring(2, length.length() - 1);
            return lang.pick(hours + " h", hours + " 小时");
        }
        String days = length.substring(1, length.length() - 1);
        return lang.pick(days + (days.equals("1") ? " day" : " days"), days + " 天");
    }

    private static String standIns(@org.jspecify.annotations.Nullable SubstitutionWish wish, Lang lang) {
        if (wish == null || wish.getMode() == null) {
            return "";
        }
        String models = wish.getModels() == null || wish.getModels().isEmpty()
                ? lang.pick("another model", "其他型号")
                : String.join(", ", wish.getModels());
        return switch (wish.getMode()) {
            case AUTO -> lang.pick("; " + models + " may stand in", "；可自动改用 " + models);
            case NEVER -> lang.pick("; no other model", "；不接受替代");
            default -> "";
        };
    }
}
