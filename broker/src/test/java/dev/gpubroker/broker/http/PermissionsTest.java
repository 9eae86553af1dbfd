package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
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

    /**
     * Who may what, written a second time by somebody who did not look at the code: tokens with one scope, and tickets of jobs
     * ({@code job:}) with one. The administrator may all of it.
     */
    private static final String WHO_MAY = """
            interpretPhrase        read book job:book
            quote                  read book job:book
            bookReservation        book job:book
            listReservations       read book job:book
            readReservation        read book job:book
            changeReservation      book job:book
            listReservationEvents  read book job:book
            readAccess             book lease job:book job:lease
            readMe                 read book
            writeMe                book
            acceptProposal         book job:book
            declineProposal        book job:book
            quoteCancellation      book job:book
            cancelReservation      book job:book
            readAvailability       read book job:book
            readCalendar           read book job:book
            listGpuModels          read book job:book
            listPlatforms          read book job:book
            readPlatform           read book job:book
            listAccounts
            listPools              read book job:book
            createPool
            readPool               read book job:book
            deletePool
            listOutages            read book job:book
            declareOutage
            endOutage
            listWebhooks           book
            createWebhook          book
            readWebhook            book
            changeWebhook          book
            deleteWebhook          book
            rotateWebhookSecret    book
            listWebhookDeliveries  book
            resendWebhookDelivery  book
            listTriggers           book
            createTrigger          book
            readTrigger            book
            deleteTrigger          book
            listTriggerFirings     book
            fireTriggerAgain       book
            createLease            lease job:lease
            listLeases             read book lease job:book job:lease
            readLease              read book lease job:book job:lease
            endLease               lease job:lease
            streamLease            read book lease job:book job:lease
            beatLease              lease job:lease
            readDemoClock          read book job:book
            moveDemoClock
            readStatus             read book job:book
            pausePurchases
            resumePurchases
            listTasks
            answerTask
            listTeams
            createTeam
            deleteTeam
            listTokens
            createToken
            revokeToken
            listTrustRules
            createTrustRule
            deleteTrustRule
            endTicket              read book lease job:book job:lease
            renewTicket            read book lease job:book job:lease
            readCaller             read book lease job:book job:lease
            listAuditEvents
            """;

    private static final Map<String, Caller> WHO = Map.of(
            "read", with(Scope.READ),
            "book", with(Scope.BOOK),
            "lease", with(Scope.LEASE),
            "job:book", job(Scope.BOOK),
            "job:lease", job(Scope.LEASE));

    private static Caller job(Scope... scopes) {
        return new Caller("vision", "github octo-org/octo-repo run 1", new Grants("tkt_1", Set.of(scopes), null, null));
    }

    /** An operation that is new in the contract stands in no line: this test asks who may. */
    @Test
    void eachOperationIsForThoseWhoAreNamedAndForNobodyElse() {
        Map<String, Set<String>> named = new TreeMap<>();
        WHO_MAY.lines()
                .map(line -> List.of(line.split(" +")))
                .forEach(words -> named.put(words.get(0), new TreeSet<>(words.subList(1, words.size()))));
        Map<String, Set<String>> found = new TreeMap<>();
        Contract.packaged().operations().values().stream()
                .filter(operation -> !operation.open())
                .map(operation -> operation.id())
                .forEach(id -> found.put(
                        id,
                        WHO.keySet().stream()
                                .filter(who -> may(WHO.get(who), id))
                                .collect(Collectors.toCollection(TreeSet::new))));

        assertThat(found).containsExactlyEntriesOf(named);
        assertThat(found.keySet()).allMatch(id -> may(with(Scope.ADMIN), id));
    }

    /** Rules grant no more today; a ticket that had every scope would be a job's still. */
    @Test
    void noScopeMakesAPersonOfAJob() {
        Caller all = job(Scope.BOOK, Scope.LEASE, Scope.READ, Scope.ADMIN);

        assertThat(may(all, "bookReservation")).isTrue();
        for (String id : List.of("createWebhook", "createTrigger", "createToken", "createTrustRule", "inventedToday")) {
            assertThat(may(all, id)).as(id).isFalse();
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
        Caller ofOnePool = new Caller("vision", "ci", new Grants("tkt_1", Set.of(Scope.LEASE), null, Set.of("lab")));
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
