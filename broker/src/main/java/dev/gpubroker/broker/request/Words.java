package dev.gpubroker.broker.request;

import org.jspecify.annotations.Nullable;

/** A sentence for people, in both languages. */
record Words(String english, String chinese) {
    /** Both, one after the other; either may be null. */
    static @Nullable Words join(@Nullable Words first, @Nullable Words second) {
        if (first == null || second == null || first.equals(second)) {
            return first == null ? second : first;
        }
        return new Words(first.english + "; " + second.english, first.chinese + "；" + second.chinese);
    }
}
