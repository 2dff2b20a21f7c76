package dev.tutti.cluster;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Holds the arrows within the cluster: teams use calls, calls use the state machine, which knows of neither. */
@AnalyzeClasses(packages = "dev.tutti.cluster", importOptions = ImportOption.DoNotIncludeTests.class)
class ClusterArchitectureTest {
    @ArchTest
    static final ArchRule THE_MACHINE_IS_ON_ITS_OWN = noClasses()
            .that()
            .resideInAPackage("dev.tutti.cluster.coordinator")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.grpc..", "dev.tutti.cluster", "dev.tutti.cluster.rpc", "java.util.concurrent..")
            .because("what has no threads, network or clock can be tested in any order of events");

    @ArchTest
    static final ArchRule NO_CLOCK_IN_THE_MACHINE = noClasses()
            .that()
            .resideInAPackage("dev.tutti.cluster.coordinator")
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .because("time comes with events");

    @ArchTest
    static final ArchRule CALLS_DO_NOT_KNOW_TEAMS = noClasses()
            .that()
            .resideInAPackage("dev.tutti.cluster.rpc")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.tutti.cluster");

    @ArchTest
    static final ArchRule A_LIBRARY_DOES_NOT_EXIT =
            noClasses().should().callMethod(System.class, "exit", int.class).because("the process is its user's");

    @ArchTest
    static final ArchRule A_LIBRARY_DOES_NOT_PRINT =
            noClasses().should().accessField(System.class, "out").because("standard output belongs to the program");
}
