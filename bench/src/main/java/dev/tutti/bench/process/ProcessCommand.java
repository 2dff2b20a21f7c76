package dev.tutti.bench.process;

import dev.tutti.bench.harness.Cores;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How a process is started, and how that is written for people.
 *
 * @param words program and arguments
 * @param shown the same without the long paths of one machine
 * @param ofPeer whether settings of ours that are in the environment have to be hidden from it
 */
public record ProcessCommand(List<String> words, String shown, boolean ofPeer) {
    public ProcessCommand {
        words = List.copyOf(words);
    }

    /** A command of ours, as a user would type it. */
    public static ProcessCommand of(String... words) {
        return new ProcessCommand(List.of(words), String.join(" ", words), false);
    }

    /** A JVM of ours with the class path and the settings that this one has. */
    public static ProcessCommand java(Class<?> main, String... arguments) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(ProcessCommand::isInherited)
                .forEach(words::add);
        words.add("-cp");
        words.add(Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> new File(entry).getAbsolutePath())
                .collect(Collectors.joining(File.pathSeparator)));
        words.add(main.getName());
        words.addAll(List.of(arguments));
        return new ProcessCommand(words, shown("java " + main.getName(), arguments), false);
    }

    /** A script of a peer, run by the Python of the peers' environment. */
    public static ProcessCommand python(Path python, String script, String... arguments) {
        List<String> words = new ArrayList<>(List.of(python.toString(), script));
        words.addAll(List.of(arguments));
        return new ProcessCommand(words, shown("python " + script, arguments), true);
    }

    /** The same command held on one core, in a race where others have all of them. */
    public ProcessCommand onOneCore() {
        List<String> pinned = new ArrayList<>(Cores.ONE.pinning());
        String before = pinned.isEmpty() ? "" : String.join(" ", pinned) + " ";
        pinned.addAll(words);
        return new ProcessCommand(pinned, before + shown, ofPeer);
    }

    /** No command at all: a number that is known beforehand, in words. */
    public static ProcessCommand none(String shown) {
        return new ProcessCommand(List.of(), shown, false);
    }

    /** Agents and the making of archives belong to one process and not to its children. */
    private static boolean isInherited(String argument) {
        return !argument.startsWith("-agent")
                && !argument.startsWith("-javaagent")
                && !argument.startsWith("-XX:ArchiveClassesAtExit")
                && !argument.startsWith("-XX:+AutoCreateSharedArchive");
    }

    private static String shown(String program, String... arguments) {
        return arguments.length == 0 ? program : program + " " + String.join(" ", arguments);
    }
}
