package dev.gpubroker.broker.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import org.junit.jupiter.api.Test;

/** Which way dependencies point; ARCHITECTURE.md says why. */
class DirectionsTest {
    private static final JavaClasses BROKER = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.gpubroker.broker");

    /** Others hand a call to the lanes, which alone hold an adapter to run it on. */
    @Test
    void onlyThePlatformPackageMakesAndHoldsAdapters() {
        noClasses()
                .that()
                .resideOutsideOfPackage("..broker.platform..")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(AdapterFactory.class)
                .check(BROKER);
        noFields()
                .that()
                .areDeclaredInClassesThat()
                .resideOutsideOfPackage("..broker.platform..")
                .should()
                .haveRawType(PlatformAdapter.class)
                .check(BROKER);
    }

    @Test
    void decisionsKnowNeitherVertxNorSqlNorQuartz() {
        noClasses()
                .that()
                .haveNameMatching(
                        ".*\\.(Planner|AnswerPlanner|ShapeRule|Quoter|Cancellation|Caps|BookingDecision|StandIns|Fit|FreeTimes"
                                + "|PhraseReader|RequestNormaliser|GpuCatalogue|ReservationState|ClaimState)")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.vertx..", "java.sql..", "org.quartz..")
                .check(BROKER);
    }

    @Test
    void nothingBelowBookingKnowsBooking() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "..broker.planning..",
                        "..broker.quote..",
                        "..broker.substitution..",
                        "..broker.inventory..",
                        "..broker.platform..",
                        "..broker.allocation..",
                        "..broker.claim..",
                        "..broker.schedule..",
                        "..broker.catalogue..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("..broker.booking..")
                .check(BROKER);
    }

    @Test
    void onlyTheScheduleKnowsQuartz() {
        noClasses()
                .that()
                .resideOutsideOfPackage("..broker.schedule.quartz..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.quartz..")
                .check(BROKER);
    }

    @Test
    void theProductNeverDependsOnASimulatedPlatform() {
        noClasses()
                .that()
                .resideOutsideOfPackage("..broker.simulation..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.gpubroker.simulator..")
                .check(BROKER);
    }
}
