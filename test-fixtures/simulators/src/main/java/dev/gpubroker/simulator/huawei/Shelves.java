package dev.gpubroker.simulator.huawei;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;

/** The two lists of flavors. Neither states a number: stock is a word for each zone. */
final class Shelves {
    private static final int PAGE = 1000;

    static SimReply servers(SimRequest request, Ground ground) {
        ObjectNode body = Replies.object();
        ArrayNode flavors = body.putArray("flavors");
        int limit = request.param("limit").isEmpty() ? PAGE : Integer.parseInt(request.param("limit"));
        String marker = request.param("marker");
        boolean passed = marker.isEmpty();
        for (HuaweiCatalogue.Spec spec : HuaweiCatalogue.SPECS) {
            String sku = spec.sku().sku();
            boolean wanted = request.param("flavor_id").isEmpty()
                    || request.param("flavor_id").equals(sku);
            if (passed && wanted && spec.service() == HuaweiCatalogue.Service.ECS && flavors.size() < limit) {
                flavors.add(server(spec, ground.free(sku) > 0));
            }
            passed |= sku.equals(marker);
        }
        return Replies.json(200, body);
    }

    private static ObjectNode server(HuaweiCatalogue.Spec spec, boolean inStock) {
        String word = inStock ? "normal" : "sellout";
        String sku = spec.sku().sku();
        ObjectNode flavor = Replies.object()
                .put("id", sku)
                .put("name", sku)
                .put("vcpus", String.valueOf(spec.vcpus()))
                .put("ram", spec.memoryGb() * 1024)
                .put("disk", "0");
        flavor.putObject("os_extra_specs")
                .put("cond:operation:status", word)
                .put(
                        "cond:operation:az",
                        HuaweiCatalogue.EMPTY_ZONE + "(sellout)," + HuaweiCatalogue.ZONE + "(" + word + ")")
                .put("cond:operation:charge:stop", "charge")
                .put("pci_passthrough:enable_gpu", "true")
                .put("pci_passthrough:alias", spec.alias() + ":" + spec.sku().gpus())
                .put(
                        "info:gpus",
                        "[{\"name\":\"NVIDIA " + spec.sku().family() + "\",\"memory_mb\":" + spec.gpuMemoryMb()
                                + ",\"count\":" + spec.sku().gpus() + ",\"alias_prefix\":\"nvidia\"}]");
        return flavor;
    }

    static SimReply pools(Ground ground) {
        ObjectNode body = Replies.object().put("apiVersion", "v1").put("kind", "ResourceFlavorList");
        body.putObject("metadata").put("continue", "");
        ArrayNode items = body.putArray("items");
        for (HuaweiCatalogue.Spec spec : HuaweiCatalogue.SPECS) {
            if (spec.service() == HuaweiCatalogue.Service.MODELARTS) {
                items.add(pool(spec, ground.free(spec.sku().sku()) > 0));
            }
        }
        return Replies.json(200, body);
    }

    private static ObjectNode pool(HuaweiCatalogue.Spec spec, boolean inStock) {
        ObjectNode item = Replies.object().put("apiVersion", "v1").put("kind", "ResourceFlavor");
        ObjectNode metadata = item.putObject("metadata").put("name", spec.sku().sku());
        metadata.putObject("labels");
        metadata.putObject("annotations");
        ObjectNode about = item.putObject("spec")
                .put("type", "Dedicate")
                .put("cpuArch", "arm64")
                .put("cpu", String.valueOf(spec.vcpus()))
                .put("memory", spec.memoryGb() + "Gi")
                .put("billingCode", spec.billingCode());
        about.putObject("npu")
                .put("type", spec.alias())
                .put("size", String.valueOf(spec.sku().gpus()));
        about.putArray("billingModes").add(0).add(1);
        item.putObject("status")
                .putObject("phase")
                .put(HuaweiCatalogue.EMPTY_ZONE, "soldout")
                .put(HuaweiCatalogue.ZONE, inStock ? "normal" : "soldout");
        return item;
    }

    private Shelves() {}
}
