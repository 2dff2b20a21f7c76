package dev.tutti.source;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows between the packages of this module. */
@AnalyzeClasses(
        packages = {"dev.tutti.source", "dev.tutti.estimator", "dev.tutti.keras"},
        importOptions = ImportOption.DoNotIncludeTests.class)
class SourcesArchitectureTest {
    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("dev.tutti.source.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule SOURCES_DO_NOT_KNOW_THE_DOORS = noClasses()
            .that()
            .resideInAPackage("dev.tutti.source..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.tutti.estimator..", "dev.tutti.keras..", "dev.tutti.train..", "dev.tutti.nn..");

    @ArchTest
    static final ArchRule ONE_PACKAGE_KNOWS_DUCKDB = noClasses()
            .that()
            .resideOutsideOfPackage("dev.tutti.source.duckdb..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.duckdb..");

    @ArchTest
    static final ArchRule ONE_PACKAGE_KNOWS_OPENCV = noClasses()
            .that()
            .resideOutsideOfPackage("dev.tutti.source.image..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.bytedeco..");

    @ArchTest
    static final ArchRule ONE_PACKAGE_KNOWS_TOKENIZERS = noClasses()
            .that()
            .resideOutsideOfPackage("dev.tutti.source.text..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("ai.djl..");
}
