package dev.gpubroker.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which addresses a user may have called. */
class AddressKindTest {
    @ParameterizedTest
    @CsvSource({
        "8.8.8.8, PUBLIC",
        "172.15.255.255, PUBLIC",
        "172.32.0.1, PUBLIC",
        "100.63.255.255, PUBLIC",
        "2606:4700::1111, PUBLIC",
        "2001:4860:4860::8888, PUBLIC",
        "64:ff9b::8.8.8.8, PUBLIC",
        "127.0.0.1, LOOPBACK",
        "127.255.0.9, LOOPBACK",
        "::1, LOOPBACK",
        "10.1.2.3, PRIVATE",
        "172.16.0.1, PRIVATE",
        "172.31.255.255, PRIVATE",
        "192.168.1.1, PRIVATE",
        "100.64.0.1, PRIVATE",
        "100.127.255.255, PRIVATE",
        "169.254.1.1, PRIVATE",
        "192.0.0.8, PRIVATE",
        "198.18.0.1, PRIVATE",
        "198.51.100.7, PRIVATE",
        "203.0.113.7, PRIVATE",
        "fd12:3456::1, PRIVATE",
        "fe80::1, PRIVATE",
        "::7f00:1, PRIVATE",
        "2001::1, PRIVATE",
        "2002:7f00:1::, PRIVATE",
        "2001:db8::1, PRIVATE",
        "64:ff9b::10.0.0.1, PRIVATE",
        "64:ff9b:1::1, PRIVATE",
        "64:ff9b::127.0.0.1, LOOPBACK",
        "64:ff9b::169.254.169.254, NEVER",
        "169.254.169.254, NEVER",
        "169.254.170.2, NEVER",
        "100.100.100.200, NEVER",
        "168.63.129.16, NEVER",
        "fd00:ec2::254, NEVER",
        "0.0.0.0, NEVER",
        "0.1.2.3, NEVER",
        "224.0.0.1, NEVER",
        "255.255.255.255, NEVER",
        "240.0.0.1, NEVER",
        "::, NEVER",
        "ff02::1, NEVER"
    })
    void anAddressIsWhatItsRangeSays(String address, AddressKind kind) throws UnknownHostException {
        assertThat(AddressKind.of(InetAddress.getByName(address))).isEqualTo(kind);
    }

    /** Java unwraps it where it reads text; a resolver may still hand over the sixteen bytes. */
    @Test
    void anIpv4AddressInIpv6ClothesIsJudgedAsWhatItIs() throws UnknownHostException {
        byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, (byte) 169, (byte) 254, (byte) 169, (byte) 254};

        assertThat(AddressKind.of(java.net.Inet6Address.getByAddress(null, mapped, -1)))
                .isEqualTo(AddressKind.NEVER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "10.0.0.0/33", "10.0.0.1/8", "example.com", "10.0.0.0/", "fd00::/129", "10/8", "1.2.3.4/8/8"
            })
    void whatIsNoNetworkIsRefused(String text) {
        assertThatThrownBy(() -> Network.of(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNetworkEndsAtItsPrefix() throws UnknownHostException {
        Network network = Network.of("10.20.0.0/15");

        assertThat(network.contains(InetAddress.getByName("10.21.255.255"))).isTrue();
        assertThat(network.contains(InetAddress.getByName("10.22.0.0"))).isFalse();
        assertThat(network.contains(InetAddress.getByName("::a14:1"))).isFalse();
        assertThat(Network.of("0.0.0.0/0").overlaps(Network.of("127.0.0.0/8"))).isTrue();
        assertThat(network.overlaps(Network.of("127.0.0.0/8"))).isFalse();
    }
}
