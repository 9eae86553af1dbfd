package dev.gpubroker.broker.platform;

import java.time.Duration;

/**
 * Every bound of platform calls.
 *
 * @param threads of one lane; a lane is one platform's reads for plans, or the rest of its calls
 * @param underWay calls of one lane that run or wait for a thread, at most
 * @param longestWaitToSend a purchase that waited longer for a thread is not sent: its fence was checked before the wait
 * @param longestRateWait a read waits so long for its turn under the account's call rate
 * @param window the calls a breaker looks back on
 * @param fewestCalls so many are needed before it judges
 * @param failurePercent of the window, from which on it opens
 * @param firstCoolDown how long it stays open the first time; doubled each time it opens again soon
 * @param longestCoolDown for purchases and reads for plans
 * @param longestReturnCoolDown for whatever gives capacity back or finds it: slowed, never shut off
 * @param forgetAfter a breaker that stayed closed so long starts again with the first cool-down
 * @param firstThrottle how long a platform that says "too many calls" is left alone, unless it says how long
 */
record Limits(
        int threads,
        int underWay,
        Duration longestWaitToSend,
        Duration longestRateWait,
        int window,
        int fewestCalls,
        int failurePercent,
        Duration firstCoolDown,
        Duration longestCoolDown,
        Duration longestReturnCoolDown,
        Duration forgetAfter,
        Duration firstThrottle) {
    static final Limits USUAL = new Limits(
            16,
            64,
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            10,
            5,
            50,
            Duration.ofSeconds(5),
            Duration.ofMinutes(5),
            Duration.ofSeconds(30),
            Duration.ofMinutes(10),
            Duration.ofSeconds(1));

    Duration longestCoolDown(Operation operation) {
        return operation.isReturn() ? longestReturnCoolDown : longestCoolDown;
    }

    Limits withLane(int newThreads, int newUnderWay) {
        return new Limits(
                newThreads,
                newUnderWay,
                longestWaitToSend,
                longestRateWait,
                window,
                fewestCalls,
                failurePercent,
                firstCoolDown,
                longestCoolDown,
                longestReturnCoolDown,
                forgetAfter,
                firstThrottle);
    }
}
