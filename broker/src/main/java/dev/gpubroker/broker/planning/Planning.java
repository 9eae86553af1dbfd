package dev.gpubroker.broker.planning;

import dev.gpubroker.broker.allocation.Place;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What planning brought.
 *
 * @param plans best first; a booking without a quote takes the first that needs no pick
 * @param watched sold out with a lead time too long to plan on; taken all the same if stock appears in time
 * @param aboveLimit could be had but for the request's {@code maxTotal}; best first
 * @param places room that was seen in own pools
 * @param explanation every candidate that was left aside, with its reason
 * @param possible whether any candidate could ever pass, once it is in stock and answers
 */
public record Planning(
        List<Plan> plans,
        List<Plan> watched,
        List<Plan> aboveLimit,
        List<Place> places,
        List<Rejection> explanation,
        boolean possible) {
    public Planning {
        plans = List.copyOf(plans);
        watched = List.copyOf(watched);
        aboveLimit = List.copyOf(aboveLimit);
        places = List.copyOf(places);
        explanation = List.copyOf(explanation);
    }

    /** One plan and nothing beside it. */
    public static Planning of(Plan plan) {
        return new Planning(List.of(plan), List.of(), List.of(), List.of(), List.of(), true);
    }

    /** The room that a plan in an own pool was made for. */
    public Optional<Place> placeOf(Plan plan) {
        return places.stream()
                .filter(place -> plan.acquisition() == Acquisition.POOL
                        && place.poolName().equals(plan.sku())
                        && place.gpus() == plan.gpus())
                .findFirst();
    }

    public Optional<Plan> first(Predicate<Plan> condition) {
        return plans.stream()
                .filter(plan -> !plan.needsPick())
                .filter(condition)
                .findFirst();
    }
}
