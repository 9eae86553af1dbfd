package dev.gpubroker.broker.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.MachineSpec;
import java.util.List;
import java.util.Locale;

/** Reads {@code machine} wherever it stands: in a request, in a person's defaults, in an account's settings. */
public final class MachineFields {
    static final String[] MEMBERS = {"image", "frameworks", "sshKeys", "startupScript", "dataDiskGb", "publicIp"};

    private static final int FRAMEWORK = 64;

    private MachineFields() {}

    /** @throws RequestProblem naming every member at fault */
    public static MachineWish read(ObjectNode machine) {
        FieldErrors errors = new FieldErrors();
        MachineWish wish = read(new BodyFields(machine, "machine", errors, MEMBERS));
        errors.throwIfAny();
        return wish;
    }

    static MachineWish read(BodyFields fields) {
        if (fields.has("image") && fields.has("frameworks")) {
            fields.error(
                    "frameworks",
                    "conflict",
                    "Give machine.image or machine.frameworks, not both.",
                    "machine.image 与 machine.frameworks 只能给一个。");
        }
        List<String> keys = fields.texts("sshKeys", 4096);
        if (!keys.stream().allMatch(MachineSpec::isPublicKey)) {
            fields.error(
                    "sshKeys",
                    "bad_value",
                    "machine.sshKeys takes public keys as in a .pub file, one each.",
                    "machine.sshKeys 每项为一个公钥，格式同 .pub 文件。");
            keys = List.of();
        }
        String script = fields.script("startupScript", Limits.MAX_SCRIPT);
        return new MachineWish(
                fields.text("image", 300),
                fields.texts("frameworks", FRAMEWORK).stream()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .sorted()
                        .toList(),
                keys,
                script == null || script.isBlank() ? null : script,
                fields.number("dataDiskGb", 0, 65_536),
                fields.flag("publicIp"));
    }
}
