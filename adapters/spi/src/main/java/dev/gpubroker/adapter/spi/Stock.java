package dev.gpubroker.adapter.spi;

import org.jspecify.annotations.Nullable;

/**
 * What the platform said of its stock.
 *
 * @param nodes machines that can be had, where the platform counts them; null where it only says yes
 */
public record Stock(Level level, @Nullable Integer nodes) {
    public enum Level {
        PLENTY,
        /** In stock, but low or not promised. */
        SCARCE,
        /** The platform cannot be asked. May be tried; never to be called sold out. */
        UNKNOWN
    }

    public static Stock plenty() {
        return new Stock(Level.PLENTY, null);
    }

    public static Stock scarce() {
        return new Stock(Level.SCARCE, null);
    }

    public static Stock unknown() {
        return new Stock(Level.UNKNOWN, null);
    }

    public static Stock of(int nodes) {
        return new Stock(Level.PLENTY, nodes);
    }

    /** Whether so many machines may be asked for; yes as long as the platform does not count fewer. */
    public boolean allows(int wanted) {
        return nodes == null || nodes >= wanted;
    }
}
