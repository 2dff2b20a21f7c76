package dev.tutti.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * What this JVM holds: threads, listening ports, open files, shared memory, JVMs under it, and memory. Compared with what it held
 * before, it shows what was not released.
 */
public final class Leaks {
    /** Memory that varies with allocators and compilers without being a leak. */
    private static final long TOLERATED_KB = 200_000;

    private final Map<String, Integer> held = new TreeMap<>();
    private final long residentKb;

    private Leaks() {
        Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("tutti-"))
                .forEach(name -> hold("thread " + name.replaceAll("[0-9]+", "#")));
        ChildJvms.all().forEach(process -> hold("JVM " + ChildJvms.name(process).orElse("?")));
        files();
        lines("/proc/self/maps").stream()
                .filter(line -> line.contains("/dev/shm/tutti-"))
                .forEach(line -> hold("mapped shared memory"));
        residentKb = lines("/proc/self/status").stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
    }

    /** What is held now. */
    public static Leaks now() {
        return new Leaks();
    }

    private void hold(String what) {
        held.merge(what, 1, Integer::sum);
    }

    private void files() {
        List<String> listening = new ArrayList<>();
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            for (String line : lines(table)) {
                String[] words = line.trim().split("\\s+");
                if (words.length > 9 && words[3].equals("0A")) {
                    listening.add("socket:[" + words[9] + "]");
                }
            }
        }
        long pid = ProcessHandle.current().pid();
        each(Path.of("/dev/shm"), "tutti-" + pid + "-*", file -> hold("file " + file.getFileName()));
        each(Path.of("/proc/self/fd"), "*", file -> {
            try {
                String target = Files.readSymbolicLink(file).toString();
                if (listening.contains(target)) {
                    hold("listening port");
                } else if (target.startsWith("socket:")) {
                    hold("socket");
                } else if (target.startsWith("pipe:")) {
                    hold("pipe");
                } else if (!target.startsWith("/proc/")
                        && !target.endsWith(".jar")
                        && !target.startsWith("anon_inode")) {
                    hold("file " + target);
                }
            } catch (IOException e) {
                return; // closed meanwhile
            }
        });
    }

    private static void each(Path folder, String pattern, java.util.function.Consumer<Path> action) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, pattern)) {
            files.forEach(action);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(String file) {
        try {
            return Files.exists(Path.of(file)) ? Files.readAllLines(Path.of(file)) : List.of();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** What there is now beyond what is held here, once things had some time to end; nothing, one hopes. */
    public List<String> since(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        List<String> more = more(now());
        while (!more.isEmpty() && System.nanoTime() < deadline) {
            try {
                TimeUnit.MILLISECONDS.sleep(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return more;
            }
            more = more(now());
        }
        return more;
    }

    private List<String> more(Leaks later) {
        List<String> more = new ArrayList<>();
        later.held.forEach((what, count) -> {
            int extra = count - held.getOrDefault(what, 0);
            if (extra > 0) {
                more.add(extra + " x " + what);
            }
        });
        long grown = later.residentKb - residentKb;
        if (grown > TOLERATED_KB) {
            more.add(grown / 1024 + " MB of memory");
        }
        return more;
    }
}
