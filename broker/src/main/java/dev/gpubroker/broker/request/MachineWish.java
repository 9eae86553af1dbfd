package dev.gpubroker.broker.request;

import dev.gpubroker.adapter.spi.MachineSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How machines should come up, as far as somebody said so: a request, a person's defaults, an account's. What is not said is
 * null or empty, so that "no public address" differs from no word about one.
 *
 * @param frameworks wanted instead of an image
 * @param sshKeys public keys in OpenSSH form
 */
public record MachineWish(
        @Nullable String image,
        List<String> frameworks,
        List<String> sshKeys,
        @Nullable String startupScript,
        @Nullable Integer dataDiskGb,
        @Nullable Boolean publicIp) {
    private static final MachineWish NOTHING = new MachineWish(null, List.of(), List.of(), null, null, null);

    public MachineWish {
        frameworks = List.copyOf(frameworks);
        sshKeys = List.copyOf(sshKeys);
    }

    public static MachineWish none() {
        return NOTHING;
    }

    public boolean isNothing() {
        return equals(NOTHING);
    }

    /**
     * This wish, and what {@code defaults} say where it says nothing. Image and frameworks are one choice. Keys are united, and
     * two that differ in their comment alone are one.
     */
    public MachineWish over(MachineWish defaults) {
        boolean chosen = image != null || !frameworks.isEmpty();
        Map<String, String> keys = new LinkedHashMap<>();
        sshKeys.forEach(key -> keys.putIfAbsent(withoutComment(key), key));
        defaults.sshKeys.forEach(key -> keys.putIfAbsent(withoutComment(key), key));
        return new MachineWish(
                chosen ? image : defaults.image,
                chosen ? frameworks : defaults.frameworks,
                List.copyOf(keys.values()),
                startupScript == null ? defaults.startupScript : startupScript,
                dataDiskGb == null ? defaults.dataDiskGb : dataDiskGb,
                publicIp == null ? defaults.publicIp : publicIp);
    }

    private static String withoutComment(String key) {
        String[] parts = key.split(" ", 3);
        return parts.length < 2 ? key : parts[0] + " " + parts[1];
    }

    /** For the adapter: what nobody said is left out. */
    public MachineSpec spec() {
        return new MachineSpec(
                image,
                frameworks,
                sshKeys,
                startupScript,
                Objects.requireNonNullElse(dataDiskGb, 0),
                Boolean.TRUE.equals(publicIp));
    }
}
