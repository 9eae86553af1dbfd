package dev.gpubroker.broker.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The broker connects to machines and to nothing else, whatever a platform says. */
class ReachTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.8.9.10",
                "::1",
                "::ffff:127.0.0.1",
                "localhost",
                "0.0.0.0",
                "::",
                "169.254.169.254",
                "fe80::1",
                "224.0.0.1",
                "100.100.100.200",
                "168.63.129.16",
                "192.0.0.192",
                "64:ff9b::7f00:1",
                "fd00:ec2::254"
            })
    void aPlatformCannotSendTheBrokerToItselfOrToTheCloudsOwnServices(String host) {
        assertThatIllegalArgumentException().isThrownBy(() -> Reach.PLATFORM.resolve(host));
    }

    @ParameterizedTest
    @ValueSource(strings = {"203.0.113.7", "10.0.0.8", "2001:db8::7"})
    void machinesMayHavePublicAndPrivateAddresses(String host) throws UnknownHostException {
        assertThat(Reach.PLATFORM.resolve(host)).isNotNull();
    }

    /** What a simulator invents may be somebody's address. */
    @Test
    void simulatedMachinesAreOnThisComputerAlone() throws UnknownHostException {
        assertThat(Reach.SIMULATED.resolve("127.0.0.1").isLoopbackAddress()).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> Reach.SIMULATED.resolve("10.0.0.8"));
        assertThatIllegalArgumentException().isThrownBy(() -> Reach.SIMULATED.resolve("203.0.113.7"));
    }

    @Test
    void ownMachinesMayBeAnywhereButAtTheCloudsOwnServices() throws UnknownHostException {
        assertThat(Reach.OWN.resolve("127.0.0.1")).isNotNull();
        assertThat(Reach.OWN.resolve("10.0.0.8")).isNotNull();
        for (String host : new String[] {"169.254.169.254", "168.63.129.16", "192.0.0.192"}) {
            assertThatIllegalArgumentException().isThrownBy(() -> Reach.OWN.resolve(host));
        }
    }

    @Test
    void privateIsWhatOnlySomeCanReach() throws UnknownHostException {
        for (String host : new String[] {"10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fd12::1"}) {
            assertThat(Reach.isPrivate(InetAddress.getByName(host))).as(host).isTrue();
        }
        for (String host : new String[] {"203.0.113.7", "100.128.0.1", "2001:db8::1"}) {
            assertThat(Reach.isPrivate(InetAddress.getByName(host))).as(host).isFalse();
        }
    }
}
