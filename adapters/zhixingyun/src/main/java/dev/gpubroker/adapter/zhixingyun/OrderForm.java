package dev.gpubroker.adapter.zhixingyun;

import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.PlatformFault;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The fields that create and its quote share (API documentation 创建云主机, 2026). The platform takes neither SSH keys nor a
 * start-up script, and gives no address of a machine's own.
 */
final class OrderForm {
    /** Names of an offer's attributes. */
    static final String GPU_TYPE = "gpu_type";

    static final String SPEC = "spec_name";
    static final String IMAGE = "image_name";
    static final String IMAGES = "images";

    static Map<String, String> of(Offer offer, MachineSpec machine, Pack pack, String payTypeFirst) {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("gpu_type", attribute(offer, GPU_TYPE));
        form.put("gpu_num", String.valueOf(offer.flavor().gpusPerNode()));
        form.put("spec_name", attribute(offer, SPEC));
        form.put("image_name", image(offer, machine));
        form.put("pack_time", String.valueOf(pack.amount()));
        form.put("unit", pack.unit());
        form.put("pay_type_first", payTypeFirst);
        // It ends at the end of the pack, and its disk with it: a kept disk (1) goes on costing.
        form.put("autorenew_on", "false");
        form.put("autorenew_unit", "hour");
        form.put("due_mode", "-1");
        form.put("add_disk_size", String.valueOf(machine.dataDiskGb()));
        form.put("bandwidth", "32"); // Free up to here.
        return form;
    }

    /** @throws PlatformFault if the platform does not offer the image that is wanted for this model */
    private static String image(Offer offer, MachineSpec machine) {
        List<String> images = images(offer);
        String wanted = machine.image();
        if (wanted == null) {
            return images.stream()
                    .filter(image -> !machine.frameworks().isEmpty() && holds(image, machine.frameworks()))
                    .findFirst()
                    .orElseGet(() -> attribute(offer, IMAGE));
        }
        if (!images.contains(wanted)) {
            throw new PlatformFault(
                    PlatformFault.Kind.BAD_REQUEST,
                    "no image '" + wanted + "' for " + offer.sku() + "; there are " + images);
        }
        return wanted;
    }

    /** The account's image, else Ubuntu with CUDA, else any Ubuntu, else the first; "" if there is none at all. */
    static String standardImage(List<String> images, String wanted) {
        if (images.contains(wanted)) {
            return wanted;
        }
        return images.stream()
                .filter(image -> image.startsWith("ubuntu") && image.contains("cuda"))
                .findFirst()
                .or(() -> images.stream()
                        .filter(image -> image.startsWith("ubuntu"))
                        .findFirst())
                .or(() -> images.stream().findFirst())
                .orElse("");
    }

    private static boolean holds(String image, List<String> frameworks) {
        String name = image.toLowerCase(Locale.ROOT);
        return frameworks.stream().allMatch(framework -> name.contains(framework.toLowerCase(Locale.ROOT)));
    }

    private static List<String> images(Offer offer) {
        return Arrays.asList(attribute(offer, IMAGES).split(",", -1));
    }

    private static String attribute(Offer offer, String name) {
        String value = offer.attributes().get(name);
        if (value == null) {
            throw new PlatformFault(PlatformFault.Kind.BAD_REQUEST, "an offer of " + offer.sku() + " without " + name);
        }
        return value;
    }

    private OrderForm() {}
}
