package dev.tutti.app;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Holds the packages of all modules: how many classes each has, which other packages it may use, and that no simple
 * name stands for two classes. {@code src/test/resources/rooms.txt} lists the arrows; with {@code -Drooms.write=true}
 * the test writes that file anew, so that a new arrow is a line of a change that a reviewer sees.
 */
class RoomsTest {
    private static final Path ALLOWED = Path.of("src/test/resources/rooms.txt");
    private static final int MOST_CLASSES = 30;

    /** Flat on purpose, as torch.nn is. */
    private static final Set<String> FLAT = Set.of("dev.tutti.nn");

    private static final Map<String, Set<String>> CLASSES = new TreeMap<>();
    private static final Map<String, Set<String>> ARROWS = new TreeMap<>();

    @BeforeAll
    static void readClasses() {
        var all = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.tutti");
        for (JavaClass one : all) {
            String room = one.getPackageName();
            if (one.isTopLevelClass() && !one.getSimpleName().equals("package-info")) {
                CLASSES.computeIfAbsent(room, name -> new TreeSet<>()).add(one.getSimpleName());
            }
            Set<String> arrows = ARROWS.computeIfAbsent(room, name -> new TreeSet<>());
            one.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .map(JavaClass::getPackageName)
                    .filter(target -> target.startsWith("dev.tutti") && !target.equals(room))
                    .forEach(arrows::add);
        }
    }

    @Test
    void everyArrowIsListed() throws IOException {
        if (Boolean.getBoolean("rooms.write")) {
            Files.writeString(ALLOWED, lines(ARROWS));
        }
        var allowed = new TreeMap<String, Set<String>>();
        for (String line : Files.readAllLines(ALLOWED)) {
            String[] words = line.split("[ ,:]+");
            allowed.put(words[0], new TreeSet<>(Arrays.asList(words).subList(1, words.length)));
        }
        var unlisted = new TreeMap<String, Set<String>>();
        ARROWS.forEach((room, targets) -> {
            var rest = new TreeSet<>(targets);
            rest.removeAll(allowed.getOrDefault(room, Set.of()));
            if (!rest.isEmpty()) {
                unlisted.put(room, rest);
            }
        });
        assertThat(unlisted)
                .as("arrows between packages that rooms.txt does not list; -Drooms.write=true adds them")
                .isEmpty();
    }

    @Test
    void aPackageFitsAScreen() {
        CLASSES.forEach((room, names) -> System.out.printf("%3d %s -> %s%n", names.size(), room, ARROWS.get(room)));
        assertThat(CLASSES.keySet().stream()
                        .filter(room -> !FLAT.contains(room))
                        .filter(room -> CLASSES.get(room).size() > MOST_CLASSES)
                        .toList())
                .as("packages with more than " + MOST_CLASSES + " classes")
                .isEmpty();
    }

    @Test
    void noNameStandsForTwoClasses() {
        var places = new TreeMap<String, List<String>>();
        CLASSES.forEach((room, names) ->
                names.forEach(name -> places.merge(name, List.of(room), (a, b) -> List.of(a.get(0), b.get(0)))));
        places.values().removeIf(rooms -> rooms.size() == 1);
        assertThat(places).as("simple class names that stand twice").isEmpty();
    }

    private static String lines(Map<String, Set<String>> arrows) {
        return arrows.entrySet().stream()
                .map(room -> room.getKey() + ": " + String.join(", ", room.getValue()))
                .map(String::strip)
                .collect(joining("\n", "", "\n"));
    }
}
