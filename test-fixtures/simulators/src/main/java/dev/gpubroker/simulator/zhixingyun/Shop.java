package dev.gpubroker.simulator.zhixingyun;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** What can be rented, as the shop's two calls answer it. */
final class Shop {
    /** @param rentable whether a machine of the SKU is free */
    static ObjectNode selector(Predicate<String> rentable, Instant asOf) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.putArray("all_districts").add(ZhixingyunCatalogue.DISTRICT);
        ArrayNode types = data.putArray("all_gputypes");
        ArrayNode districtTypes = data.putObject("district_gputypes").putArray(ZhixingyunCatalogue.DISTRICT);
        ObjectNode map = data.putObject("gpu_resource_map");
        for (String gpuType : ZhixingyunCatalogue.gpuTypes()) {
            types.add(gpuType);
            districtTypes.add(gpuType);
            ObjectNode resource = map.putObject(gpuType);
            resource.putArray("ValidDistricts").add(ZhixingyunCatalogue.DISTRICT);
            ArrayNode images = resource.putArray("ValidImages");
            ZhixingyunCatalogue.IMAGES.forEach(images::add);
            ObjectNode cards = resource.putObject("ValidCardsRentable");
            for (int n = 1; n <= 8; n++) {
                cards.put(String.valueOf(n), rentable.test(ZhixingyunCatalogue.skuName(gpuType, n)));
            }
            resource.put("MaxGpuNum", 8);
            resource.put("MaxMemory", 480);
            resource.put("GpuMem", ZhixingyunCatalogue.memoryGb(gpuType));
        }
        data.put("last_refresh_time", asOf.getEpochSecond());
        return data;
    }

    /** @param wanted card counts with commas between; empty means all */
    static ObjectNode specifications(String wanted) {
        List<String> counts = Arrays.asList(wanted.split(",", -1));
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ArrayNode list = data.putArray("Specifications");
        for (ZhixingyunCatalogue.Spec spec : ZhixingyunCatalogue.SPECS) {
            if (wanted.isEmpty() || counts.contains(String.valueOf(spec.gpus()))) {
                list.addObject()
                        .put("SpecName", spec.name())
                        .put("GpuNum", spec.gpus())
                        .put("CpuNum", spec.cpus())
                        .put("Memory", spec.memoryGb())
                        .put("HourPrice", spec.hourPrice())
                        .put("Disabled", false)
                        .put("DisabledReason", "");
            }
        }
        return data;
    }

    private Shop() {}
}
