package dev.tutti.spark.launch;

import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.train.TrainingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A real standalone cluster of Spark on this machine, for trying out and for tests: a master and worker daemons that listen on the
 * loopback address and outlive this process. A folder tells where they are.
 *
 * @param master its address
 * @param processes the daemons: the master first
 */
public record StandaloneCluster(String master, List<Daemon> processes) {
    private static final String FILE = "cluster.json";
    private static final Pattern MASTER = Pattern.compile("Starting Spark master at (spark://\\S+)");
    private static final Pattern REGISTERED = Pattern.compile("Successfully registered with master");
    private static final Duration START = Duration.ofSeconds(90);
    private static final Duration END = Duration.ofSeconds(20);

    /** A process. @param started in milliseconds: a process id may be used again */
    public record Daemon(String name, long pid, long started) {
        private Optional<ProcessHandle> handle() {
            return ProcessHandle.of(pid).filter(process -> startOf(process) == started && process.isAlive());
        }

        /** Whether it runs. */
        public boolean isAlive() {
            return handle().isPresent();
        }
    }

    /**
     * What is started.
     *
     * @param jars the folder of Spark's jars
     * @param memory of each worker's executors, such as 2g
     */
    public record Size(Path jars, int workers, int cores, String memory, int port) {}

    /** The cluster that a folder tells of, if it runs. */
    public static Optional<StandaloneCluster> in(Path folder) {
        Path file = folder.resolve(FILE);
        return Optional.of(file)
                .filter(Files::isRegularFile)
                .map(found -> Json.read(found, StandaloneCluster.class))
                .filter(cluster -> cluster.processes.stream().anyMatch(Daemon::isAlive));
    }

    /**
     * Starts one.
     *
     * @throws TrainingException if one runs already, or a daemon does not start
     */
    public static StandaloneCluster start(Path folder, Size size) {
        in(folder).ifPresent(running -> {
            throw new TrainingException("a cluster runs already at " + running.master + ": stop it first");
        });
        List<Daemon> daemons = new ArrayList<>();
        try {
            Files.createDirectories(folder);
            Path home = home(folder, size.jars);
            daemons.add(daemon(
                    folder,
                    home,
                    "master",
                    List.of(
                            "org.apache.spark.deploy.master.Master",
                            "--host",
                            "127.0.0.1",
                            "--port",
                            "" + size.port,
                            "--webui-port",
                            "0")));
            String master = await(folder, daemons.get(0), MASTER);
            for (int i = 0; i < size.workers; i++) {
                daemons.add(daemon(
                        folder,
                        home,
                        "worker-" + i,
                        List.of(
                                "org.apache.spark.deploy.worker.Worker",
                                "--host",
                                "127.0.0.1",
                                "--cores",
                                "" + size.cores,
                                "--memory",
                                size.memory,
                                "--webui-port",
                                "0",
                                "--work-dir",
                                folder.resolve("work-" + i).toString(),
                                master)));
            }
            for (Daemon worker : daemons.subList(1, daemons.size())) {
                await(folder, worker, REGISTERED);
            }
            StandaloneCluster cluster = new StandaloneCluster(master, daemons);
            AtomicFile.write(folder.resolve(FILE), Json.write(cluster));
            return cluster;
        } catch (IOException e) {
            end(daemons);
            throw new FileException(folder.toString(), "cannot be written: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            end(daemons);
            throw e;
        }
    }

    /** A home of Spark is a folder with its jars. */
    private static Path home(Path folder, Path jars) throws IOException {
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.deleteIfExists(home.resolve("jars"));
        Files.createSymbolicLink(home.resolve("jars"), jars.toAbsolutePath());
        return home;
    }

    private static Daemon daemon(Path folder, Path home, String name, List<String> command) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+IgnoreUnrecognizedVMOptions"));
        all.addAll(DriverOptions.OPENS);
        all.addAll(List.of("-cp", home.resolve("jars") + "/*"));
        all.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        Map<String, String> environment = builder.environment();
        environment.put("SPARK_HOME", home.toString());
        environment.put("SPARK_SCALA_VERSION", "2.13");
        environment.put("SPARK_LOCAL_IP", "127.0.0.1");
        Process process = builder.start();
        return new Daemon(name, process.pid(), startOf(process.toHandle()));
    }

    private static long startOf(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    private static String await(Path folder, Daemon daemon, Pattern sign) throws IOException {
        long deadline = System.nanoTime() + START.toNanos();
        Path log = folder.resolve(daemon.name + ".log");
        while (System.nanoTime() < deadline && daemon.isAlive()) {
            Matcher found = sign.matcher(Files.exists(log) ? Files.readString(log) : "");
            if (found.find()) {
                return found.groupCount() > 0 ? found.group(1) : "";
            }
            pause();
        }
        throw new TrainingException("the " + daemon.name + " of Spark "
                + (daemon.isAlive() ? "was not ready within " + START.toSeconds() + " s" : "ended") + "; its log: "
                + log);
    }

    private static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TrainingException("interrupted while a cluster of Spark started or ended", e);
        }
    }

    /** Ends all daemons, and with them their executors. */
    public static boolean stop(Path folder) {
        Optional<StandaloneCluster> running = in(folder);
        running.ifPresent(cluster -> end(cluster.processes));
        try {
            Files.deleteIfExists(folder.resolve(FILE));
        } catch (IOException e) {
            throw new FileException(folder.toString(), "cannot be written: " + e.getMessage(), e);
        }
        return running.isPresent();
    }

    private static void end(List<Daemon> daemons) {
        daemons.forEach(daemon -> daemon.handle().ifPresent(ProcessHandle::destroy));
        long deadline = System.nanoTime() + END.toNanos();
        while (daemons.stream().anyMatch(Daemon::isAlive) && System.nanoTime() < deadline) {
            pause();
        }
        daemons.forEach(daemon -> daemon.handle().ifPresent(ProcessHandle::destroyForcibly));
    }
}
