package dev.tutti.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** There is one registry of the names that definitions have in files, and everything is in it. */
class DefinitionsTest {
    /** They hold live Java objects, which no file can name, or are what a plan makes of layers: slices, and chunks of one vector. */
    private static final Set<String> MADE_IN_JAVA_ONLY = Set.of(
            "ArraySource",
            "ModelChunks",
            "SplitAttention",
            "SplitConvolution",
            "SplitDense",
            "SplitDropout",
            "SplitEmbedding");

    private static final List<JavaClass> CLASSES = List.copyOf(new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.tutti"));

    private static List<JavaClass> bases() {
        return CLASSES.stream()
                .filter(type -> type.isAnnotatedWith(JsonTypeInfo.class))
                .toList();
    }

    @Test
    void everyConcreteDefinitionHasAName() {
        assertThat(bases()).hasSizeGreaterThan(10);
        for (JavaClass base : bases()) {
            for (JavaClass type : CLASSES) {
                boolean concrete = type.isAssignableTo(base.getFullName())
                        && !type.getModifiers().contains(JavaModifier.ABSTRACT)
                        && !type.isAnonymousClass();
                if (concrete && !MADE_IN_JAVA_ONLY.contains(type.getSimpleName())) {
                    assertThat(Json.name(type.reflect()))
                            .as("%s has a name in its package's Definitions", type.getName())
                            .isPresent();
                }
            }
        }
    }

    @Test
    void noNameMeansTwoDefinitionsOfOneKind() {
        for (JavaClass base : bases()) {
            Map<String, Class<?>> byName = new HashMap<>();
            for (Definitions module : ServiceLoader.load(Definitions.class)) {
                module.named().forEach((type, name) -> {
                    if (base.reflect().isAssignableFrom(type)) {
                        assertThat(byName.put(name, type))
                                .as("the other %s '%s'", base.getSimpleName(), name)
                                .isNull();
                    }
                });
            }
            assertThat(byName).as("%s", base.getName()).isNotEmpty();
        }
    }

    @Test
    void noOtherListOfNamesIsKept() {
        assertThat(CLASSES).noneMatch(type -> type.isAnnotatedWith(JsonSubTypes.class));
    }
}
