package dev.gpubroker.simulator;

/** Where the machines of a simulated platform really are: an SSH server of the tester's own. */
public record SimAccess(String host, int port) {}
