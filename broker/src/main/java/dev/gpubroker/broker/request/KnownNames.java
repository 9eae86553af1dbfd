package dev.gpubroker.broker.request;

import java.util.Set;
import java.util.function.Supplier;

/**
 * The names that a request may use; any other is refused with those that are known.
 *
 * @param compliance ids of certificates: {@code cn-mlps-3}, {@code iso-27001} …
 * @param currencies those that can be compared with prices
 * @param platforms with an account or without, {@code pool} among them
 * @param regions those of the accounts and of own machines; empty where there is no account to tell by
 */
public record KnownNames(
        Set<String> compliance,
        Set<String> currencies,
        Supplier<Set<String>> platforms,
        Supplier<Set<String>> regions) {
    public KnownNames {
        compliance = Set.copyOf(compliance);
        currencies = Set.copyOf(currencies);
    }
}
