package dev.gpubroker.broker.catalogue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import io.vertx.core.Future;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** {@code GET /v1/gpu-models}: the catalogue, every fact with its source. */
public final class ModelRoutes implements Routes {
    /** Ratios are decimals and stay so. */
    private static final JsonNodeFactory JSON = JsonNodeFactory.withExactBigDecimals(true);

    private final GpuCatalogue catalogue;
    private final SubstitutionFacts substitutions;
    private final Function<String, List<String>> sellers;

    /** @param sellers ids of the platforms that sell an exact model, sorted */
    public ModelRoutes(
            GpuCatalogue catalogue, SubstitutionFacts substitutions, Function<String, List<String>> sellers) {
        this.catalogue = catalogue;
        this.substitutions = substitutions;
        this.sellers = sellers;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listGpuModels", this::listGpuModels);
    }

    private Future<ApiReply> listGpuModels(ApiRequest request) {
        List<ObjectNode> items = catalogue.models().stream()
                .sorted(Comparator.comparing(GpuModel::id))
                .map(this::json)
                .toList();
        return Future.succeededFuture(ApiReply.ok(Map.of("items", items)));
    }

    private ObjectNode json(GpuModel model) {
        ObjectNode json = JSON.objectNode();
        json.put("id", model.id());
        json.put("family", model.family());
        json.put("vendor", model.vendor());
        json.put("memoryGb", model.memoryGb());
        json.put("formFactor", model.formFactor());
        model.aliases().forEach(json.putArray("aliases")::add);
        sellers.apply(model.id()).forEach(json.putArray("platforms")::add);
        ArrayNode facts = json.putArray("facts");
        fact(facts, "memory", Integer.toString(model.memoryGb()), model.provenance())
                .put("unit", "GB");
        fact(facts, "interconnect", model.interconnect(), model.provenance());
        for (ComputeFigure figure : model.compute()) {
            String what = figure.precision() + "_" + figure.sparsity().wireName() + "_tflops";
            fact(facts, what, figure.tflops().toPlainString(), figure.provenance())
                    .put("unit", "TFLOPS (" + figure.how() + ")");
        }
        if (model.note() != null) {
            fact(facts, "note", model.note(), model.provenance());
        }
        ArrayNode standIns = json.putArray("substitutes");
        for (SubstitutionFacts.Fact fact : substitutions.from(model)) {
            standIns.addObject()
                    .put("model", fact.to())
                    .put("expectedSlowdown", fact.expectedSlowdown())
                    .put("basis", fact.basis().wireName())
                    .put("source", fact.provenance().source())
                    .put("date", fact.provenance().date());
        }
        return json;
    }

    private static ObjectNode fact(ArrayNode facts, String what, String value, Provenance provenance) {
        return facts.addObject()
                .put("what", what)
                .put("value", value)
                .put("source", provenance.source())
                .put("date", provenance.date());
    }
}
