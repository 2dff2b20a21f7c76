package dev.tutti.bench.process;

import dev.tutti.TuttiException;
import dev.tutti.bench.harness.Cores;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Python environment that the peers live in: made on first use, kept between runs, outside the tree.
 *
 * <p>A file inside it lists what was installed to the end. It is taken away while something is being installed, so an
 * environment that was cut short has none and is made again from nothing.
 */
public final class PeerEnvironment {
    private static final String COMPLETE = "tutti-complete.txt";
    private static final Duration DEADLINE = Duration.ofHours(1);
    private static final Pattern INSTALLED = Pattern.compile("(.+)-([^-]+)\\.dist-info");

    private final Path folder;
    private final String python3;
    private final BenchProcesses children;
    private final PrintStream progress;

    /** @param python3 the Python that makes the environment, by name or path */
    public PeerEnvironment(Path folder, String python3, BenchProcesses children, PrintStream progress) {
        this.folder = folder;
        this.python3 = python3;
        this.children = children;
        this.progress = progress;
    }

    /** Where it is kept unless told otherwise: {@code tutti/peers} in the user's cache. */
    public static Path usualFolder(Map<String, String> environment) {
        String cache = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path base = cache.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
        return base.resolve("tutti").resolve("peers");
    }

    /** The Python with the peers in it; there once {@link #install} was called. */
    public static Path python(Path folder) {
        return folder.resolve("bin").resolve("python");
    }

    /** Makes sure that everything in these requirement files is installed; does nothing when it is. */
    public void install(Collection<Path> requirementFiles) {
        try {
            Files.createDirectories(folder.toAbsolutePath().getParent());
            Path lock = folder.resolveSibling(folder.getFileName() + ".lock");
            try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    var held = channel.lock()) {
                installLocked(requirementFiles);
            }
        } catch (IOException e) {
            throw new TuttiException("The peers' environment in " + folder + " cannot be used: " + e.getMessage(), e);
        }
    }

    private void installLocked(Collection<Path> requirementFiles) throws IOException {
        Set<String> installed = new TreeSet<>();
        Path marker = folder.resolve(COMPLETE);
        if (Files.exists(marker) && Files.exists(python(folder))) {
            installed.addAll(Files.readAllLines(marker));
        }
        List<Path> missing = new ArrayList<>();
        for (Path file : requirementFiles) {
            if (!installed.containsAll(requirements(file))) {
                missing.add(file);
            }
        }
        if (missing.isEmpty()) {
            return;
        }
        if (installed.isEmpty()) {
            create();
        }
        Files.deleteIfExists(marker);
        for (Path file : missing) {
            progress.println("Installing " + String.join(", ", requirements(file)) + " into " + folder
                    + " (once; PyTorch takes a few minutes and 5.4 GB)");
            run(
                    pip(file),
                    "The peers' packages could not be installed from " + file + ". Look at the network, the space on "
                            + folder + " and pip's settings, then run the same command again");
            installed.addAll(requirements(file));
        }
        Files.write(marker, installed);
    }

    private void create() {
        progress.println("Making the peers' Python environment in " + folder);
        String advice = "On Debian or Ubuntu this installs all that is needed: apt-get install -y python3 python3-venv";
        try {
            run(
                    List.of(python3, "-m", "venv", "--clear", folder.toString()),
                    "The peers' Python environment could not be made by " + python3 + " -m venv. " + advice);
        } catch (ContenderException e) {
            throw new TuttiException(
                    "The peers of this benchmark run in Python, but " + python3 + " was not found. " + advice, e);
        }
    }

    private List<String> pip(Path file) {
        return List.of(
                python(folder).toString(),
                "-m",
                "pip",
                "install",
                "--disable-pip-version-check",
                "--progress-bar",
                "off",
                "-r",
                file.toAbsolutePath().toString());
    }

    /** Runs a step with its output shown; throws a {@link ContenderException} only where it cannot be started. */
    private void run(List<String> words, String onFailure) {
        ProcessCommand command = new ProcessCommand(words, String.join(" ", words), false);
        try (BenchProcess child = children.start(words.get(0), command, Cores.ALL)) {
            Deadline deadline = Deadline.in(DEADLINE);
            List<String> said = new ArrayList<>();
            Consumer<String> show = line -> {
                progress.println("  " + line);
                said.add(line);
            };
            try {
                child.endInput();
                child.lines(deadline, show);
                int code = child.exitCode(deadline);
                if (code == 0) {
                    return;
                }
                said.add(child.failure("ended with exit code " + code).getMessage());
            } catch (ContenderException e) {
                said.add(e.getMessage());
            }
            List<String> last = said.subList(Math.max(0, said.size() - 6), said.size());
            throw new TuttiException(onFailure + ".\n" + String.join("\n", last));
        }
    }

    /** The lines of a requirements file that require something. */
    private static List<String> requirements(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }

    /** The exact versions of these packages, as far as they are installed, and of Python itself. */
    public static Map<String, String> versions(Path folder, Collection<String> packages) {
        Map<String, String> versions = new TreeMap<>();
        try (var files = Files.find(folder.resolve("lib"), 3, (path, attributes) -> true)) {
            files.forEach(path -> {
                Matcher name = INSTALLED.matcher(path.getFileName().toString());
                if (name.matches() && packages.contains(name.group(1).replace('_', '-'))) {
                    versions.put(name.group(1).replace('_', '-'), name.group(2));
                } else if (path.getParent().endsWith("lib")
                        && path.getFileName().toString().startsWith("python")) {
                    versions.put("python", path.getFileName().toString().substring("python".length()));
                }
            });
            return versions;
        } catch (IOException e) {
            throw new TuttiException("The peers' environment in " + folder + " cannot be read: " + e.getMessage(), e);
        }
    }
}
