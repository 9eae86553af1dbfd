package dev.gpubroker.broker.config;

/**
 * Why the broker will not start, in words for whoever starts it: what is wrong, with which value, and what to write or do
 * instead. Never holds a secret, so it may be printed as it is.
 */
public final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public StartException(String message) {
        super(message);
    }

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
