package dev.gpubroker.broker.request;

import java.time.Duration;

/** Bounds of a request, each with its reason. */
public final class Limits {
    /** More than any platform sells in one booking; keeps a slip of the finger from becoming an order. */
    public static final int MAX_GPUS = 1024;
    /** How far ahead a start may lie: what AWS sells, and the longest anybody can plan for. */
    public static final Duration HORIZON = Duration.ofDays(56);
    /** Windows begin and end on the hour; a start that is closer than this to now counts as now. */
    public static final Duration GRANULARITY = Duration.ofHours(1);
    /** The longest window; longer needs are contracts, not bookings. */
    public static final Duration MAX_LENGTH = Duration.ofDays(182);
    /** A start so little in the past is the caller's clock, not a mistake. */
    public static final Duration CLOCK_SKEW = Duration.ofMinutes(5);
    /** Characters of a title. */
    public static final int MAX_TITLE = 300;
    /** Characters of a phrase. */
    public static final int MAX_PHRASE = 500;

    /** Readings of one phrase that are worth asking about; more means that the phrase says too little. */
    public static final int MAX_READINGS = 8;
    /** Up to so many GPUs sit in one node unless the request says otherwise. */
    public static final int WHOLE_NODE = 8;
    /** Labels of a request. */
    public static final int MAX_LABELS = 32;
    /** Characters of a label's key: what Kubernetes takes, so that a label can be handed on. */
    public static final int MAX_LABEL_KEY = 63;
    /** Characters of a label's value. */
    public static final int MAX_LABEL_VALUE = 255;
    /** Characters of a start-up script: AWS takes no more. */
    public static final int MAX_SCRIPT = 16_384;

    private Limits() {}
}
