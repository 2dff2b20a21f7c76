package dev.tutti.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Javadoc of core, cluster and strategy is sound, private members included; the site is left in target/javadoc. */
class JavadocSiteTest {
    private static final List<String> MODULES = List.of("core", "cluster", "strategy");

    @TempDir
    private Path folder;

    @Test
    @Timeout(300)
    void isBuiltWithoutAWarning() throws IOException {
        Path site = Path.of("target", "javadoc");
        String sources = MODULES.stream()
                .map(module -> Path.of("..", module, "src", "main", "java").toString())
                .collect(Collectors.joining(java.io.File.pathSeparator));
        String said = javadoc(site, "--source-path", sources, "-subpackages", "dev.tutti");
        assertThat(said).isEmpty();
        try (Stream<Path> packages = Files.walk(Path.of("..", "core", "src", "main", "java"))) {
            assertThat(packages.filter(file -> file.endsWith("package-info.java")))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(site.resolve(Path.of("..", "core", "src", "main", "java")
                                    .relativize(file)
                                    .resolveSibling("package-summary.html")))
                            .exists());
        }
    }

    @Test
    void aMistakeIsFound() throws IOException {
        Path source = folder.resolve("Mistaken.java");
        Files.writeString(source, "/** See {@link Missing} & others. */ public class Mistaken {}");
        assertThat(javadoc(folder.resolve("site"), source.toString()))
                .contains("reference not found")
                .contains("bad HTML entity");
    }

    private static String javadoc(Path site, String... arguments) {
        StringWriter said = new StringWriter();
        ToolProvider javadoc = ToolProvider.findFirst("javadoc").orElseThrow();
        Stream<String> options = Stream.of(
                "-quiet",
                "-Xdoclint:all,-missing",
                "-private",
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
