package dev.tutti.cluster.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.json.Json;
import dev.tutti.train.WorkerTask;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a worker's JVM is told over its standard input, as one line of JSON: other users cannot read it there, as they could in its
 * arguments or its environment.
 *
 * @param coordinator where the others meet
 * @param token the secret of the job
 * @param wish the name it should have, such as {@code worker-2}
 * @param workers replicas on threads of it
 * @param definitions the classes that the user has registered in the driver, with their names in files
 * @param work what to do; it is read by {@link #assignment} once the classes are registered here too
 */
record WorkerInvitation(
        String coordinator,
        int port,
        String token,
        String wish,
        int workers,
        Map<String, String> definitions,
        JsonNode work) {
    static WorkerInvitation of(CoordinatorAddress address, String wish, int workers, WorkerTask work) {
        Map<String, String> definitions = new TreeMap<>();
        Json.registered().forEach((type, name) -> definitions.put(type.getName(), name));
        return new WorkerInvitation(
                address.host(), address.port(), address.token(), wish, workers, definitions, Json.tree(work));
    }

    CoordinatorAddress address() {
        return new CoordinatorAddress(coordinator, port, token);
    }

    /**
     * Registers the user's classes and reads the work.
     *
     * @throws LaunchException if a class is not on this JVM's class path
     */
    WorkerTask assignment() {
        definitions.forEach((type, name) -> Json.register(load(type), name));
        return Json.convert(work, WorkerTask.class, "the work of " + wish);
    }

    private static Class<?> load(String type) {
        try {
            return Class.forName(type, false, Thread.currentThread().getContextClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            throw new LaunchException(
                    "the class " + type + ", registered in the driver, is not in the class path ("
                            + System.getProperty("java.class.path")
                            + "): a class of your own must be in the class path that the driver was started with",
                    e);
        }
    }
}
