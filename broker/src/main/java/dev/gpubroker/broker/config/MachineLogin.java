package dev.gpubroker.broker.config;

import java.nio.file.Path;

/**
 * How the broker itself logs in to machines, to put runners there.
 *
 * @param identityFile a private key of OpenSSH without a passphrase; its public half must be among the keys of the machines
 * @param user where neither the platform nor the pool names one
 */
public record MachineLogin(Path identityFile, String user) {}
