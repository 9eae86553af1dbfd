package dev.gpubroker.broker.request;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A small catalogue written by hand: names are compared without case, spaces and hyphens, and only as a whole. */
final class FakeModelNames implements ModelNames {
    private final Map<String, ModelName> names = new HashMap<>();

    FakeModelNames() {
        family("A100", "昇A100");
        family("H100");
        family("H20");
        family("A10");
        family("V100");
        family("T4");
        exact("A100-SXM4-80GB");
        exact("A100-PCIE-40GB");
        exact("H100-SXM5-80GB");
        exact("RTX4090", "4090", "GeForce RTX 4090");
        exact("RTX4090D", "4090D", "GeForce RTX 4090 D");
        exact("Ascend-910B4", "910B4");
        exact("Ascend-910B4-1", "910B4-1");
        add(
                new ModelName(
                        "Ascend-910B",
                        false,
                        List.of(
                                new VariantMemory("Ascend-910B2", 64),
                                new VariantMemory("Ascend-910B3", 64),
                                new VariantMemory("Ascend-910B4", 32),
                                new VariantMemory("Ascend-910B4-1", 64))),
                "910B",
                "昇腾910B",
                "Ascend 910B");
    }

    @Override
    public Optional<ModelName> find(String text) {
        return Optional.ofNullable(names.get(key(text)));
    }

    @Override
    public List<String> suggest(String text) {
        String start = key(text);
        return names.values().stream()
                .map(ModelName::canonical)
                .filter(name -> start.length() > 2 && key(name).startsWith(start.substring(0, 3)))
                .distinct()
                .sorted()
                .toList();
    }

    private void family(String name, String... aliases) {
        add(ModelName.of(name, false), aliases);
    }

    private void exact(String name, String... aliases) {
        add(ModelName.of(name, true), aliases);
    }

    private void add(ModelName model, String... aliases) {
        names.put(key(model.canonical()), model);
        for (String alias : aliases) {
            names.put(key(alias), model);
        }
    }

    private static String key(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[ -]", "");
    }
}
