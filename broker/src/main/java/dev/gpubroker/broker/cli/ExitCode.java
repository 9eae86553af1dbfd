package dev.gpubroker.broker.cli;

import picocli.CommandLine;

/** How a command ends, for scripts. */
final class ExitCode {
    static final int OK = CommandLine.ExitCode.OK;
    static final int FAILED = CommandLine.ExitCode.SOFTWARE;
    /** The command line, or the request that it made, is wrong in itself. */
    static final int USAGE = CommandLine.ExitCode.USAGE;
    /** Nothing was done: a person has to choose or agree first. */
    static final int NEEDS_CONFIRMATION = 3;
    /** The request was understood and refused in the present state. */
    static final int REFUSED = 4;

    static final int NO_ACCESS = 5;

    private ExitCode() {}
}
