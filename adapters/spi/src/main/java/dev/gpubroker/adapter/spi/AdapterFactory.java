package dev.gpubroker.adapter.spi;

import java.util.List;

/** Makes adapters of one platform; found by {@link java.util.ServiceLoader}, so a jar dropped into {@code lib/} is enough. */
public interface AdapterFactory {
    /** Our id of the platform, equal to {@link Capabilities#platform()}. */
    String platform();

    /** Names of the credentials an account needs, in the order a person is asked for them. */
    List<String> credentialNames();

    /** Regions to use when an account names none; the first is also the simulator's. */
    List<String> defaultRegions();

    /** @throws IllegalArgumentException when the settings cannot work; the message says what to set */
    PlatformAdapter create(AccountSettings settings);
}
