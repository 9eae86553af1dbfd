package dev.gpubroker.adapter.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.PlatformFault;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class UserDataTest {
    @Test
    void nothingToDoIsNoUserData() {
        assertThat(UserData.of(MachineSpec.standard())).isNull();
    }

    @Test
    void keysAndScriptAreBothInside() {
        assertThat(text("echo 你好", "ssh-ed25519 AAAA it's me"))
                .contains("ssh_authorized_keys:\n  - 'ssh-ed25519 AAAA it''s me'\n")
                .contains("#!/bin/bash\necho 你好\n");
    }

    @Test
    void aScriptKeepsItsOwnInterpreter() {
        assertThat(text("#!/usr/bin/python3\nprint(1)\n")).contains("\n\n#!/usr/bin/python3\nprint(1)\n--");
    }

    @Test
    void aKeyCannotSmuggleInFurtherLines() {
        assertThatThrownBy(() -> text(null, "ssh-ed25519 AAAA\nruncmd: [reboot]"))
                .isInstanceOf(PlatformFault.class);
    }

    @Test
    void moreThanTheLimitIsRefusedBeforeAnythingIsLaunched() {
        assertThatThrownBy(() -> text("x".repeat(17_000))).isInstanceOf(PlatformFault.class);
    }

    @Test
    void aChineseScriptCountsInBytes() {
        MachineSpec script = new MachineSpec(null, List.of(), List.of(), "# " + "长".repeat(5_500), 0, false);

        assertThat(UserData.LIMIT.allows(script)).isFalse();
        assertThat(UserData.LIMIT.size().applyAsInt(script)).isGreaterThan(16_500);
    }

    private static String text(@Nullable String script, String... keys) {
        String encoded = UserData.of(new MachineSpec(null, List.of(), List.of(keys), script, 0, false));
        return new String(Base64.getDecoder().decode(Objects.requireNonNull(encoded)), StandardCharsets.UTF_8);
    }
}
