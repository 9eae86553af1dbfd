package dev.gpubroker.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What may be called is decided by address, with the settings of the moment. */
class OutboundGuardTest {
    private static final OutboundRules LENIENT =
            new OutboundRules(true, List.of(new OutboundRules.Ports(1, 65_535)), List.of(Network.of("10.20.0.0/16")));

    private final FakeResolver names = new FakeResolver().then("public.example", "93.184.215.14");

    private String whyNot(OutboundRules rules, String url) {
        Future<Void> checked = new OutboundGuard(names, () -> rules).check(URI.create(url));
        return checked.succeeded() ? "" : String.valueOf(checked.cause().getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "http://public.example/, it is not https",
        "ftp://public.example/, it is not https",
        "https://public.example:22/, port 22 is not allowed",
        "https://user:pw@public.example/, 'it holds a user, a password or a fragment'",
        "https://public.example/#x, 'it holds a user, a password or a fragment'",
        "https:/x, it names no host",
        "https://nowhere.example/, the name nowhere.example has no address now",
    })
    void whatIsWrongWithAnAddressIsSaid(String url, String why) {
        assertThat(whyNot(OutboundRules.STRICT, url)).isEqualTo(why);
    }

    @Test
    void aPublicAddressMayBeCalledWithTls() {
        assertThat(whyNot(OutboundRules.STRICT, "https://public.example/hook?x=1"))
                .isEmpty();
        assertThat(whyNot(OutboundRules.STRICT, "https://public.example:8443/")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://10.20.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[fd12::1]/",
    })
    void anAddressThatIsNotPublicIsRefusedAndNotRepeated(String url) {
        assertThat(whyNot(OutboundRules.STRICT, url))
                .isEqualTo("the host's address is not public, and its network is not allowed");
    }

    @Test
    void anAllowedNetworkMayBeCalledAndNothingBesideIt() {
        assertThat(whyNot(LENIENT, "http://10.20.3.4:8080/")).isEmpty();
        assertThat(whyNot(LENIENT, "http://10.21.3.4:8080/")).contains("not public");
        assertThat(whyNot(LENIENT, "http://127.0.0.1:8080/")).contains("not public");
    }

    @Test
    void whereACloudTellsSecretsIsNeverCalledWhateverIsAllowed() {
        OutboundRules everything = new OutboundRules(true, LENIENT.ports(), List.of(Network.of("0.0.0.0/0")));

        assertThat(whyNot(everything, "http://10.99.0.1/")).isEmpty();
        assertThat(whyNot(everything, "http://169.254.169.254/")).contains("not public");
        assertThat(whyNot(everything, "http://100.100.100.200/")).contains("not public");
        assertThat(whyNot(everything, "http://0.0.0.0/")).contains("not public");
    }

    @Test
    void oneBadAnswerAmongGoodOnesSpoilsTheName() {
        names.then("mixed.example", "93.184.215.14", "10.0.0.1");

        assertThat(whyNot(OutboundRules.STRICT, "https://mixed.example/")).contains("not public");
    }

    @Test
    void theNameIsAskedOnceAndTheAddressThatWasCheckedIsTheOneThatIsCalled() {
        names.then("rebinding.example", "93.184.215.14").then("rebinding.example", "127.0.0.1");
        OutboundGuard guard = new OutboundGuard(names, () -> OutboundRules.STRICT);
        URI url = URI.create("https://rebinding.example/");

        OutboundGuard.Checked first = guard.resolve(url, 0).result();
        int questions = names.questions();
        Future<OutboundGuard.Checked> second = guard.resolve(url, 0);

        assertThat(first.address().getHostAddress()).isEqualTo("93.184.215.14");
        assertThat(questions).isEqualTo(1);
        assertThat(second.failed()).isTrue();
    }

    @Test
    void eachTryTakesTheNextAddressAndIpv4First() {
        names.then("several.example", "2606:4700::1111", "93.184.215.14", "93.184.215.15");
        OutboundGuard guard = new OutboundGuard(names, () -> OutboundRules.STRICT);

        assertThat(List.of(0, 1, 2, 3))
                .extracting(turn -> guard.resolve(URI.create("https://several.example/"), turn)
                        .result()
                        .address()
                        .getHostAddress())
                .containsExactly("93.184.215.14", "93.184.215.15", "2606:4700:0:0:0:0:0:1111", "93.184.215.14");
    }
}
