package dev.tutti.cluster.launch;

import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.train.WorkerTask;

/**
 * What a worker's JVM is told over its standard input, as one line of JSON: nobody else can read it there, as they could in its
 * arguments or its environment.
 *
 * @param coordinator where the others meet
 * @param token the secret of the job
 * @param wish the name it should have, such as {@code worker-2}
 * @param workers replicas on threads of it
 * @param work what to do
 */
record WorkerInvitation(String coordinator, int port, String token, String wish, int workers, WorkerTask work) {
    static WorkerInvitation of(CoordinatorAddress address, String wish, int workers, WorkerTask work) {
        return new WorkerInvitation(address.host(), address.port(), address.token(), wish, workers, work);
    }

    CoordinatorAddress address() {
        return new CoordinatorAddress(coordinator, port, token);
    }
}
