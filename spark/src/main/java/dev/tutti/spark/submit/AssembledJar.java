package dev.tutti.spark.submit;

import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;

/**
 * One jar with Tutti, its libraries and the native libraries of this platform, for spark-submit. Spark is not in it, nor is what Spark
 * brings itself: those libraries come from the cluster.
 *
 * <p>Lists of services are joined; of other entries with the same name the first one counts. Licences are kept under
 * {@code META-INF/licenses}, by the jars they came from.
 */
public final class AssembledJar {
    private static final String MAIN_CLASS = "dev.tutti.app.Main";
    private static final String SERVICES = "META-INF/services/";
    private static final String LEFT_OUT =
            "META-INF/MANIFEST\\.MF|META-INF/INDEX\\.LIST|META-INF/[^/]*\\.(SF|RSA|DSA|EC)|META-INF/maven/.*"
                    + "|(META-INF/versions/\\d+/)?module-info\\.class|logback[^/]*\\.xml";
    private static final String LICENCE = "META-INF/[^/]*(LICENSE|NOTICE|DEPENDENCIES)[^/]*";

    /** What the build's jars of Spark have beside those of Spark as it is distributed. */
    private static final Set<String> OF_THE_BUILD = Set.of("jackson-datatype-jdk8", "protobuf-java");

    private final Map<String, Set<String>> services = new TreeMap<>();
    private final Set<String> written = new HashSet<>();
    private final JarOutputStream out;

    private AssembledJar(JarOutputStream out) {
        this.out = out;
    }

    /**
     * The entries of a class path that go into the jar: not those that Spark has as well, in any version, nor the logging of
     * the command, which would be a second one beside Spark's.
     *
     * @param classPath as in {@code java.class.path}
     * @param sparkJars the folder of Spark's jars
     */
    public static List<Path> own(String classPath, Path sparkJars) {
        String[] ofSpark = sparkJars.toFile().list();
        if (ofSpark == null) {
            throw new FileException(sparkJars.toString(), "is not a folder: expected the one of Spark's jars");
        }
        Set<String> libraries =
                Arrays.stream(ofSpark).map(AssembledJar::withoutVersion).collect(Collectors.toSet());
        libraries.removeAll(OF_THE_BUILD);
        return Arrays.stream(classPath.split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry).toAbsolutePath().normalize())
                .filter(Files::exists)
                .filter(entry -> !entry.startsWith(sparkJars.toAbsolutePath().normalize()))
                .filter(entry -> {
                    String name = entry.getFileName().toString();
                    return !libraries.contains(withoutVersion(name)) && !name.startsWith("logback-");
                })
                .distinct()
                .toList();
    }

    private static String withoutVersion(String jar) {
        return jar.replaceFirst("-\\d.*", "");
    }

    /** Where the jar of a build is kept, or will be. */
    public static Path placeBeside(Path sparkJars) {
        return sparkJars.toAbsolutePath().normalize().resolveSibling("tutti-spark.jar");
    }

    /** The jar of the program that runs; written beside Spark's jars when it is asked for the first time. */
    public static Path ofThisProgram(Path sparkJars) {
        Path jar = placeBeside(sparkJars);
        if (!Files.isRegularFile(jar)) {
            write(own(System.getProperty("java.class.path"), sparkJars), jar);
        }
        return jar;
    }

    /**
     * Writes the jar.
     *
     * @param entries jars and folders of classes; the first ones count
     */
    public static void write(List<Path> entries, Path output) {
        AtomicFile.write(output, file -> {
            try (JarOutputStream jar = new JarOutputStream(file, manifest())) {
                jar.setLevel(Deflater.BEST_SPEED);
                AssembledJar assembled = new AssembledJar(jar);
                for (Path entry : entries) {
                    if (Files.isDirectory(entry)) {
                        assembled.addFolder(entry);
                    } else {
                        assembled.addJar(entry);
                    }
                }
                assembled.addServices();
            }
        });
    }

    private static Manifest manifest() {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, MAIN_CLASS);
        attributes.put(Attributes.Name.MULTI_RELEASE, "true");
        return manifest;
    }

    private void addFolder(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(folder)) {
            files = walk.filter(Files::isRegularFile).sorted().toList();
        }
        for (Path file : files) {
            String name = folder.relativize(file).toString().replace(File.separatorChar, '/');
            try (InputStream in = Files.newInputStream(file)) {
                add(
                        folder.getFileName().toString(),
                        name,
                        Files.getLastModifiedTime(file).toMillis(),
                        in);
            }
        }
    }

    private void addJar(Path path) throws IOException {
        try (JarFile jar = new JarFile(path.toFile())) {
            for (JarEntry entry :
                    jar.stream().filter(each -> !each.isDirectory()).toList()) {
                try (InputStream in = jar.getInputStream(entry)) {
                    add(path.getFileName().toString(), entry.getName(), entry.getTime(), in);
                }
            }
        }
    }

    private void add(String from, String name, long time, InputStream in) throws IOException {
        if (name.matches(LEFT_OUT)) {
            return;
        }
        if (name.startsWith(SERVICES)) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.replaceFirst("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .forEach(services.computeIfAbsent(name, key -> new LinkedHashSet<>())::add);
            return;
        }
        String target = name.matches(LICENCE) ? "META-INF/licenses/" + from + "/" + name.substring(9) : name;
        if (!written.add(target)) {
            return;
        }
        JarEntry entry = new JarEntry(target);
        entry.setTime(time); // native libraries that were unpacked before are known by it
        out.putNextEntry(entry);
        in.transferTo(out);
        out.closeEntry();
    }

    private void addServices() throws IOException {
        for (Map.Entry<String, Set<String>> service : services.entrySet()) {
            out.putNextEntry(new JarEntry(service.getKey()));
            String lines = String.join("\n", service.getValue()) + "\n";
            out.write(lines.getBytes(StandardCharsets.UTF_8));
            out.closeEntry();
        }
    }
}
