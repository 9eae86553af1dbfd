package dev.gpubroker.broker.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.broker.catalogue.PlatformProfile.Certificate;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlatformProfilesTest {
    private static final LocalDate DAY = LocalDate.of(2026, 12, 20);
    private static final Provenance SOURCE = new Provenance("test", "2026-12", Provenance.Status.UNVERIFIED);

    private static final List<String> LINE_KINDS =
            Stream.of(LineKind.values()).map(LineKind::wireName).toList();

    private final PlatformProfiles profiles = PlatformProfiles.shipped();

    @ParameterizedTest
    @ValueSource(strings = {"aliyun", "tencent", "baidu", "zhixingyun"})
    void theseAreSaidToHoldBothCertificates(String platform) {
        assertThat(profiles.nonCompliance(platform, PlatformProfiles.COMPLIANCE_IDS, DAY))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "autodl, iso-27001",
        "autodl, cn-mlps-3",
        "sugon, cn-mlps-3",
        "aws, cn-mlps-3",
        "huawei, cn-mlps-3",
        "pool, iso-27001"
    })
    void whereNoneIsKnownNoneCounts(String platform, String id) {
        assertThat(profiles.nonCompliance(platform, Set.of(id), DAY))
                .hasValueSatisfying(why -> assertThat(why).contains(id).contains(platform));
    }

    @Test
    void aRequestWithoutCertificatesIsMetByAll() {
        assertThat(profiles.nonCompliance("autodl", Set.of(), DAY)).isEmpty();
        assertThat(profiles.nonCompliance("no-such-platform", Set.of(), DAY)).isEmpty();
    }

    @Test
    void anUnknownPlatformMeetsNothing() {
        assertThat(profiles.nonCompliance("no-such-platform", Set.of("iso-27001"), DAY))
                .isPresent();
    }

    @Test
    void aCertificateCountsOnItsLastDayAndNotOnTheNext() {
        PlatformProfiles expiring = PlatformProfiles.of(List.of(with(DAY)));

        assertThat(expiring.nonCompliance("p", Set.of("cn-mlps-3"), DAY)).isEmpty();
        assertThat(expiring.nonCompliance("p", Set.of("cn-mlps-3"), DAY.plusDays(1)))
                .hasValue("the cn-mlps-3 certificate of p was valid until 2026-12-20");
    }

    @Test
    void aRenewedCertificateCountsBesideTheOldOne() {
        PlatformProfiles renewed = PlatformProfiles.of(List.of(with(DAY, DAY.plusYears(3))));

        assertThat(renewed.nonCompliance("p", Set.of("cn-mlps-3"), DAY.plusDays(1)))
                .isEmpty();
    }

    @Test
    void onlyTwoComplianceIdsAreKnown() {
        assertThat(PlatformProfiles.unknownCompliance(Set.of("cn-mlps-3", "soc-2", "iso-27001")))
                .containsExactly("soc-2");
    }

    @Test
    void everyProfileNamesItsSources() {
        assertThat(profiles.all()).hasSize(9).allSatisfy(profile -> {
            assertThat(profile.certificates()).allSatisfy(c -> {
                assertThat(PlatformProfiles.COMPLIANCE_IDS).contains(c.id());
                assertThat(c.provenance().source()).isNotBlank();
            });
            assertThat(profile.refunds()).isNotEmpty();
            assertThat(profile.nameZh()).isNotBlank();
            assertThat(profile.fees()).extracting(PlatformProfile.Fee::kind).isSubsetOf(LINE_KINDS);
        });
        assertThat(profiles.all()).extracting(PlatformProfile::id).containsExactlyElementsOf(PlatformProfiles.SHIPPED);
    }

    @Test
    void claimsOfTheReportAreThere() {
        PlatformProfile autodl = profiles.find("autodl").orElseThrow();
        PlatformProfile aws = profiles.find("aws").orElseThrow();

        assertThat(autodl.compute().get(0).belowNominalPercent()).isEqualByComparingTo("10");
        assertThat(aws.refunds().get(0).rule()).isEqualTo(RefundTerms.Rule.NONE);
    }

    private static PlatformProfile with(LocalDate... lastDays) {
        List<Certificate> certificates = List.of(lastDays).stream()
                .map(day -> new Certificate("cn-mlps-3", "P", day, SOURCE))
                .toList();
        return new PlatformProfile(
                "p",
                "P",
                "P",
                "CN",
                "CN",
                List.of(),
                Map.of(),
                null,
                certificates,
                List.of(),
                List.of(),
                null,
                List.of());
    }
}
