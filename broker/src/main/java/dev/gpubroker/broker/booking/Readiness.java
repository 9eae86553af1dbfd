package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.claim.Claim;
import io.vertx.core.Future;
import java.util.List;

/** Whether machines that run can be used. What is not known yet is found out meanwhile, and the reservation is woken then. */
public interface Readiness {
    /** Of machines that a platform reports as running. */
    Future<Answer> ofMachines(Reservation r, List<Claim> running);

    /** Of own machines whose turn has come. */
    Future<Answer> ofOwnNodes(Reservation r);

    /**
     * What is known of them.
     *
     * @param waiting how many have not answered yet
     * @param why for an event, once none is waited for
     */
    record Answer(int waiting, Why why) {}
}
