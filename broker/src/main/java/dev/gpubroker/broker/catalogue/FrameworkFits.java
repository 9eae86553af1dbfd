package dev.gpubroker.broker.catalogue;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which framework runs on which GPUs, and through what. What is not listed is not known to run.
 *
 * <p>Facts: {@code catalogue/frameworks.yaml}.
 */
public final class FrameworkFits {
    private static final Pattern VERSION = Pattern.compile("[\\s:=@<>~!-]+v?\\d.*$|\\d+(\\.\\d+)+.*$");

    private final List<Fit> fits;
    private final Map<String, String> names;
    private final Map<String, BigDecimal> utilisation = new HashMap<>();

    private FrameworkFits(List<Fit> fits, Map<String, String> names, List<Utilisation> utilisation) {
        this.fits = List.copyOf(fits);
        this.names = Map.copyOf(names);
        utilisation.forEach(row -> this.utilisation.put(row.vendor(), row.share()));
    }

    /**
     * One row of the table: a framework on a vendor's GPUs.
     *
     * @param framework in lower case: {@code pytorch}; {@code cuda} stands for software tied to CUDA itself
     * @param families only these families of the vendor; empty = all
     * @param via what it runs through: {@code CUDA}, {@code torch_npu}, {@code DTK}
     */
    public record Fit(
            String framework, String vendor, List<String> families, String via, Level level, Provenance provenance) {
        public Fit {
            families = List.copyOf(families);
        }

        boolean isAbout(GpuModel model) {
            return vendor.equals(model.vendor()) && (families.isEmpty() || families.contains(model.family()));
        }
    }

    /** How well it fits, best first. The wire name is the constant in lower case. */
    public enum Level {
        /** The framework's own releases run there. */
        NATIVE,
        /** Runs through the vendor's plugin or build: another software stack. */
        PORTED,
        /** Its makers call it experimental. */
        EXPERIMENTAL;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Share of the peak that jobs usually reach on a vendor's GPUs.
     *
     * @param share above 0, at most 1
     */
    public record Utilisation(String vendor, BigDecimal share, Provenance provenance) {}

    public static FrameworkFits shipped() {
        File file = DataFile.read("frameworks.yaml", File.class);
        return new FrameworkFits(file.fits(), file.names(), file.utilisation());
    }

    public static FrameworkFits of(List<Fit> fits) {
        return new FrameworkFits(fits, Map.of(), List.of());
    }

    /**
     * How a framework runs on a model; empty if it is not known to.
     *
     * @param framework in any case, with or without a version: {@code PyTorch 2.4}, {@code torch==2.4}
     */
    public Optional<Fit> find(String framework, GpuModel model) {
        String name = canonical(framework);
        return fits.stream()
                .filter(fit -> fit.framework().equals(name) && fit.isAbout(model))
                .min((a, b) -> a.level().compareTo(b.level()));
    }

    /** Whether the table has a row on this framework for any of the vendor's GPUs. */
    public boolean covers(String framework, String vendor) {
        String name = canonical(framework);
        return fits.stream()
                .anyMatch(fit -> fit.framework().equals(name) && fit.vendor().equals(vendor));
    }

    /** The usual share of the peak, or empty if no source names it. */
    public Optional<BigDecimal> utilisation(String vendor) {
        return Optional.ofNullable(utilisation.get(vendor));
    }

    public List<Fit> all() {
        return fits;
    }

    private String canonical(String framework) {
        String bare =
                VERSION.matcher(framework.strip().toLowerCase(Locale.ROOT)).replaceFirst("");
        return names.getOrDefault(bare, bare);
    }

    private record File(List<Utilisation> utilisation, Map<String, String> names, List<Fit> fits) {}
}
