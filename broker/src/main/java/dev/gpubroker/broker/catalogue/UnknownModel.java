package dev.gpubroker.broker.catalogue;

import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import java.util.List;
import java.util.Map;

/** How a query for a model that is in no catalogue is answered, with the names that come close. */
public final class UnknownModel {
    private UnknownModel() {}

    /** A 400 {@code unknown_model} on the parameter {@code model}. */
    public static ApiProblem problem(GpuCatalogue catalogue, String name) {
        List<String> near = catalogue.suggest(name);
        return new ApiProblem(new Problem(
                400,
                "unknown_model",
                "No GPU model is called " + name + (near.isEmpty() ? "" : "; perhaps " + String.join(", ", near))
                        + ". GET /v1/gpu-models has all.",
                "没有名为 " + name + " 的 GPU 型号" + (near.isEmpty() ? "" : "；是否指 " + String.join("、", near))
                        + "。全部型号见 GET /v1/gpu-models。",
                List.of(new FieldError("model", "unknown_model", "is no model of the catalogue", "不是目录中的型号")),
                Map.of("suggestions", near),
                Map.of()));
    }
}
