package dev.tutti.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Javadoc of core, cluster and strategy is sound, private members included. The site for users is left in target/javadoc: it has public
 * members alone, and none of the packages that say of themselves that they are not for users.
 */
class JavadocSiteTest {
    private static final List<String> MODULES = List.of("core", "cluster", "strategy");
    private static final String SOURCES =
            MODULES.stream().map(module -> sources(module).toString()).collect(Collectors.joining(File.pathSeparator));

    @TempDir
    private Path folder;

    private static Path sources(String module) {
        return Path.of("..", module, "src", "main", "java");
    }

    @Test
    @Timeout(300)
    void isBuiltWithoutAWarning() {
        assertThat(javadoc(
                        folder,
                        "-Xdoclint:all,-missing",
                        "-private",
                        "--source-path",
                        SOURCES,
                        "-subpackages",
                        "dev.tutti"))
                .isEmpty();
    }

    @Test
    @Timeout(300)
    void theSiteLeavesOutWhatIsNotForUsers() throws IOException {
        Map<String, Boolean> packages = packages();
        List<String> hidden =
                packages.keySet().stream().filter(name -> !packages.get(name)).toList();
        assertThat(hidden).contains("dev.tutti.tensor.onednn", "dev.tutti.cluster.rpc");
        assertThat(packages).containsEntry("dev.tutti.train", true).containsEntry("dev.tutti.strategy", true);
        Path site = Path.of("target", "javadoc");
        try (Stream<Path> old = Files.exists(site) ? Files.walk(site) : Stream.empty()) {
            old.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
        List<String> arguments = new ArrayList<>(List.of("-Xdoclint:none", "-public"));
        for (String module : MODULES) { // files, because the tool fails at records of packages that -exclude names
            try (Stream<Path> files = Files.walk(sources(module))) {
                files.filter(file -> file.toString().endsWith(".java") && !hidden.contains(nameOf(module, file)))
                        .forEach(file -> arguments.add(file.toString()));
            }
        }
        assertThat(javadoc(site, arguments.toArray(String[]::new))).isEmpty();
        packages.forEach((name, forUsers) -> assertThat(
                        Files.exists(site.resolve(name.replace('.', '/')).resolve("package-summary.html")))
                .as(name)
                .isEqualTo(forUsers));
    }

    /** The package of a file. */
    private static String nameOf(String module, Path file) {
        return sources(module).relativize(file.getParent()).toString().replace(File.separatorChar, '.');
    }

    /** Whether each package is for users. */
    private static Map<String, Boolean> packages() throws IOException {
        Map<String, Boolean> found = new TreeMap<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(sources(module))) {
                for (Path file :
                        files.filter(each -> each.endsWith("package-info.java")).toList()) {
                    String name = nameOf(module, file);
                    found.put(name, !Files.readString(file).contains("Not for users"));
                }
            }
        }
        return found;
    }

    @Test
    void aMistakeIsFound() throws IOException {
        Path source = folder.resolve("Mistaken.java");
        Files.writeString(source, "/** See {@link Missing} & others. */ public class Mistaken {}");
        assertThat(javadoc(folder.resolve("site"), "-Xdoclint:all,-missing", "-private", source.toString()))
                .contains("reference not found")
                .contains("bad HTML entity");
    }

    private static String javadoc(Path site, String... arguments) {
        StringWriter said = new StringWriter();
        ToolProvider javadoc = ToolProvider.findFirst("javadoc").orElseThrow();
        Stream<String> options = Stream.of(
                "-quiet",
                "-encoding",
                "UTF-8",
                "--release",
                "17",
                "--class-path",
                System.getProperty("java.class.path"),
                "-d",
                site.toString());
        PrintWriter writer = new PrintWriter(said);
        javadoc.run(writer, writer, Stream.concat(options, Stream.of(arguments)).toArray(String[]::new));
        return said.toString();
    }
}
