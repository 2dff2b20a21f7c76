package dev.tutti.spark.launch;

import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.json.Json;
import dev.tutti.train.TrainingException;
import dev.tutti.train.WorkerTask;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.broadcast.Broadcast;

/**
 * What every task of a training is told. Spark brings it to the executors with the task, over its own connections: the token is in no
 * environment, argument or file.
 */
final class TaskInvitation implements Serializable {
    private static final long serialVersionUID = 1;

    private final String host;
    private final int port;
    private final String token;
    private final ArrayList<String> names;
    private final HashMap<String, String> definitions = new HashMap<>();
    private final String work;
    private final ArrayList<String> callbacks;
    private final String driverHost;
    private final Broadcast<StartFiles> start;
    private final TaskCounters counters;

    /**
     * @param names of the members, such as {@code worker-0}: servers first, since the others need them
     * @param callbacks the names of the driver's callbacks
     */
    TaskInvitation(
            CoordinatorAddress address,
            List<String> names,
            WorkerTask work,
            List<String> callbacks,
            String driverHost,
            Broadcast<StartFiles> start,
            TaskCounters counters) {
        this.host = address.host();
        this.port = address.port();
        this.token = address.token();
        this.names = new ArrayList<>(names);
        this.work = Json.write(work);
        this.callbacks = new ArrayList<>(callbacks);
        this.driverHost = driverHost;
        this.start = start;
        this.counters = counters;
        Json.registered().forEach((type, name) -> definitions.put(type.getName(), name));
    }

    CoordinatorAddress address() {
        return new CoordinatorAddress(host, port, token);
    }

    int members() {
        return names.size();
    }

    /** The name of a task's member; one that was started again has a name of its own. */
    String name(int task, int attempt) {
        return names.get(task) + (attempt == 0 ? "" : "." + attempt);
    }

    String role(int task) {
        String name = names.get(task);
        return name.substring(0, name.lastIndexOf('-'));
    }

    String settings() {
        return work;
    }

    List<String> callbacks() {
        return callbacks;
    }

    String driverHost() {
        return driverHost;
    }

    TaskCounters counters() {
        return counters;
    }

    StartFiles start() {
        return start.value();
    }

    /**
     * Registers the user's classes and reads the work.
     *
     * @throws TrainingException if a class is not on the executor's class path
     */
    WorkerTask assignment() {
        for (Map.Entry<String, String> each : definitions.entrySet()) {
            try {
                Json.register(
                        Class.forName(
                                each.getKey(), false, Thread.currentThread().getContextClassLoader()),
                        each.getValue());
            } catch (ClassNotFoundException | LinkageError e) {
                throw new TrainingException(
                        "the class " + each.getKey() + ", registered in the driver, is not on the executor's class"
                                + " path: give Spark its jar with --jars or spark.jars",
                        e);
            }
        }
        return Json.read(work, WorkerTask.class, "the work of this training");
    }
}
