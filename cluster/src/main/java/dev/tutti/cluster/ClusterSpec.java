package dev.tutti.cluster;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.RoleRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members of a job that are started by hand, on one machine or several, and which of them this is. Written as JSON, in a file
 * or in the environment variable {@value #VARIABLE}:
 *
 * <pre>{@code
 * {"cluster": {"worker": ["node-1:7070", "node-2"]}, "task": {"type": "worker", "index": 0},
 *  "token": "...", "plain": true}
 * }</pre>
 *
 * <p>The first worker runs the coordinator, on the port given with its address, and its spec says by which rules; with a role {@code
 * coordinator} in the cluster a process of its own does both ({@code ./tutti coordinator}).
 *
 * @param cluster addresses by role: {@code worker}, {@code coordinator}, and any others whose members have a {@link
 *     dev.tutti.comm.RoleProgram}
 * @param task which of them this is
 * @param token the secret of the job, the same for all
 * @param workersPerProcess workers on threads of this member's JVM; 1 unless it is said
 * @param min the least number of workers that go on; 1 unless it is said
 * @param max the most that are let in: the number of workers unless it is said
 * @param certificate PEM file the coordinator shows, or a member where mutual TLS is wanted
 * @param key its private key
 * @param trust PEM file of those who are believed
 * @param plain whether other machines may be spoken to without TLS, in a network that is trusted
 * @param ejectSlowerThan workers that take so many times as long as the others are sent away; never unless it is said
 * @param patience times of {@link Timeouts} that are other than usual, in milliseconds, by their names
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClusterSpec(
        Map<String, List<String>> cluster,
        Task task,
        String token,
        @JsonAlias("threads") Integer workersPerProcess,
        Integer min,
        Integer max,
        String certificate,
        String key,
        String trust,
        Boolean plain,
        Double ejectSlowerThan,
        Map<String, Long> patience) {
    /** Where a spec is looked for. */
    public static final String VARIABLE = "TUTTI_CONFIG";

    private static final Logger LOG = LoggerFactory.getLogger(ClusterSpec.class);
    private static final String NAMED = "cluster spec: ";

    public static final String COORDINATOR = "coordinator";
    public static final String WORKER = "worker";

    /** The role of a process and its place among those of the same role. */
    public record Task(String type, int index) {}

    public ClusterSpec {
        require(cluster != null && task != null, "expected 'cluster' with addresses by role, and 'task'");
        require(cluster.get(WORKER) != null && !cluster.get(WORKER).isEmpty(), "cluster: expected at least one worker");
        require(token != null, "expected a 'token', the secret that all members of the job know");
        for (Map.Entry<String, List<String>> role : cluster.entrySet()) {
            List<String> addresses = role.getValue();
            require(
                    addresses != null
                            && !addresses.isEmpty()
                            && addresses.stream().allMatch(address -> address != null && !address.isBlank()),
                    "cluster: expected addresses for the role '" + role.getKey() + "', received " + addresses);
        }
        require(
                cluster.containsKey(task.type()),
                "task: there is no role '" + task.type() + "' in the cluster, which has " + cluster.keySet());
        require(
                !task.type().equals(COORDINATOR),
                "task: expected the type worker or another role, received coordinator: the coordinator of this cluster"
                        + " is run by ./tutti coordinator --folder FOLDER --expected "
                        + cluster.get(WORKER).size() + " --host HOST --port PORT, and the token is in its folder");
        require(
                task.index() >= 0,
                "task: expected an index of 0 or more among the role's addresses, received " + task.index());
        require(
                workersPerProcess == null || workersPerProcess >= 1,
                "workersPerProcess: expected at least 1, received " + workersPerProcess);
        require(
                (certificate == null) == (key == null),
                "a certificate and its key go together: expected 'certificate' and 'key', received only '"
                        + (key == null ? "certificate" : "key") + "'");
        rules(cluster, min, max, ejectSlowerThan, patience);
    }

    /** One that says no more than who there is, for members of a coordinator that runs already. */
    public static ClusterSpec of(Map<String, List<String>> cluster, Task task, String token) {
        return new ClusterSpec(cluster, task, token, null, null, null, null, null, null, null, null, null);
    }

    private static MembershipRules rules(
            Map<String, List<String>> cluster,
            Integer min,
            Integer max,
            Double ejectSlowerThan,
            Map<String, Long> patience) {
        int workers = cluster.get(WORKER).size();
        int least = min == null ? 1 : min;
        int most = max == null ? workers : max;
        require(most >= 1, "max: expected at least 1 worker, received " + most);
        require(
                least >= 1 && least <= most,
                "min: expected from 1 to " + most + ", the most workers there may be, received " + least);
        try {
            MembershipRules rules = MembershipRules.of(workers)
                    .between(least, most)
                    .ejectSlowerThan(ejectSlowerThan == null ? 0 : ejectSlowerThan)
                    .patience(Timeouts.DEFAULT.with(patience == null ? Map.of() : patience));
            for (Map.Entry<String, List<String>> role : cluster.entrySet()) {
                if (!role.getKey().equals(WORKER) && !role.getKey().equals(COORDINATOR)) {
                    rules = rules.role(
                            role.getKey(), RoleRules.growing(role.getValue().size()));
                }
            }
            return rules;
        } catch (ConfigException e) {
            throw new ConfigException(NAMED + e.getMessage(), e);
        }
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new ConfigException(NAMED + message);
        }
    }

    /** The same for another of its members. */
    public ClusterSpec task(String type, int index) {
        return new ClusterSpec(
                cluster,
                new Task(type, index),
                token,
                workersPerProcess,
                min,
                max,
                certificate,
                key,
                trust,
                plain,
                ejectSlowerThan,
                patience);
    }

    /** Reads a spec; {@code where} names the text in error messages. */
    public static ClusterSpec parse(String text, String where) {
        ClusterSpec spec = Json.read(text, ClusterSpec.class, where);
        if (text.contains("\"threads\"")) {
            LOG.warn(
                    "{}: 'threads' is called 'workersPerProcess' now; the former name works in this version only",
                    where);
        }
        return spec;
    }

    /** The spec of the environment: that of {@value #VARIABLE}, or else TensorFlow's {@code TF_CONFIG}. */
    public static ClusterSpec fromEnvironment() {
        String text = System.getenv(VARIABLE);
        if (text == null && System.getenv(TfConfig.VARIABLE) != null) {
            return TfConfig.parse(
                    System.getenv(TfConfig.VARIABLE), System.getenv(), Path.of(System.getProperty("user.home")));
        }
        require(
                text != null,
                "the environment variable " + VARIABLE
                        + " is not set: expected JSON with 'cluster', 'task' and 'token'");
        return parse(text, VARIABLE);
    }

    /** Whether the environment says who the members are. */
    public static boolean isInEnvironment() {
        return System.getenv(VARIABLE) != null || System.getenv(TfConfig.VARIABLE) != null;
    }

    /** Whether this process has to run the coordinator. */
    boolean runsCoordinator() {
        return !cluster.containsKey(COORDINATOR) && task.type().equals(WORKER) && task.index() == 0;
    }

    /** The worker that runs the coordinator, where it is another than this one. */
    Optional<String> coordinatorWorker() {
        return cluster.containsKey(COORDINATOR) || task.index() == 0 ? Optional.empty() : Optional.of(WORKER + "-0");
    }

    /** Where the coordinator is. */
    public CoordinatorAddress coordinator() {
        List<String> addresses =
                cluster.getOrDefault(COORDINATOR, cluster.get(WORKER).subList(0, 1));
        return new CoordinatorAddress(addresses.stream().map(ClusterSpec::place).toList(), token, tls());
    }

    private static CoordinatorAddress.Endpoint place(String address) {
        int colon = address.lastIndexOf(':');
        require(colon > 0, "the coordinator's address needs a port, such as node-1:7070, received '" + address + "'");
        return new CoordinatorAddress.Endpoint(address.substring(0, colon), port(address, colon));
    }

    private static int port(String address, int colon) {
        int port;
        try {
            port = Integer.parseInt(address.substring(colon + 1));
        } catch (NumberFormatException e) {
            port = 0;
        }
        require(
                port >= 1 && port <= 65_535,
                "expected host:port with a port from 1 to 65535, received '" + address + "'");
        return port;
    }

    private TlsFiles tls() {
        return certificate == null && trust == null ? null : new TlsFiles(path(certificate), path(key), path(trust));
    }

    private static Path path(String file) {
        return file == null ? null : Path.of(file);
    }

    /** How the coordinator is run, where this process runs it. */
    public ServerSettings server() {
        CoordinatorAddress address = coordinator();
        requireReachable(address);
        MembershipRules rules = rules(cluster, min, max, ejectSlowerThan, patience);
        return ServerSettings.of(rules)
                .listen(address.host(), address.port())
                .token(token)
                .tls(certificate == null ? null : tls())
                .plainToOthers(Boolean.TRUE.equals(plain));
    }

    /** A machine's own name is often a loopback address to itself: a member that listened there could not be reached by others. */
    private void requireReachable(CoordinatorAddress address) {
        HostName own = new HostName(address.host());
        if (!own.isLoopback()) {
            return;
        }
        List<HostName> others = cluster.get(WORKER).stream()
                .map(HostName::of)
                .filter(host -> !host.equals(own) && !host.isHere())
                .toList();
        require(
                others.isEmpty(),
                "the coordinator would listen on " + own.inWords() + ", where " + others
                        + " cannot reach it: expected an address of this machine in their network. Write that in place"
                        + " of "
                        + own + " for all members, or have /etc/hosts give it to " + own);
    }

    /** This member, as it introduces itself. */
    JoinRequest newcomer() {
        return JoinRequest.of(task.type(), task.type() + "-" + task.index());
    }

    /** Workers of all members, if all have as many in a process as this one. */
    int allWorkers() {
        return cluster.get(WORKER).size() * workers();
    }

    int workers() {
        return workersPerProcess == null ? 1 : workersPerProcess;
    }
}
