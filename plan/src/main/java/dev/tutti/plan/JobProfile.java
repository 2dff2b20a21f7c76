package dev.tutti.plan;

import java.util.List;
import java.util.OptionalLong;

/**
 * A job's real step, measured on one node.
 *
 * @param name of the job
 * @param workers threads of a member that compute
 * @param batch rows of a batch of all members together
 * @param rows of the training data; empty where they are not known
 * @param parameters elements of the model
 * @param elementBytes bytes of one
 * @param stateVectors numbers that the optimizer keeps for each parameter
 * @param hasMetrics whether members exchange metrics at every step
 * @param compute forward and backward pass of a member, by rows
 * @param updateSeconds moving all parameters
 * @param feedSecondsPerRow reading a row and making it ready
 * @param layers in the order of the model; their shares of computing sum up to 1
 * @param checkpointSeconds writing a checkpoint
 * @param wire what software adds to messages
 */
public record JobProfile(
        String name,
        int workers,
        int batch,
        OptionalLong rows,
        int epochs,
        long parameters,
        int elementBytes,
        int stateVectors,
        boolean hasMetrics,
        RowCurve compute,
        double updateSeconds,
        double feedSecondsPerRow,
        List<LayerProfile> layers,
        double checkpointSeconds,
        WireCosts wire) {
    public JobProfile {
        layers = List.copyOf(layers);
    }

    /** The same with batches of another size. */
    public JobProfile batch(int rowsPerBatch) {
        return new JobProfile(
                name,
                workers,
                rowsPerBatch,
                rows,
                epochs,
                parameters,
                elementBytes,
                stateVectors,
                hasMetrics,
                compute,
                updateSeconds,
                feedSecondsPerRow,
                layers,
                checkpointSeconds,
                wire);
    }

    /** The same on nodes that compute so many times as slowly. */
    public JobProfile slower(double times) {
        return new JobProfile(
                name,
                workers,
                batch,
                rows,
                epochs,
                parameters,
                elementBytes,
                stateVectors,
                hasMetrics,
                compute.slower(times),
                updateSeconds * times,
                feedSecondsPerRow * times,
                layers,
                checkpointSeconds,
                wire);
    }

    /** Bytes of the parameters, and of the gradients. */
    public long vectorBytes() {
        return parameters * elementBytes;
    }

    /** Bytes of the activations of a row, with the gradients that flow back through them. */
    public long activationBytes() {
        return 2 * layers.stream().mapToLong(LayerProfile::outputBytes).sum();
    }

    /** Batches in all epochs; empty where the number of rows is not known. */
    public OptionalLong steps() {
        return rows.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(epochs * ((rows.getAsLong() + batch - 1) / batch));
    }
}
