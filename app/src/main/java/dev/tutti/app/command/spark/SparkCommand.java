package dev.tutti.app.command.spark;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.spark.launch.StandaloneCluster;
import dev.tutti.spark.measure.DigitsExample;
import dev.tutti.spark.measure.SparkMeasurement;
import dev.tutti.spark.submit.AssembledJar;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Starts and stops a standalone cluster of Spark on this machine. */
@Command(
        name = "spark",
        sortOptions = false,
        description = "Starts a real cluster of Spark on this machine, for trying out, or stops it.",
        footer = {
            "",
            "Example: ./tutti spark start --workers 2, then ./tutti train mnist --on spark://127.0.0.1:7077,",
            "then ./tutti spark stop."
        })
public final class SparkCommand extends TuttiCommand {
    private enum Action {
        start,
        stop,
        status,
        jar,
        example,
        /** For the benchmark. */
        measure
    }

    @Parameters(
            index = "0",
            paramLabel = "start|stop|status|jar|example",
            description =
                    "What to do; jar writes one jar with all of Tutti, for spark-submit; example learns the digits of MNIST from"
                            + " a table of 60,000 rows.")
    private Action action;

    @Parameters(index = "1", arity = "0..1", hidden = true)
    private String measured;

    @Option(names = "--workers", paramLabel = "N", description = "Worker daemons; 2 by default.")
    private int workers = 2;

    @Option(names = "--cores", paramLabel = "N", description = "Cores of each worker; 1 by default.")
    private int cores = 1;

    @Option(names = "--memory", paramLabel = "SIZE", description = "Memory of each worker; 2g by default.")
    private String memory = "2g";

    @Option(names = "--port", paramLabel = "N", description = "Port of the master; 7077 by default, 0 for any.")
    private int port = 7077;

    @Option(
            names = "--folder",
            paramLabel = "FOLDER",
            description = "Where logs and the cluster's address are; .tutti/spark in the home folder by default.")
    private Path folder = Path.of(System.getProperty("user.home"), ".tutti", "spark");

    @Option(
            names = "--on",
            paramLabel = "MASTER",
            description = "Where example trains; local-cluster[2,1,3072] by default.")
    private String master = "local-cluster[2,1,3072]";

    @Option(
            names = "--epochs",
            paramLabel = "N",
            description = "How often example goes through the rows; 4 by default.")
    private int epochs = 4;

    @Option(names = "--output", paramLabel = "FILE", description = "Where jar writes; tutti-spark.jar by default.")
    private Path output = Path.of("tutti-spark.jar");

    public SparkCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        return switch (action) {
            case start -> start();
            case stop -> stop();
            case status -> status();
            case jar -> jar();
            case example -> example();
            case measure -> measure();
        };
    }

    private ExitCode start() {
        if (workers < 1 || cores < 1) {
            throw new UsageException(
                    "--workers and --cores: expected at least 1, received " + workers + " and " + cores);
        }
        StandaloneCluster cluster =
                StandaloneCluster.start(folder, new StandaloneCluster.Size(sparkJars(), workers, cores, memory, port));
        people().println("Spark runs at " + cluster.master() + " with " + counted(workers, "worker") + "; next:");
        people().println("  ./tutti train mnist --on " + cluster.master());
        answer(answerOf(cluster));
        return ExitCode.FINE;
    }

    private static Path sparkJars() {
        String jars = System.getProperty("tutti.spark.jars");
        if (jars == null) {
            throw new UsageException("Spark's jars are not known: start this command by ./tutti");
        }
        return Path.of(jars);
    }

    private ExitCode jar() {
        List<Path> parts = AssembledJar.own(System.getProperty("java.class.path"), sparkJars());
        AssembledJar.write(parts, output);
        long megabytes = output.toFile().length() >> 20;
        people().println("Tutti is in " + output + ", " + megabytes + " MB; for instance:");
        people().println("  spark-submit --master yarn " + output + " train job.yaml --cluster '{type: spark}'");
        answer(Map.of("jar", output.toString(), "megabytes", megabytes, "parts", parts.size()));
        return ExitCode.FINE;
    }

    private ExitCode example() {
        Map<String, Double> numbers = DigitsExample.run(master, epochs);
        people().printf(
                        Locale.ROOT,
                        "Of 10,000 test images %.2f%% are recognised, after %s and %.0f s.%n",
                        100 * numbers.get("accuracy"),
                        counted(epochs, "epoch"),
                        numbers.get("fit_seconds"));
        answer(numbers);
        return ExitCode.FINE;
    }

    private ExitCode measure() {
        Map<String, Double> numbers = SparkMeasurement.of(String.valueOf(measured));
        people().println(numbers);
        answer(numbers);
        return ExitCode.FINE;
    }

    private ExitCode stop() {
        boolean ran = StandaloneCluster.stop(folder);
        people().println(ran ? "Spark is stopped." : "No cluster runs that " + folder + " tells of.");
        answer(Map.of("stopped", ran));
        return ExitCode.FINE;
    }

    private ExitCode status() {
        Optional<StandaloneCluster> cluster = StandaloneCluster.in(folder);
        people().println(cluster.map(running -> "Spark runs at " + running.master() + " with "
                        + counted(
                                running.processes().stream()
                                                .filter(StandaloneCluster.Daemon::isAlive)
                                                .count()
                                        - 1,
                                "worker")
                        + ".")
                .orElse("No cluster runs that " + folder + " tells of."));
        answer(cluster.<Object>map(SparkCommand::answerOf).orElse(Map.of("running", false)));
        return ExitCode.FINE;
    }

    private static Map<String, Object> answerOf(StandaloneCluster cluster) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("running", true);
        answer.put("master", cluster.master());
        answer.put("processes", cluster.processes());
        return answer;
    }
}
