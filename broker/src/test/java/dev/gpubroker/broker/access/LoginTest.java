package dev.gpubroker.broker.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoginTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.5, 10.0.0.5,,",
        "ann@10.0.0.5:2222, 10.0.0.5, 2222, ann",
        "gpu01.lab, gpu01.lab,,",
        "[2001:db8::7]:2222, 2001:db8::7, 2222,",
        "2001:db8::7, 2001:db8::7,,",
        "ubuntu@gpu-01, gpu-01,, ubuntu"
    })
    void anAddressMayNameUserAndPort(String written, String host, Integer port, String user) {
        assertThat(Login.written(written)).isEqualTo(new Login(host, port, user));
    }

    /** An address that begins with a dash would be an option of ssh. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-oProxyCommand=x",
                "rack 7, second from above",
                "10.0.0.5:0",
                "10.0.0.5:99999",
                "10.0.0.300",
                "a;b@gpu-01",
                "gpu-01;reboot",
                "fd00::5:::",
                ""
            })
    void whatIsNoAddressIsNone(String written) {
        assertThat(Login.written(written).host()).isNull();
    }

    @Test
    void knownHostsNamesThePortUnlessItIsTheUsualOne() {
        assertThat(new Login("10.0.0.5", 22, null).knownHost("ssh-ed25519 AAAA"))
                .isEqualTo("10.0.0.5 ssh-ed25519 AAAA");
        assertThat(new Login("10.0.0.5", 2222, null).knownHost("ssh-ed25519 AAAA"))
                .isEqualTo("[10.0.0.5]:2222 ssh-ed25519 AAAA");
        assertThat(new Login("10.0.0.5", 22, null).knownHost(null)).isNull();
    }
}
