package dev.gpubroker.adapter.spi;

/** A platform that tells what is left to spend. */
public interface SupportsBalance {
    Money balance();
}
