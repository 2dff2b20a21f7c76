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

    /** The system property that is the same in all JVMs that one run has started, and in no others. */
    static final String RUN = "tutti.run";

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
    private final int jvms;
    private final String heap;
    private final List<String> wrapper;
    private final List<String> options;

    private ChildJvm(
            String mainClass,
            String member,
            List<String> arguments,
            List<Path> classPath,
            Map<String, String> environment,
            int jvms,
            String heap,
            List<String> wrapper,
            List<String> options) {
        this.mainClass = mainClass;
        this.member = member;
        this.arguments = List.copyOf(arguments);
        this.classPath = List.copyOf(classPath);
        this.environment = Map.copyOf(environment);
        this.jvms = jvms;
        this.heap = heap;
        this.wrapper = List.copyOf(wrapper);
        this.options = List.copyOf(options);
    }

    /** @param member the name of the member in it, seen by people who look at the list of processes */
    public static ChildJvm of(String mainClass, String member, List<String> arguments) {
        return new ChildJvm(mainClass, member, arguments, List.of(), Map.of(), 1, null, List.of(), List.of());
    }

    /** Classes beside those of this JVM, looked for first. */
    public ChildJvm with(List<Path> moreClasses) {
        return new ChildJvm(mainClass, member, arguments, moreClasses, environment, jvms, heap, wrapper, options);
    }

    /** Another environment variable beside those of this JVM. */
    public ChildJvm with(String variable, String value) {
        Map<String, String> more = new LinkedHashMap<>(environment);
        more.put(variable, value);
        return new ChildJvm(mainClass, member, arguments, classPath, more, jvms, heap, wrapper, options);
    }

    /**
     * One of several that share a part of the machine's memory for their heaps.
     *
     * @param siblings how many are started
     * @param size the heap of each, such as {@code 2g}; null for a share
     */
    ChildJvm heap(int siblings, String size) {
        return new ChildJvm(mainClass, member, arguments, classPath, environment, siblings, size, wrapper, options);
    }

    /** Options of its JVM, such as {@code -Xmx2g}; they take precedence over those of this JVM. */
    public ChildJvm withOptions(List<String> jvmOptions) {
        return new ChildJvm(mainClass, member, arguments, classPath, environment, jvms, heap, wrapper, jvmOptions);
    }

    /** Has another command run it: one that takes the JVM's as its last arguments, such as {@code ip netns exec NAME}. */
    public ChildJvm within(List<String> command) {
        return new ChildJvm(mainClass, member, arguments, classPath, environment, jvms, heap, command, options);
    }

    /** Starts it; standard output and error come to this JVM, and what it reads is what this JVM writes. */
    public Process start() {
        return start(new ProcessBuilder(wrapped()));
    }

    /** Starts it with its standard error sent elsewhere, such as to a file; the rest is as in {@link #start()}. */
    public Process start(ProcessBuilder.Redirect errors) {
        return start(new ProcessBuilder(wrapped()).redirectError(errors));
    }

    /** Starts it so that it can outlive this JVM: its output is appended to a file, and what it reads is what this JVM writes. */
    public Process startDetached(Path log) {
        return start(detached(log));
    }

    /** The same for a program that reads nothing. */
    public Process startDetachedWithoutInput(Path log) {
        return start(detached(log).redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null"))));
    }

    private ProcessBuilder detached(Path log) {
        return new ProcessBuilder(wrapped())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    }

    private List<String> wrapped() {
        List<String> all = new ArrayList<>(wrapper);
        all.addAll(command());
        return all;
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
        List<String> inherited = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(setting -> NOT_INHERITED.stream().noneMatch(setting::startsWith) && !setting.startsWith(OWN))
                .toList();
        command.addAll(inherited);
        command.addAll(HeapOptions.of(inherited, jvms, heap));
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
