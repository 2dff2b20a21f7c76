package dev.tutti.bench.serve;

import dev.tutti.json.Json;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Starts a server, loads it and prints what it came to: {@code tutti|litserve|mlserver|ray|djl mlp|cnn SECONDS PYTHON}.
 *
 * <p>Every server runs as a process of its own and is given the same requests by the same generator.
 */
public final class ServeContender {
    private static final int CONNECTIONS = 32;
    private static final double LOAD_SHARE = 0.7;
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(120);

    private ServeContender() {}

    public static void main(String[] arguments) throws Exception {
        ServerKind kind = ServerKind.valueOf(arguments[0].toUpperCase(Locale.ROOT));
        ServedNetwork network = ServedNetwork.valueOf(arguments[1].toUpperCase(Locale.ROOT));
        double seconds = Double.parseDouble(arguments[2]);
        Path models = Files.createTempDirectory("tutti-serve-bench");
        Path log = models.resolve("server.log");
        network.write(models);
        if (kind == ServerKind.DJL) {
            DjlPeer.build();
        }
        int port = freePort();
        long began = System.nanoTime();
        Process server = new ProcessBuilder(kind.command(network, models, port, arguments[3]))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Thread hook = new Thread(() -> end(server));
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            byte[] request = request(kind.path(network), network.body());
            double first = awaitFirst(server, port, request, began, log);
            System.out.println(Json.write(measured(server, port, request, seconds, first)));
        } finally {
            end(server);
            delete(models);
        }
    }

    private static Map<String, Double> measured(Process server, int port, byte[] request, double seconds, double first)
            throws IOException {
        Map<String, Double> numbers = new LinkedHashMap<>();
        numbers.put("first_answer_seconds", first);
        load(port, request, CONNECTIONS, 2, 0); // compilers and pools get warm
        LoadResult full = load(port, request, CONNECTIONS, seconds, 0);
        numbers.put("requests_per_second", full.perSecond());
        numbers.put("p50_ms", full.millis(0.5));
        numbers.put("p99_ms", full.millis(0.99));
        LoadResult alone = load(port, request, 1, seconds, 0);
        numbers.put("alone_p50_ms", alone.millis(0.5));
        numbers.put("alone_p99_ms", alone.millis(0.99));
        LoadResult part = load(port, request, CONNECTIONS, seconds, LOAD_SHARE * full.perSecond());
        numbers.put("part_p99_ms", part.millis(0.99));
        numbers.put("memory_mb", memory(server.toHandle()) / 1e6);
        return numbers;
    }

    /** Each load opens its own connections: some servers close those that are idle for a while. */
    private static LoadResult load(int port, byte[] request, int connections, double seconds, double rate)
            throws IOException {
        try (LoadGenerator generator = new LoadGenerator(port, request, connections)) {
            LoadResult result = generator.run(seconds, rate);
            if (result.failures() > 0 || result.requests() == 0) {
                throw new IOException(result.failures() + " requests failed, " + result.requests() + " were answered");
            }
            return result;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static byte[] request(String path, String body) {
        return ("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Seconds from the start of the command to its first answer. */
    private static double awaitFirst(Process server, int port, byte[] request, long began, Path log)
            throws IOException, InterruptedException {
        while (true) {
            try (LoadGenerator probe = new LoadGenerator(port, request, 1)) {
                if (probe.run(0.001, 0).requests() > 0) {
                    return (System.nanoTime() - began) / 1e9;
                }
            } catch (IOException e) {
                // It does not listen yet.
            }
            if (!server.isAlive() || System.nanoTime() - began > START_NANOS) {
                List<String> said = Files.readAllLines(log);
                throw new IOException("the server did not answer: "
                        + String.join(" | ", said.subList(Math.max(0, said.size() - 8), said.size())));
            }
            Thread.sleep(20);
        }
    }

    /** Resident memory of a process and its children; what they share counts once, where the system tells it. */
    private static double memory(ProcessHandle root) {
        return Stream.concat(Stream.of(root), root.descendants())
                .mapToDouble(process -> proportional(process.pid()))
                .sum();
    }

    private static double proportional(long pid) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/smaps_rollup"))) {
            return lines.filter(line -> line.startsWith("Pss:"))
                            .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")))
                            .sum()
                    * 1024;
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    private static void end(Process server) {
        List<ProcessHandle> all = Stream.concat(server.descendants(), Stream.of(server.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroy);
        try {
            server.waitFor(8, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        all.forEach(ProcessHandle::destroyForcibly);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
