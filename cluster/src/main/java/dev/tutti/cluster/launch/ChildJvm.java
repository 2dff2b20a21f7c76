package dev.tutti.cluster.launch;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The command for a JVM like this one: the same Java, the same settings, the same classes.
 *
 * <p>An immutable value; {@link #start} may be called any number of times.
 */
public final class ChildJvm {
    /** The system property that holds the name of the member in a JVM. */
    public static final String MEMBER = "tutti.member";

    /** Settings that belong to one JVM alone: a debugger's port, an agent, a file of recorded classes. */
    private static final List<String> NOT_INHERITED = List.of(
            "-agentlib:",
            "-agentpath:",
            "-javaagent:",
            "-Xrunjdwp",
            "-Xdebug",
            "-XX:SharedArchiveFile",
            "-XX:ArchiveClassesAtExit",
            "-Xshare",
            "-XX:+AutoCreateSharedArchive",
            "-XX:StartFlightRecording",
            "-Dcom.sun.management.jmxremote");

    private static final String OWN = "-Dtutti.";

    private final String mainClass;
    private final String member;
    private final List<String> arguments;
    private final List<Path> classPath;
    private final Map<String, String> environment;
    private final List<String> options;

    private ChildJvm(
            String mainClass,
            String member,
            List<String> arguments,
            List<Path> classPath,
            Map<String, String> environment,
            List<String> options) {
        this.mainClass = mainClass;
        this.member = member;
        this.arguments = List.copyOf(arguments);
        this.classPath = List.copyOf(classPath);
        this.environment = Map.copyOf(environment);
        this.options = List.copyOf(options);
    }

    /** @param member the name of the member in it, seen by people who look at the list of processes */
    public static ChildJvm of(String mainClass, String member, List<String> arguments) {
        return new ChildJvm(mainClass, member, arguments, List.of(), Map.of(), List.of());
    }

    /** Classes beside those of this JVM, looked for first. */
    public ChildJvm with(List<Path> moreClasses) {
        return new ChildJvm(mainClass, member, arguments, moreClasses, environment, options);
    }

    /** Another environment variable beside those of this JVM. */
    public ChildJvm with(String variable, String value) {
        Map<String, String> more = new LinkedHashMap<>(environment);
        more.put(variable, value);
        return new ChildJvm(mainClass, member, arguments, classPath, more, options);
    }

    /** Options of its JVM, such as {@code -Xmx2g}; they take precedence over those of this JVM. */
    public ChildJvm withOptions(List<String> jvmOptions) {
        return new ChildJvm(mainClass, member, arguments, classPath, environment, jvmOptions);
    }

    /** Starts it so that it can outlive this JVM: standard output and error are appended to a file, and there is nothing to read. */
    public Process startDetached(Path output) {
        ProcessBuilder builder = new ProcessBuilder(command())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        return start(builder);
    }

    /** Starts it; standard output and error come to this JVM, and what it reads is what this JVM writes. */
    public Process start() {
        return start(new ProcessBuilder(command()));
    }

    private Process start(ProcessBuilder builder) {
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new LaunchException("a JVM for " + mainClass + " cannot be started: " + e.getMessage(), e);
        }
    }

    List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String setting : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (NOT_INHERITED.stream().noneMatch(setting::startsWith) && !setting.startsWith(OWN)) {
                command.add(setting);
            }
        }
        for (String property : new TreeSet<>(System.getProperties().stringPropertyNames())) {
            if (property.startsWith("tutti.") && !property.equals(MEMBER)) {
                command.add("-D" + property + "=" + System.getProperty(property)); // also what was set on the way
            }
        }
        command.addAll(options);
        List<String> classes = new ArrayList<>();
        classPath.forEach(path -> classes.add(path.toString()));
        classes.add(System.getProperty("java.class.path"));
        command.add("-D" + MEMBER + "=" + member);
        command.add("-cp");
        command.add(String.join(File.pathSeparator, classes));
        command.add(mainClass);
        command.addAll(arguments);
        return command;
    }

    @Override
    public String toString() {
        return mainClass + (arguments.isEmpty() ? "" : " " + String.join(" ", arguments));
    }
}
