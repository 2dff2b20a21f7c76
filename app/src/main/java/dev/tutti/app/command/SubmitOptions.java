package dev.tutti.app.command;

import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.json.Json;
import dev.tutti.spark.SparkCluster;
import dev.tutti.spark.launch.SessionSettings;
import dev.tutti.spark.submit.AssembledJar;
import dev.tutti.spark.submit.SubmitCommand;
import dev.tutti.train.job.Job;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** Training on a Spark cluster of other machines, which spark-submit starts: the driver runs in a process of its own. */
public final class SubmitOptions {
    private static final Set<String> WITH_VALUE = Set.of("--on", "--conf", "--deploy-mode", "--cluster");
    private static final String PRINT = "--print-command";

    @Option(
            names = "--deploy-mode",
            paramLabel = "MODE",
            description = "Where the driver of a cluster of other machines runs: client, which is here, or cluster.")
    private String deployMode = "client";

    @Option(names = PRINT, description = "Print the command line of spark-submit for such a cluster and end.")
    private boolean print;

    /** Whether a job trains on machines that get Tutti by spark-submit. */
    boolean concern(Job job) {
        if (job.cluster() instanceof SparkCluster named) {
            named.validate(); // before a jar is written for it
        }
        boolean elsewhere = job.cluster() instanceof SparkCluster spark
                && !spark.master().isEmpty()
                && !SessionSettings.isHere(spark.master());
        if (print && !elsewhere) {
            throw new UsageException(PRINT + ": expected --on with a cluster of other machines, such as yarn");
        }
        return elsewhere;
    }

    boolean onlyPrints() {
        return print;
    }

    /**
     * The command that trains.
     *
     * @param job what is trained
     * @param name the job as the user has named it
     * @param args as they were given
     */
    List<String> command(Job job, String name, List<String> args) {
        String jars = System.getProperty("tutti.spark.jars");
        if (jars == null) {
            throw new UsageException("Spark's jars are not known: start this command by ./tutti");
        }
        SparkCluster cluster = (SparkCluster) job.cluster();
        boolean there = deployMode.equals("cluster");
        Path file = Path.of(name);
        boolean isFile = Files.isRegularFile(file);
        List<String> rest = withoutPlace(args);
        if (there && isFile) {
            rest.replaceAll(word -> word.equals(name) ? file.getFileName().toString() : word);
        }
        rest.addAll(List.of("--cluster", Json.tree(cluster.submitted()).toString()));
        return new SubmitCommand(
                        cluster.master(),
                        deployMode,
                        job.name(),
                        cluster.conf(),
                        there && isFile ? List.of(file.toAbsolutePath()) : List.of(),
                        print ? AssembledJar.placeBeside(Path.of(jars)) : AssembledJar.ofThisProgram(Path.of(jars)),
                        rest)
                .command(System.getenv(), Path.of(jars));
    }

    private static List<String> withoutPlace(List<String> args) {
        List<String> rest = new ArrayList<>();
        for (int i = 0; i < args.size(); i++) {
            String word = args.get(i);
            if (WITH_VALUE.contains(word)) {
                i++;
            } else if (!word.equals(PRINT) && !WITH_VALUE.contains(word.replaceFirst("=.*", ""))) {
                rest.add(word);
            }
        }
        return rest;
    }

    /** Runs a command with this process's streams, and ends as it does. */
    static ExitCode run(List<String> command) {
        try {
            int number = new ProcessBuilder(command).inheritIO().start().waitFor();
            return Arrays.stream(ExitCode.values())
                    .filter(code -> code.number() == number)
                    .findFirst()
                    .orElse(ExitCode.FAULT); // a code of Spark's own
        } catch (IOException e) {
            throw new UsageException(command.get(0) + " cannot be started: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERRUPTED;
        }
    }
}
