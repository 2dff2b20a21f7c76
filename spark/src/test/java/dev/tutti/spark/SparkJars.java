package dev.tutti.spark;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Spark's jars of the test's class path in one folder, as an installed Spark has them. */
public final class SparkJars {
    private SparkJars() {}

    public static Path linkedIn(Path folder) throws IOException {
        Path jars = Files.createDirectories(folder.resolve("jars"));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path jar = Path.of(entry).toAbsolutePath();
            if (entry.endsWith(".jar") && !entry.contains("bytedeco") && !entry.contains("/dev/tutti/")) {
                Path link = jars.resolve(jar.getFileName());
                if (!Files.exists(link)) {
                    Files.createSymbolicLink(link, jar);
                }
            }
        }
        return jars;
    }
}
