package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PermissionsTest {
    private static Caller with(Scope... scopes) {
        return new Caller("vision", "ann", new Grants("tok_1", Set.of(scopes), null, null));
    }

    private static boolean may(Caller caller, String operation) {
        try {
            Permissions.check(operation, caller);
            return true;
        } catch (ApiProblem refused) {
            assertThat(refused.problem().status()).isEqualTo(403);
            assertThat(refused.problem().code()).isEqualTo("not_allowed");
            return false;
        }
    }

    /** A new operation is the administrator's until somebody decides; this test asks for the decision. */
    @Test
    void everyOperationOfTheContractHasItsScope() {
        Contract.packaged().operations().values().stream()
                .filter(operation -> !operation.open())
                .forEach(operation -> assertThat(Permissions.known()).contains(operation.id()));
    }

    @Test
    void anOperationThatNobodyThoughtAboutIsTheAdministrators() {
        assertThat(may(with(Scope.BOOK, Scope.LEASE, Scope.READ), "inventedToday"))
                .isFalse();
        assertThat(may(with(Scope.ADMIN), "inventedToday")).isTrue();
    }

    @Test
    void aLeaseIsNoBookingAndNoReading() {
        assertThat(may(with(Scope.LEASE), "createLease")).isTrue();
        assertThat(may(with(Scope.LEASE), "readLease")).isTrue();
        assertThat(may(with(Scope.LEASE), "bookReservation")).isFalse();
        assertThat(may(with(Scope.LEASE), "listReservations")).isFalse();
    }

    /** A rule that names pools grants no login to what other jobs of the team have booked. */
    @Test
    void theTeamsJobsLogInToItsReservationsUnlessTheirRuleNamesPools() {
        assertThat(may(with(Scope.READ), "readAccess")).isFalse();
        assertThat(may(with(Scope.BOOK), "readAccess")).isTrue();
        assertThat(may(with(Scope.LEASE), "readAccess")).isTrue();
        Caller ofOnePool = new Caller("vision", "ci", new Grants("gbk_1", Set.of(Scope.LEASE), null, Set.of("lab")));
        assertThatThrownBy(() -> Permissions.check("readAccess", ofOnePool, null))
                .isInstanceOf(ApiProblem.class);
    }

    @Test
    void whoBooksReadsButDoesNotAdministrate() {
        assertThat(may(with(Scope.BOOK), "bookReservation")).isTrue();
        assertThat(may(with(Scope.BOOK), "readCalendar")).isTrue();
        assertThat(may(with(Scope.BOOK), "createLease")).isFalse();
        assertThat(may(with(Scope.BOOK), "createPool")).isFalse();
        assertThat(may(with(Scope.READ), "readLease")).isTrue();
        assertThat(may(with(Scope.READ), "cancelReservation")).isFalse();
    }

    @Test
    void whoIsRefusedReadsWhatIsMissing() {
        assertThatThrownBy(() -> Permissions.check("readLease", with()))
                .isInstanceOfSatisfying(
                        ApiProblem.class,
                        refused -> assertThat(refused.problem().extensions())
                                .containsEntry("needs", Set.of("lease", "read"))
                                .containsEntry("has", Set.of()));
    }

    @Test
    void aRuleThatNamesPoolsAllowsNoOtherLease() {
        Caller job =
                new Caller("vision", "job", new Grants("tkt_1", Set.of(Scope.LEASE), null, Set.of("pol_1", "lab")));

        Permissions.check("createLease", job, lease("pool", "lab"));
        Permissions.check("createLease", job, lease("pool", "pol_1"));
        Permissions.check("readLease", job, null);
        assertThatThrownBy(() -> Permissions.check("createLease", job, lease("pool", "other")))
                .isInstanceOf(ApiProblem.class);
        assertThatThrownBy(() -> Permissions.check("createLease", job, lease("model", "A100")))
                .isInstanceOf(ApiProblem.class);
        assertThatThrownBy(() -> Permissions.check("createLease", job, lease("reservation", "rsv_1")))
                .isInstanceOf(ApiProblem.class);
    }

    private static ObjectNode lease(String target, String name) {
        return JsonNodeFactory.instance.objectNode().put(target, name).put("gpus", 1);
    }
}
