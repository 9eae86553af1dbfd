package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimStatus;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The ledger of claims. A method with a connection runs inside the caller's transaction. */
public interface ClaimStore {
    Future<Optional<Claim>> read(ClaimKey key);

    /** Reads and locks the row until the transaction ends. */
    Future<Optional<Claim>> lock(SqlConnection connection, ClaimKey key);

    /** In the order of attempt and unit. */
    Future<List<Claim>> ofReservation(String reservationId);

    Future<Void> insert(SqlConnection connection, Claim claim);

    /** @return false, and nothing is written, if somebody else was faster */
    Future<Boolean> update(SqlConnection connection, Claim before, Claim after);

    /** Marks every open claim of the reservation as unwanted and those never sent as refused; says which are left open. */
    Future<List<Claim>> unwant(SqlConnection connection, String reservationId);

    /** Writes down the machines that a claim brought, once each. */
    Future<Void> saveMachines(SqlConnection connection, Claim claim, List<ClaimStatus.Machine> machines, Instant now);

    /** Machines of the reservation's claims: node id, platform's id, GPUs. */
    Future<List<MachineRow>> machines(String reservationId);

    record MachineRow(String nodeId, ClaimKey claim, String platformRef, int gpus) {}

    /** Machines that our ledger says are ours on platforms now. */
    Future<Long> machinesHeld(@Nullable String team);

    /** Keys of open claims that name the account. */
    Future<List<Claim>> openOf(String account);
}
