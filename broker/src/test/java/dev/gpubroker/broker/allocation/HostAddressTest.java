package dev.gpubroker.broker.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.http.FieldError;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How own machines may be reached. */
class HostAddressTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpu-01",
                "gpu-01.lab.example.",
                "gpu_01",
                "10.0.0.5",
                "ci@10.0.0.5:2222",
                "ci@gpu-01",
                "::1",
                "fd00::5",
                "2001:db8:0:0:0:0:0:1",
                "[fd00::5]",
                "ci@[fd00::5]:22",
                "::ffff:10.0.0.5",
                "3com.lab",
                "gpu-01:65535"
            })
    void anAddressThatSshTakesIsTaken(String address) {
        assertThat(faults(address)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-oProxyCommand=touch", "-a", "ci@-a", "-ci@a", "a b", "a;b", "a,b", "a|b", "$(id)", "`id`", "a\nb",
                        "a\u202eb", "", " a",
                "@a", "a@", "a@b@c", "a:", "a:0", "a:65536", "a:b", "10.0.0.300", "10.0.0", "10.0.0.5.", "1", "a..b",
                        "fd00::5:22:", "[::1",
                "::1]", "[10.0.0.5]", ":::", "1::2::3", "1:2:3:4:5:6:7:8:9", "1:2:3", "fe80::1%eth0", "a/b", "ssh://a",
                        "机器"
            })
    void whatCouldBeReadAsSomethingElseIsRefused(String address) {
        assertThat(faults(address)).containsExactly("hosts[0].address format");
    }

    private static List<String> faults(String address) {
        List<FieldError> errors = new ArrayList<>();
        HostAddress.check("hosts[0].address", address, errors);
        return errors.stream().map(error -> error.field() + " " + error.code()).toList();
    }
}
