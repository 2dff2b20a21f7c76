package dev.tutti.spark.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AssembledJarTest {
    private static Path jar(Path file, Map<String, String> entries) throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            for (Map.Entry<String, String> entry : entries.entrySet()) {
                out.putNextEntry(new ZipEntry(entry.getKey()));
                out.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        return file;
    }

    private static String text(JarFile jar, String name) throws IOException {
        return new String(jar.getInputStream(jar.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void joinsServicesKeepsLicencesAndLeavesSignaturesOut(@TempDir Path folder) throws IOException {
        Path first = jar(
                folder.resolve("a-1.0.jar"),
                Map.of("x/A.class", "first", "META-INF/services/S", "a.One # why\n\n", "META-INF/LICENSE", "free"));
        Path second = jar(
                folder.resolve("b-2.jar"),
                Map.of(
                        "x/A.class", "second",
                        "META-INF/services/S", "b.Two\na.One\n",
                        "META-INF/LICENSE.txt", "also free",
                        "META-INF/KEY.SF", "signed",
                        "META-INF/versions/21/x/A.class", "newer",
                        "module-info.class", "m"));
        Path classes = Files.createDirectories(folder.resolve("classes/y"));
        Files.writeString(classes.resolve("B.class"), "of a folder");
        Path output = folder.resolve("out/all.jar");
        AssembledJar.write(List.of(first, second, folder.resolve("classes")), output);
        try (JarFile jar = new JarFile(output.toFile())) {
            assertThat(text(jar, "x/A.class")).isEqualTo("first");
            assertThat(text(jar, "META-INF/versions/21/x/A.class")).isEqualTo("newer");
            assertThat(text(jar, "y/B.class")).isEqualTo("of a folder");
            assertThat(text(jar, "META-INF/services/S")).isEqualTo("a.One\nb.Two\n");
            assertThat(text(jar, "META-INF/licenses/a-1.0.jar/LICENSE")).isEqualTo("free");
            assertThat(text(jar, "META-INF/licenses/b-2.jar/LICENSE.txt")).isEqualTo("also free");
            assertThat(jar.getEntry("META-INF/KEY.SF")).isNull();
            assertThat(jar.getEntry("module-info.class")).isNull();
            assertThat(jar.getManifest().getMainAttributes().getValue("Main-Class"))
                    .isEqualTo("dev.tutti.app.Main");
        }
    }

    @Test
    void leavesOutWhatSparkHasAndTheLoggingOfTheCommand(@TempDir Path folder) throws IOException {
        Path spark = Files.createDirectories(folder.resolve("spark"));
        Files.createFile(spark.resolve("spark-core_2.13-4.1.0.jar"));
        Files.createFile(spark.resolve("jackson-core-2.18.jar"));
        Files.createFile(spark.resolve("jackson-datatype-jdk8-2.18.jar")); // not in Spark as it is distributed
        Path lib = Files.createDirectories(folder.resolve("lib"));
        for (String name : List.of(
                "jackson-core-2.20.jar",
                "jackson-dataformat-yaml-2.20.jar",
                "jackson-datatype-jdk8-2.20.jar",
                "logback-classic-1.5.jar",
                "tutti-core-0.1.0-SNAPSHOT.jar",
                "pytorch-2.7.1-1.5.12-linux-x86_64.jar")) {
            Files.createFile(lib.resolve(name));
        }
        String classPath = String.join(
                java.io.File.pathSeparator,
                List.of(lib.toFile().list()).stream()
                        .sorted()
                        .map(name -> lib.resolve(name).toString())
                        .toList());
        assertThat(AssembledJar.own(classPath, spark))
                .extracting(path -> path.getFileName().toString())
                .containsExactly(
                        "jackson-dataformat-yaml-2.20.jar",
                        "jackson-datatype-jdk8-2.20.jar",
                        "pytorch-2.7.1-1.5.12-linux-x86_64.jar",
                        "tutti-core-0.1.0-SNAPSHOT.jar");
    }
}
