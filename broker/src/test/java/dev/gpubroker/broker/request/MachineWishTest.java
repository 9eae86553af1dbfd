package dev.gpubroker.broker.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A request wins over its person, a person over the account; keys are united. */
class MachineWishTest {
    private static final String ANN = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA ann@laptop";
    private static final String ANN_AGAIN = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA ann@desk";
    private static final String TEAM = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB team";

    private static MachineWish keys(String... keys) {
        return new MachineWish(null, List.of(), List.of(keys), null, null, null);
    }

    @Test
    void whatIsSaidWins() {
        MachineWish asked = new MachineWish("mine", List.of(), List.of(), "#!/bin/sh\ntrue\n", 100, true);
        MachineWish usual = new MachineWish("usual", List.of(), List.of(), "#!/bin/sh\nfalse\n", 500, false);

        assertThat(asked.over(usual)).isEqualTo(asked);
        assertThat(MachineWish.none().over(usual)).isEqualTo(usual);
    }

    @Test
    void noDiskAndNoAddressAreWordsToo() {
        MachineWish none = new MachineWish(null, List.of(), List.of(), null, 0, false);
        MachineWish usual = new MachineWish(null, List.of(), List.of(), null, 500, true);

        assertThat(none.over(usual).spec().dataDiskGb()).isZero();
        assertThat(none.over(usual).spec().publicIp()).isFalse();
    }

    /** A framework that was asked for is not in the image that somebody usually takes. */
    @Test
    void imageAndFrameworksAreOneChoice() {
        MachineWish asked = new MachineWish(null, List.of("pytorch"), List.of(), null, null, null);
        MachineWish usual = new MachineWish("usual", List.of(), List.of(), null, null, null);

        assertThat(asked.over(usual).image()).isNull();
        assertThat(asked.over(usual).frameworks()).containsExactly("pytorch");
    }

    @Test
    void keysAreUnitedAndEachIsThereOnce() {
        assertThat(keys(ANN).over(keys(TEAM, ANN_AGAIN)).sshKeys()).containsExactly(ANN, TEAM);
    }
}
