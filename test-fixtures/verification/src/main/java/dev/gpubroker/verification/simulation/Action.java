package dev.gpubroker.verification.simulation;

import java.io.IOException;

/**
 * One thing that a user, a platform, an operator or bad luck may do.
 *
 * @param weight how often beside the others; a seed's character multiplies it
 */
record Action(String name, int weight, Body body) {
    @FunctionalInterface
    interface Body {
        void run(World world, Dice dice) throws IOException, InterruptedException;
    }
}
