package dev.gpubroker.broker.lease;

import static java.util.stream.Collectors.toCollection;

import dev.gpubroker.broker.allocation.LeaseAllocations;
import dev.gpubroker.broker.allocation.OwnPool;
import dev.gpubroker.broker.allocation.PoolStore;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.broker.catalogue.Match;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import io.vertx.core.Future;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds what a lease names, and refuses what can never be. */
final class LeaseTargets {
    private final LeaseStore leases;
    private final LeaseAllocations allocations;
    private final PoolStore pools;
    private final GpuCatalogue catalogue;

    LeaseTargets(LeaseStore leases, LeaseAllocations allocations, PoolStore pools, GpuCatalogue catalogue) {
        this.leases = leases;
        this.allocations = allocations;
        this.pools = pools;
        this.catalogue = catalogue;
    }

    /** Fails with the problem that says what is wrong with it. */
    Future<LeaseTarget> of(String team, LeaseBody body) {
        if (body.reservation() != null) {
            return reservation(team, body.reservation(), body.gpus());
        }
        return body.pool() != null
                ? pool(team, body.pool(), body.gpus())
                : Future.succeededFuture(model(body.model() == null ? "" : body.model()));
    }

    private Future<LeaseTarget> reservation(String team, String id, int gpus) {
        return leases.parent(id).compose(found -> {
            LeaseStore.Parent parent = found.filter(each -> each.team().equals(team))
                    .orElseThrow(
                            () -> notThere("reservation", "There is no reservation " + id + ".", "没有预订 " + id + "。"));
            if (parent.ended()) {
                throw new ApiProblem(
                        409,
                        "wrong_state",
                        "Reservation " + id + " has ended, or is ending.",
                        "预订 " + id + " 已结束或正在释放。");
            }
            return allocations.couldEverInside(id, gpus).map(could -> {
                if (parent.active() && !could) {
                    throw neverFits("reservation " + id, "预订 " + id, gpus);
                }
                return new LeaseTarget(LeaseTarget.Kind.RESERVATION, id, id, Set.of());
            });
        });
    }

    /** @param named its name, or its id */
    private Future<LeaseTarget> pool(String team, String named, int gpus) {
        return pools.list(team).map(all -> {
            OwnPool pool = all.stream()
                    .filter(each -> each.name().equals(named) || each.id().equals(named))
                    .findFirst()
                    .orElseThrow(() -> notThere("pool", "There is no pool " + named + ".", "没有资源池 " + named + "。"));
            if (!pool.couldLease(gpus)) {
                throw neverFits("pool " + pool.name(), "资源池 " + pool.name(), gpus);
            }
            return new LeaseTarget(LeaseTarget.Kind.POOL, pool.id(), pool.name(), Set.of(pool.model()));
        });
    }

    /** A pool of a family leaves memory and form open, so it serves only those who leave them open too. */
    private LeaseTarget model(String text) {
        Match match = catalogue.find(text).orElseThrow(() -> unknownModel(text));
        Set<String> models = match.variants().stream().map(GpuModel::id).collect(toCollection(LinkedHashSet::new));
        if (match.memoryGb() == null && match.formFactor() == null) {
            models.add(match.canonical());
        }
        return new LeaseTarget(LeaseTarget.Kind.MODEL, match.canonical(), text.strip(), models);
    }

    private ApiProblem unknownModel(String text) {
        List<String> near = catalogue.suggest(text);
        return new ApiProblem(new Problem(
                400,
                "unknown_model",
                "No GPU model is called " + text + (near.isEmpty() ? "" : "; perhaps " + String.join(", ", near))
                        + ". GET /v1/gpu-models has all.",
                "没有名为 " + text + " 的 GPU 型号" + (near.isEmpty() ? "" : "；是否指 " + String.join("、", near))
                        + "。全部型号见 GET /v1/gpu-models。",
                List.of(new FieldError("model", "unknown_model", "is no model of the catalogue", "不是目录中的型号")),
                Map.of("suggestions", near),
                Map.of()));
    }

    private static ApiProblem notThere(String field, String detail, String detailZh) {
        return new ApiProblem(new Problem(
                404,
                "not_found",
                detail,
                detailZh,
                List.of(new FieldError(field, "unknown", "does not exist", "不存在")),
                Map.of(),
                Map.of()));
    }

    private static ApiProblem neverFits(String what, String whatZh, int gpus) {
        return new ApiProblem(
                422,
                "lease_impossible",
                "A lease is on one machine, or on several whole ones; " + gpus + " GPUs of " + what
                        + " can never be had that way, whoever gives back.",
                "租约只能占用一台机器上的 GPU 或若干台整机；" + whatZh + " 永远无法这样提供 " + gpus + " 张 GPU。");
    }
}
