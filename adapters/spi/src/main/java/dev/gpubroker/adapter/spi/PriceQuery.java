package dev.gpubroker.adapter.spi;

/** Asks what an offer costs: for {@code nodes} machines over {@code window}. */
public record PriceQuery(Offer offer, int nodes, Window window, MachineSpec machine) {}
