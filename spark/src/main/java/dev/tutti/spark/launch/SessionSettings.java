package dev.tutti.spark.launch;

import dev.tutti.spark.SparkCluster;
import dev.tutti.train.TrainingException;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;

/**
 * The settings of a session that Tutti opens. Executors get the class path of the driver, but for its logging, where they run on this
 * machine.
 *
 * @param conf of Spark, by names
 */
public record SessionSettings(Map<String, String> conf) {
    private static final String STANDALONE = "spark://";
    private static final int ANSWER_MILLIS = 5_000;

    /** For a cluster: what its master needs, then what the user has set. */
    static SessionSettings of(SparkCluster settings) {
        Map<String, String> conf = new LinkedHashMap<>();
        if (!settings.master().isEmpty()) {
            conf.putAll(ofMaster(settings.master()));
        }
        conf.putAll(settings.conf());
        return new SessionSettings(conf);
    }

    /** For a master. */
    public static Map<String, String> ofMaster(String master) {
        Map<String, String> conf = new LinkedHashMap<>();
        conf.put("spark.master", master);
        conf.put("spark.app.name", "tutti");
        conf.putAll(ofAnyMaster());
        if (isHere(master)) {
            conf.put("spark.driver.host", "127.0.0.1");
            conf.put("spark.driver.bindAddress", "127.0.0.1");
            conf.put("spark.ui.enabled", System.getProperty("spark.ui.enabled", "false"));
            conf.put("spark.executor.extraClassPath", executorClassPath());
            conf.put("spark.executor.extraJavaOptions", executorOptions());
            conf.putAll(executorEnvironment());
        }
        if (master.startsWith("local-cluster")) {
            conf.put("spark.executorEnv.SPARK_SCALA_VERSION", "2.13");
            conf.put("spark.executorEnv.SPARK_SQL_TESTING", "1"); // there is no SPARK_HOME, and none is needed
        }
        return conf;
    }

    /** What suits a training on every master. */
    public static Map<String, String> ofAnyMaster() {
        Map<String, String> conf = new LinkedHashMap<>();
        conf.put("spark.ui.showConsoleProgress", "false");
        // Members join as their tasks start; a member that is lost again and again ends the job.
        conf.put("spark.task.maxFailures", "8");
        conf.put("spark.scheduler.minRegisteredResourcesRatio", "1.0");
        conf.put("spark.scheduler.maxRegisteredResourcesWaitingTime", "15s");
        return conf;
    }

    /** What executors should have in their environment of this process's own: the allocator's settings, where datasets are. */
    public static Map<String, String> executorEnvironment() {
        Map<String, String> conf = new LinkedHashMap<>();
        for (String name : new String[] {
            "TUTTI_DATASETS",
            "MALLOC_ARENA_MAX",
            "MALLOC_MMAP_THRESHOLD_",
            "MALLOC_TRIM_THRESHOLD_",
            "MALLOC_TOP_PAD_",
            "GLIBC_TUNABLES",
            "GOMP_SPINCOUNT"
        }) {
            if (System.getenv(name) != null) {
                conf.put("spark.executorEnv." + name, System.getenv(name));
            }
        }
        return conf;
    }

    /** Whether the executors of a master run on this machine, with the jars that the driver has. */
    public static boolean isHere(String master) {
        return master.startsWith("local") || master.matches("spark://(127\\.|localhost).*");
    }

    /** All of this JVM's class path but what belongs to the command: its logging, its web server. */
    private static String executorClassPath() {
        List<String> entries = Arrays.stream(
                        System.getProperty("java.class.path").split(File.pathSeparator))
                .flatMap(SessionSettings::expanded)
                .filter(entry -> !entry.matches(".*/(logback-|armeria|tutti\\.jar).*"))
                .toList();
        return Stream.concat(entries.stream(), logging(entries)).collect(Collectors.joining(File.pathSeparator));
    }

    /** Spark's own logging, which lies beside its jars and not on the command's class path. */
    private static Stream<String> logging(List<String> entries) {
        return entries.stream()
                .filter(entry -> entry.matches(".*/spark-core_[^/]*\\.jar"))
                .map(core ->
                        new File(core).getParentFile().listFiles((folder, name) -> name.startsWith("log4j-slf4j2")))
                .filter(Objects::nonNull)
                .flatMap(Arrays::stream)
                .map(File::getAbsolutePath)
                .filter(file -> !entries.contains(file));
    }

    private static Stream<String> expanded(String entry) {
        return entry.isEmpty() ? Stream.empty() : Stream.of(new File(entry).getAbsolutePath());
    }

    /** Options of the JVMs of executors. */
    public static String executorOptions() {
        StringBuilder options = new StringBuilder(
                "-Dorg.bytedeco.javacpp.maxPhysicalBytes=0 -Dorg.bytedeco.javacpp.maxBytes=0 -XX:+UseParallelGC");
        String datasets = System.getProperty("tutti.datasets");
        if (datasets != null) {
            options.append(" -Dtutti.datasets=").append(datasets);
        }
        return options.toString();
    }

    /**
     * Opens a session, or gives the one that runs.
     *
     * @throws TrainingException if there is no such master, or Spark refuses the settings
     */
    public SparkSession open() {
        String master = conf.getOrDefault("spark.master", "");
        if (master.startsWith(STANDALONE)) {
            requireAnswer(master);
        }
        SparkSession.Builder builder = SparkSession.builder();
        conf.forEach(builder::config);
        try {
            return builder.getOrCreate();
        } catch (Exception e) { // Spark throws checked exceptions that its signatures do not name
            String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new TrainingException(
                    "no session of Spark could be opened" + (master.isEmpty() ? "" : " on " + master) + ": " + why, e);
        }
    }

    /** Spark itself would try a missing master for a minute, with a page of messages. */
    private static void requireAnswer(String master) {
        String why = "";
        for (String address : master.substring(STANDALONE.length()).split(",")) {
            int colon = address.lastIndexOf(':');
            try (Socket socket = new Socket()) {
                socket.connect(
                        new InetSocketAddress(
                                address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
                        ANSWER_MILLIS);
                return;
            } catch (IOException | RuntimeException e) {
                why = e.getMessage();
            }
        }
        throw new TrainingException("no master of Spark answers at " + master + " (" + why
                + "): expected the address that ./tutti spark status or the page of your cluster shows");
    }
}
