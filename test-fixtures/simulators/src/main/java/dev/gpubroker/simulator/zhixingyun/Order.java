package dev.gpubroker.simulator.zhixingyun;

import dev.gpubroker.simulator.SimInstance;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a create or its quote asks for.
 *
 * @param fault what is wrong with the fields, in the platform's words; null if nothing
 */
record Order(
        String gpuType,
        int cards,
        String spec,
        String image,
        int hours,
        int diskGb,
        String dueMode,
        String payTypeFirst,
        String extUid,
        @Nullable String fault) {
    /** Every field that the documentation calls required, for create and quote alike. */
    private static final List<String> REQUIRED = List.of(
            "gpu_type",
            "gpu_num",
            "image_name",
            "pack_time",
            "unit",
            "pay_type_first",
            "autorenew_on",
            "autorenew_unit",
            "add_disk_size",
            "bandwidth",
            "due_mode",
            "spec_name");

    static Order read(Map<String, String> form) {
        int cards = number(text(form, "gpu_num"), -1);
        int time = number(text(form, "pack_time"), 0);
        int hours = time * (text(form, "unit").equals("day") ? 24 : 1);
        return new Order(
                text(form, "gpu_type"),
                cards,
                text(form, "spec_name"),
                text(form, "image_name"),
                hours,
                number(text(form, "add_disk_size"), 0),
                text(form, "due_mode"),
                text(form, "pay_type_first"),
                text(form, "ext_uid"),
                fault(form, cards, time));
    }

    String sku() {
        return ZhixingyunCatalogue.skuName(gpuType, cards);
    }

    /** The machine that the order buys, starting. */
    SimInstance machine(int number, String model, Pack pack, Instant now, Instant readyAt) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("number", String.valueOf(number));
        attributes.put("gpuType", gpuType);
        attributes.put("image", image);
        attributes.put("cpus", String.valueOf(pack.spec().cpus()));
        attributes.put("memoryGb", String.valueOf(pack.spec().memoryGb()));
        attributes.put("diskGb", String.valueOf(diskGb));
        attributes.put("dataDiskGb", String.valueOf(diskGb));
        attributes.put("dueMode", dueMode);
        attributes.put("payTypeFirst", payTypeFirst);
        attributes.put("extUid", extUid);
        attributes.put("paid", Pack.plain(pack.cost()));
        attributes.put("hours", String.valueOf(hours));
        attributes.put("returned", "0");
        attributes.put("readyAt", readyAt.toString());
        attributes.put("dueAt", now.plus(Duration.ofHours(hours)).toString());
        Map<String, String> tags = tags(extUid);
        String name = "sim_inner-0112_" + UUID.randomUUID().toString().replace("-", "") + "_u1_c0";
        return new SimInstance(
                name, sku(), model, cards, tags.get(SimInstance.KEY_TAG), tags, "4", now, null, attributes);
    }

    /** The broker's marks in a text of the form {@code installation.key}; empty for any other text. */
    static Map<String, String> tags(String text) {
        int dot = text.lastIndexOf('.');
        return dot < 1 || dot == text.length() - 1
                ? Map.of()
                : Map.of(
                        "gpu-broker-installation",
                        text.substring(0, dot),
                        SimInstance.KEY_TAG,
                        text.substring(dot + 1));
    }

    static int number(String text, int otherwise) {
        return text.matches("-?\\d{1,6}") ? Integer.parseInt(text) : otherwise;
    }

    private static @Nullable String fault(Map<String, String> form, int cards, int time) {
        for (String name : REQUIRED) {
            if (text(form, name).isEmpty()) {
                return name + "参数缺失";
            }
        }
        if (!ZhixingyunCatalogue.CARDS.contains(cards)) {
            return "gpu_num参数错误";
        }
        if (time < 1 || !List.of("hour", "day").contains(text(form, "unit"))) {
            return "pack_time参数错误";
        }
        if (!ZhixingyunCatalogue.IMAGES.contains(text(form, "image_name"))) {
            return "image_name参数错误";
        }
        if (!List.of("-1", "1").contains(text(form, "due_mode"))) {
            return "due_mode参数错误";
        }
        return ZhixingyunCatalogue.specOf(text(form, "spec_name"), cards).isEmpty() ? "spec_name参数错误" : null;
    }

    private static String text(Map<String, String> form, String name) {
        return form.getOrDefault(name, "");
    }
}
