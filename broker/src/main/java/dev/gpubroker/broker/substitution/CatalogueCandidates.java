package dev.gpubroker.broker.substitution;

import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.broker.planning.Candidate;
import dev.gpubroker.broker.planning.Candidates;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.Rejection;
import dev.gpubroker.broker.request.BookingRequest;
import java.util.ArrayList;
import java.util.List;

/** The asked model's variants that meet memory and form, then what may stand in for them. */
public final class CatalogueCandidates implements Candidates {
    /** Where no platform is meant: the model itself does not do. */
    private static final String ANY_PLATFORM = "any";

    private final GpuCatalogue catalogue;
    private final StandIns standIns;

    public CatalogueCandidates(GpuCatalogue catalogue, StandIns standIns) {
        this.catalogue = catalogue;
        this.standIns = standIns;
    }

    @Override
    public Found of(BookingRequest request) {
        List<Candidate> candidates = new ArrayList<>();
        List<Rejection> rejected = new ArrayList<>();
        List<GpuModel> asked = new ArrayList<>();
        for (GpuModel variant : catalogue.variants(request.gpu().model())) {
            Reason reason = unfit(request.gpu(), variant);
            if (reason == null) {
                asked.add(variant);
                candidates.add(new Candidate(variant, null));
            } else {
                rejected.add(rejection(variant, reason, variant.memoryGb() + " GB, " + variant.formFactor()));
            }
        }
        List<GpuModel> variants =
                asked.isEmpty() ? catalogue.variants(request.gpu().model()) : asked;
        StandIns.Ranking ranking = standIns.rank(request, variants);
        ranking.candidates().forEach(standIn -> candidates.add(candidate(request, standIn)));
        ranking.rejections().forEach(each -> rejected.add(rejection(each.model(), each.reason(), each.detail())));
        return new Found(candidates, rejected);
    }

    private static @org.jspecify.annotations.Nullable Reason unfit(BookingRequest.Gpu gpu, GpuModel model) {
        if (gpu.memoryGb() != null && model.memoryGb() < gpu.memoryGb()) {
            return Reason.MEMORY_TOO_SMALL;
        }
        if (gpu.formFactor() != null && !gpu.formFactor().equalsIgnoreCase(model.formFactor())) {
            return Reason.FORM_FACTOR;
        }
        return null;
    }

    private static Rejection rejection(GpuModel model, Reason reason, String detail) {
        return new Rejection(ANY_PLATFORM, null, model.id(), reason, detail);
    }

    private static Candidate candidate(BookingRequest request, StandIn standIn) {
        return new Candidate(
                standIn.model(),
                new Plan.StandIn(
                        request.gpu().model(),
                        standIn.model().id(),
                        Reason.SOLD_OUT,
                        standIn.reason(),
                        standIn.reasonZh(),
                        standIn.expectedSlowdown(),
                        standIn.basis().wireName(),
                        standIn.actsAs() == StandIn.ActsAs.ASK,
                        null));
    }
}
