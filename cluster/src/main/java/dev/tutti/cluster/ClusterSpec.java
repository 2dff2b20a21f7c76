package dev.tutti.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.cluster.coordinator.Rules;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.Newcomer;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.cluster.rpc.Tls;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The members of a job that are started by hand, on one machine or several, and which of them this is. Written as JSON, in a file
 * or in the environment variable {@value #VARIABLE}:
 *
 * <pre>{@code
 * {"cluster": {"worker": ["node-1:7070", "node-2"]}, "task": {"type": "worker", "index": 0},
 *  "token": "...", "plain": true}
 * }</pre>
 *
 * <p>The first worker runs the coordinator, on the port given with its address; with a role {@code coordinator} in the cluster a
 * process of its own does ({@code ./tutti coordinator}).
 *
 * @param cluster addresses by role
 * @param task which of them this is
 * @param token the secret of the job, the same for all
 * @param threads workers on threads of this member's JVM; 1 unless it is said
 * @param min the least number of workers that go on; 1 unless it is said
 * @param max the most that are let in: the number of workers unless it is said
 * @param certificate PEM file the coordinator shows, or a member where mutual TLS is wanted
 * @param key its private key
 * @param trust PEM file of those who are believed
 * @param plain whether other machines may be spoken to without TLS, in a network that is trusted
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClusterSpec(
        Map<String, List<String>> cluster,
        Task task,
        String token,
        Integer threads,
        Integer min,
        Integer max,
        String certificate,
        String key,
        String trust,
        Boolean plain) {
    /** Where a spec is looked for. */
    public static final String VARIABLE = "TUTTI_CONFIG";

    public static final String COORDINATOR = "coordinator";
    public static final String WORKER = "worker";

    /** The role of a process and its place among those of the same role. */
    public record Task(String type, int index) {}

    public ClusterSpec {
        require(cluster != null && task != null, "expected 'cluster' with addresses by role, and 'task'");
        require(cluster.get(WORKER) != null && !cluster.get(WORKER).isEmpty(), "cluster: expected at least one worker");
        require(token != null, "expected a 'token', the secret that all members of the job know");
        List<String> peers = cluster.get(task.type());
        require(
                peers != null,
                "task: there is no role '" + task.type() + "' in the cluster, which has " + cluster.keySet());
        require(
                task.index() >= 0,
                "task: expected an index of 0 or more among the role's addresses, received " + task.index());
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new ConfigException("cluster spec: " + message);
        }
    }

    /** Reads a spec; {@code where} names the text in error messages. */
    public static ClusterSpec parse(String text, String where) {
        return Json.read(text, ClusterSpec.class, where);
    }

    /** The spec of the environment. */
    public static ClusterSpec fromEnvironment() {
        String text = System.getenv(VARIABLE);
        require(
                text != null,
                "the environment variable " + VARIABLE
                        + " is not set: expected JSON with 'cluster', 'task' and 'token'");
        return parse(text, VARIABLE);
    }

    /** Whether this process has to run the coordinator. */
    boolean runsCoordinator() {
        return cluster.containsKey(COORDINATOR)
                ? task.type().equals(COORDINATOR)
                : task.type().equals(WORKER) && task.index() == 0;
    }

    /** Where the coordinator is. */
    public CoordinatorAddress coordinator() {
        String address = cluster.containsKey(COORDINATOR)
                ? cluster.get(COORDINATOR).get(0)
                : cluster.get(WORKER).get(0);
        int colon = address.lastIndexOf(':');
        require(colon > 0, "the coordinator's address needs a port, such as node-1:7070, received '" + address + "'");
        try {
            return new CoordinatorAddress(
                    address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)), token, tls());
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    "cluster spec: expected host:port with a port from 1 to 65535, received '" + address + "'", e);
        }
    }

    private Tls tls() {
        return certificate == null && trust == null ? null : new Tls(path(certificate), path(key), path(trust));
    }

    private static Path path(String file) {
        return file == null ? null : Path.of(file);
    }

    /** How the coordinator is run, where this process runs it. */
    public ServerSettings server() {
        CoordinatorAddress address = coordinator();
        int workers = cluster.get(WORKER).size();
        Rules rules = Rules.of(workers).between(min == null ? 1 : min, max == null ? workers : max);
        return ServerSettings.of(rules)
                .listen(address.host(), address.port())
                .token(token)
                .tls(certificate == null ? null : tls())
                .plainToOthers(Boolean.TRUE.equals(plain));
    }

    /** This worker, as it introduces itself. */
    Newcomer newcomer() {
        require(task.type().equals(WORKER), "expected a task of type worker, received " + task.type());
        return Newcomer.worker(WORKER + "-" + task.index());
    }

    /** Workers of all members, if all have as many threads as this one. */
    int allWorkers() {
        return cluster.get(WORKER).size() * workers();
    }

    int workers() {
        return threads == null ? 1 : threads;
    }
}
