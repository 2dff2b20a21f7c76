package dev.tutti.spark.submit;

import dev.tutti.spark.launch.DriverOptions;
import dev.tutti.spark.launch.SessionSettings;
import dev.tutti.train.TrainingException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The command line of spark-submit for a program of the {@linkplain AssembledJar assembled jar}.
 *
 * @param master such as {@code yarn}, {@code k8s://https://host:6443} or {@code spark://host:7077}
 * @param deployMode where the driver runs: {@code client}, here, or {@code cluster}
 * @param name of the application, for Spark's pages
 * @param conf settings of Spark that go before those Tutti chooses
 * @param files files that the driver finds in its working folder, for {@code cluster}
 * @param arguments of the program
 */
public record SubmitCommand(
        String master,
        String deployMode,
        String name,
        Map<String, String> conf,
        List<Path> files,
        Path jar,
        List<String> arguments) {
    private static final String MAIN_CLASS = "dev.tutti.app.Main";

    public SubmitCommand {
        if (!deployMode.equals("client") && !deployMode.equals("cluster")) {
            throw new TrainingException("deploy mode: expected client or cluster, received " + deployMode);
        }
    }

    /**
     * The whole command: with the spark-submit of {@code SPARK_HOME}, else the one on the path, else that of the build's own jars.
     *
     * @param environment of this process
     * @param sparkJars the folder of the build's jars of Spark
     * @throws TrainingException if none of them knows the master
     */
    public List<String> command(Map<String, String> environment, Path sparkJars) {
        Optional<Path> script = script(environment);
        List<String> command = new ArrayList<>();
        if (script.isPresent()) {
            command.add(script.get().toString());
            command.addAll(options());
            command.addAll(List.of("--driver-java-options", String.join(" ", driverOptions())));
        } else {
            requireSupport(sparkJars);
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.add("-XX:+IgnoreUnrecognizedVMOptions");
            command.addAll(DriverOptions.OPENS);
            command.addAll(driverOptions());
            command.addAll(List.of("-cp", sparkJars + "/*", "org.apache.spark.deploy.SparkSubmit"));
            command.addAll(options());
        }
        command.add(jar.toString());
        command.addAll(arguments);
        return command;
    }

    private List<String> options() {
        List<String> options = new ArrayList<>(
                List.of("--master", master, "--deploy-mode", deployMode, "--name", name, "--class", MAIN_CLASS));
        if (!files.isEmpty()) {
            options.add("--files");
            options.add(String.join(",", files.stream().map(Path::toString).toList()));
        }
        Map<String, String> settings = new LinkedHashMap<>(SessionSettings.ofAnyMaster());
        settings.put("spark.executor.extraJavaOptions", SessionSettings.executorOptions());
        settings.putAll(SessionSettings.executorEnvironment());
        settings.putAll(conf);
        settings.forEach((key, value) -> options.addAll(List.of("--conf", key + "=" + value)));
        return options;
    }

    /** A driver on another machine has folders of its own. */
    private List<String> driverOptions() {
        List<String> options = new ArrayList<>(
                List.of("-Dorg.bytedeco.javacpp.maxPhysicalBytes=0", "-Dorg.bytedeco.javacpp.maxBytes=0"));
        for (String property : new String[] {"tutti.home", "tutti.datasets"}) {
            String value = System.getProperty(property);
            if (value != null && deployMode.equals("client") && !value.contains(" ")) {
                options.add("-D" + property + "=" + value);
            }
        }
        return options;
    }

    private static Optional<Path> script(Map<String, String> environment) {
        Stream<Path> home = Stream.ofNullable(environment.get("SPARK_HOME")).map(folder -> Path.of(folder, "bin"));
        Stream<Path> path = Arrays.stream(environment.getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(Path::of);
        return Stream.concat(home, path)
                .map(folder -> folder.resolve("spark-submit"))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    /** The build has Spark's standalone clusters alone. */
    private void requireSupport(Path sparkJars) {
        String module =
                master.startsWith("yarn") ? "spark-yarn_" : master.startsWith("k8s:") ? "spark-kubernetes_" : "";
        String[] jars = sparkJars.toFile().list();
        if (jars == null || Arrays.stream(jars).noneMatch(jar -> jar.startsWith("spark-core_"))) {
            throw new TrainingException("there are no jars of Spark in " + sparkJars + ": set SPARK_HOME");
        }
        if (Arrays.stream(jars).noneMatch(jar -> jar.startsWith(module))) {
            throw new TrainingException(
                    "the master " + master + " needs an installed Spark with " + module
                            + "*.jar, which the build does not have: set SPARK_HOME to it, or put its spark-submit on the PATH");
        }
    }
}
