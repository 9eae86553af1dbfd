package dev.gpubroker.broker.allocation;

import static java.util.Locale.ROOT;

import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.VisibleText;
import java.text.Normalizer;
import java.util.List;

/**
 * What a pool may be called: nearly anything that people can read, as teams have names for their racks already. It stands
 * where an id may stand, in addresses and in commands, so it must not be taken for one, nor for another pool. Pure.
 */
final class PoolName {
    private static final String ID = "pol_";

    private PoolName() {}

    static void check(String name, List<FieldError> errors) {
        if (name.isBlank()) {
            errors.add(new FieldError("name", "format", "must have visible characters", "必须包含可见字符"));
            return;
        }
        VisibleText.fault("name", name, VisibleText.Kind.LINE).ifPresent(errors::add);
        if (!name.equals(name.strip())) {
            errors.add(new FieldError("name", "format", "must not begin or end with a blank", "开头和结尾不能有空格"));
        }
        if (name.equals(".") || name.equals("..")) {
            errors.add(new FieldError(
                    "name",
                    "format",
                    "must not be " + name + ", which in an address means another place",
                    "不能是 " + name + "：它在地址中另有含义"));
        }
        if (folded(name).startsWith(ID)) {
            errors.add(new FieldError(
                    "name",
                    "format",
                    "must not begin with " + ID + ", as ids of pools do",
                    "不能以资源池编号的前缀 " + ID + " 开头"));
        }
    }

    /** Equal for names that people would read aloud alike: whatever their case, width and spacing. */
    static String folded(String name) {
        String plain = Normalizer.normalize(name, Normalizer.Form.NFKC);
        // Both ways, as some letters have several forms in one case only.
        String folded = plain.toUpperCase(ROOT)
                .toLowerCase(ROOT)
                .replaceAll("\\s+", " ")
                .strip();
        return Normalizer.normalize(folded, Normalizer.Form.NFKC);
    }
}
