package dev.gpubroker.broker.trigger;

/** No runner could be made or started; nothing was asked of a pipeline yet. */
final class RunnerFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RunnerFault(String why) {
        super(why, null, false, false);
    }
}
