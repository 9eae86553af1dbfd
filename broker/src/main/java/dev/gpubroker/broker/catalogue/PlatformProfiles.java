package dev.gpubroker.broker.catalogue;

import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The profiles of all platforms, and whether a platform meets the certificates that a request asks for.
 *
 * <p>Facts: {@code catalogue/platforms/}, one file per platform.
 */
public final class PlatformProfiles {
    /** Compliance ids that a request may state: 等保三级 and ISO/IEC 27001. Others are the caller's mistake. */
    public static final Set<String> COMPLIANCE_IDS = Set.of("cn-mlps-3", "iso-27001");

    /** One file each under {@code catalogue/platforms/}. */
    static final List<String> SHIPPED =
            List.of("aliyun", "autodl", "aws", "baidu", "huawei", "pool", "sugon", "tencent", "zhixingyun");

    private final Map<String, PlatformProfile> profiles = new LinkedHashMap<>();

    private PlatformProfiles(List<PlatformProfile> profiles) {
        profiles.forEach(profile -> this.profiles.put(profile.id(), profile));
    }

    public static PlatformProfiles shipped() {
        return of(SHIPPED.stream()
                .map(id -> DataFile.read("platforms/" + id + ".yaml", PlatformProfile.class))
                .toList());
    }

    public static PlatformProfiles of(List<PlatformProfile> profiles) {
        return new PlatformProfiles(profiles);
    }

    public Optional<PlatformProfile> find(String platform) {
        return Optional.ofNullable(profiles.get(platform));
    }

    /** All profiles by platform id. */
    public List<PlatformProfile> all() {
        return List.copyOf(profiles.values());
    }

    /** Those of the ids that are no compliance ids, in order; a request that states one gets 400. */
    public static Set<String> unknownCompliance(Set<String> ids) {
        Set<String> unknown = new TreeSet<>(ids);
        unknown.removeAll(COMPLIANCE_IDS);
        return unknown;
    }

    /**
     * Why a platform does not meet the certificates asked for, or empty if it does. A certificate counts up to and including
     * its last day, and one whose last day is not known counts until it is; nothing else stands in for one.
     *
     * @param ids all of them must be held
     * @param on the day to judge by, usually today in the request's zone
     */
    public Optional<String> nonCompliance(String platform, Set<String> ids, LocalDate on) {
        if (ids.isEmpty()) {
            return Optional.empty();
        }
        PlatformProfile profile = profiles.get(platform);
        if (profile == null) {
            return Optional.of("nothing is known of the certificates of " + platform);
        }
        return new TreeSet<>(ids)
                .stream().flatMap(id -> missing(profile, id, on).stream()).findFirst();
    }

    private static Optional<String> missing(PlatformProfile profile, String id, LocalDate on) {
        List<PlatformProfile.Certificate> held = profile.certificates().stream()
                .filter(certificate -> certificate.id().equals(id))
                .toList();
        if (held.isEmpty()) {
            return Optional.of("no " + id + " certificate of " + profile.id() + " is known");
        }
        if (held.stream().anyMatch(certificate -> certificate.countsOn(on))) {
            return Optional.empty();
        }
        return Optional.of("the " + id + " certificate of " + profile.id() + " was valid until "
                + held.get(held.size() - 1).validUntil());
    }
}
