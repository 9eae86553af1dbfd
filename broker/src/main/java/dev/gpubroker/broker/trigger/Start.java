package dev.gpubroker.broker.trigger;

import dev.gpubroker.broker.net.Outbound.Answer;
import dev.gpubroker.broker.net.Outbound.Call;
import java.util.Optional;

/** How one kind of target is spoken to: pure, so that each shape can be read and tested beside the target's documentation. */
interface Start {
    /** The call that starts the pipeline. */
    Call start(Firing firing);

    /** Where the pipeline can be seen, from the answer to a start that succeeded; empty if it does not say. */
    Optional<String> seenAt(Answer answer);

    /** The call that shows whether it was started; empty where nothing shows it. */
    Optional<Call> look();

    /** What the answer to {@link #look} says. */
    Seen seen(Answer answer, Firing firing);

    /** Whether a pipeline with the firing's run is there. */
    enum Seen {
        YES,
        NO,
        /** Not now: the answer was none that says anything. */
        CANNOT_TELL,
        /** The target shows no run ids, now or later. */
        NEVER_SHOWN
    }
}
