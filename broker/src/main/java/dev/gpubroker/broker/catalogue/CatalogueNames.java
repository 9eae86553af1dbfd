package dev.gpubroker.broker.catalogue;

import dev.gpubroker.broker.request.ModelName;
import dev.gpubroker.broker.request.ModelNames;
import dev.gpubroker.broker.request.VariantMemory;
import java.util.List;
import java.util.Optional;

/** The catalogue's names, as reading a request needs them. */
public final class CatalogueNames implements ModelNames {
    private final GpuCatalogue catalogue;

    public CatalogueNames(GpuCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    @Override
    public Optional<ModelName> find(String text) {
        return catalogue
                .find(text)
                .map(match -> new ModelName(
                        match.canonical(), match.isExact(), choices(match), match.memoryGb(), match.formFactor()));
    }

    private static List<VariantMemory> choices(Match match) {
        return match.askMemory()
                ? match.variants().stream()
                        .map(model -> new VariantMemory(model.id(), model.memoryGb()))
                        .toList()
                : List.of();
    }

    @Override
    public List<String> suggest(String text) {
        return catalogue.suggest(text);
    }
}
