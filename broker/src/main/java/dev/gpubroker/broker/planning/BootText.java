package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.BootLimit;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.MachineSpec;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a machine is told for its first boot, where that is more than a platform takes. Found out after a purchase it would
 * cost the whole window. Pure.
 */
record BootText(BootLimit limit, MachineSpec machine, int ours) {
    /** The line with which machines that are ordered at their start call home, at its longest. */
    private static final String CALL_HOME = "\n" + "#".repeat(499);

    /**
     * @param machine as it would be ordered, with the account's defaults
     * @param alwaysCallsHome whether a script is made where there is none
     */
    static Optional<BootText> tooLong(Capabilities platform, MachineSpec machine, boolean alwaysCallsHome) {
        BootLimit limit = platform.bootLimit();
        String script = machine.startupScript();
        if (limit == null || (script == null && machine.sshKeys().isEmpty())) {
            return Optional.empty();
        }
        boolean callsHome = platform.sellsNow() && (script != null || alwaysCallsHome);
        MachineSpec whole = callsHome ? with(machine, (script == null ? "" : script) + CALL_HOME) : machine;
        return limit.allows(whole)
                ? Optional.empty()
                : Optional.of(new BootText(limit, machine, limit.size().applyAsInt(whole)));
    }

    private int keys() {
        return machine.sshKeys().isEmpty() ? 0 : limit.size().applyAsInt(with(machine, null));
    }

    private int script() {
        MachineSpec alone = new MachineSpec(null, List.of(), List.of(), machine.startupScript(), 0, false);
        return machine.startupScript() == null ? 0 : limit.size().applyAsInt(alone);
    }

    private static MachineSpec with(MachineSpec machine, @Nullable String script) {
        return new MachineSpec(
                machine.image(),
                machine.frameworks(),
                machine.sshKeys(),
                script,
                machine.dataDiskGb(),
                machine.publicIp());
    }

    String english() {
        return "its orders take at most " + limit.mostBytes() + " bytes for the first boot; these are " + ours
                + " (SSH keys "
                + keys() + ", start-up script " + script()
                + ", as the platform counts them). Shorten what is longest, or let the script fetch the rest";
    }

    String chinese() {
        return "该平台的首次启动数据最多 " + limit.mostBytes() + " 字节，当前为 " + ours + " 字节（SSH 密钥 " + keys() + "，启动脚本 " + script()
                + "，按平台的计法）。请缩短其中最长的部分，或让脚本自行下载其余内容";
    }
}
