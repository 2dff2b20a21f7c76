package dev.tutti;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import dev.tutti.comm.Collectives;
import java.io.ObjectInputStream;
import java.util.Map;

/** Holds the arrows between packages and the few habits that a compiler cannot. */
@AnalyzeClasses(packages = "dev.tutti", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String[] BASE = {"root", "json", "array", "tensor"};

    /** Which package may use which; a new package has to be given its place here. */
    private static final Map<String, String[]> MAY_USE = Map.ofEntries(
            entry("root", new String[] {}),
            entry("json", new String[] {"root"}),
            entry("array", new String[] {"root"}),
            entry("host", new String[] {"root"}),
            entry("tensor", new String[] {"root", "json", "array", "host"}),
            entry("table", new String[] {"root", "json", "array", "tensor", "optim"}),
            entry("nn", new String[] {"root", "json", "array", "tensor", "table"}),
            entry("optim", BASE),
            entry("loss", BASE),
            entry("metric", new String[] {"root", "json", "array"}),
            entry("data", new String[] {"root", "json", "array", "host"}),
            entry("io", new String[] {"root", "json", "array", "tensor", "nn"}),
            entry("comm", new String[] {"root", "json", "array", "host", "tensor"}),
            entry("train", new String[] {
                "root", "json", "array", "host", "tensor", "table", "nn", "optim", "loss", "metric", "data", "io",
                "comm"
            }));

    @ArchTest
    static final ArchRule ARROWS = arrows();

    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("dev.tutti.(*)..").should().beFreeOfCycles().allowEmptyShould(true);

    @ArchTest
    static final ArchRule ONLY_TENSOR_AND_HOST_KNOW_NATIVE_CODE = noClasses()
            .that()
            .resideOutsideOfPackages("dev.tutti.tensor..", "dev.tutti.host")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.bytedeco..", "com.sun.jna..")
            .because("an engine that only one room knows can be understood, guarded and one day replaced")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule ONLY_HOST_AND_TENSOR_CALL_C = noClasses()
            .that()
            .resideOutsideOfPackages("dev.tutti.tensor..", "dev.tutti.host..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.sun.jna..")
            .because("calls past Java into the C library belong where they can be watched");

    @ArchTest
    static final ArchRule A_LIBRARY_DOES_NOT_EXIT =
            noClasses().should().callMethod(System.class, "exit", int.class).because("the process is its user's");

    @ArchTest
    static final ArchRule A_LIBRARY_DOES_NOT_PRINT = noClasses()
            .should()
            .accessField(System.class, "out")
            .orShould()
            .callMethodWhere(target(name("printStackTrace")).and(target(owner(assignableTo(Throwable.class)))))
            .because("standard output belongs to the program; a library logs, throws, or writes where it is told");

    @ArchTest
    static final ArchRule NO_JAVA_DESERIALISATION = noClasses()
            .should()
            .dependOnClassesThat()
            .areAssignableTo(ObjectInputStream.class)
            .because("reading a file must not be able to run code");

    @ArchTest
    static final ArchRule NAMES_SAY_WHAT_A_CLASS_IS = noClasses()
            .should()
            .haveNameMatching(".*(Util|Utils|Helper|Manager)")
            .because("such a name welcomes whatever found no home");

    @ArchTest
    static final ArchRule THE_LOOP_ASKS_THROUGH_THE_AGREEMENT = noClasses()
            .that()
            .resideInAPackage("dev.tutti.train..")
            .and()
            .haveNameNotMatching(".*\\.(CollectiveAgreement|Gathering|ObjectCollectives)")
            .should()
            .callMethodWhere(target(owner(assignableTo(Collectives.class)))
                    .and(target(
                            nameMatching("allReduce|sum|gather.*|reduceScatter|allGather|broadcast|send|receive|barrier"
                                    + "|join|summands"))))
            .because("a strategy decides how its members hear of each other");

    private static ArchRule arrows() {
        LayeredArchitecture architecture = layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("dev.tutti..")
                .withOptionalLayers(true)
                .ensureAllClassesAreContainedInArchitecture();
        for (String name : MAY_USE.keySet()) {
            architecture =
                    architecture.layer(name).definedBy(name.equals("root") ? "dev.tutti" : "dev.tutti." + name + "..");
        }
        for (var arrow : MAY_USE.entrySet()) {
            var layer = architecture.whereLayer(arrow.getKey());
            architecture = arrow.getValue().length == 0
                    ? layer.mayNotAccessAnyLayer()
                    : layer.mayOnlyAccessLayers(arrow.getValue());
        }
        return architecture;
    }
}
