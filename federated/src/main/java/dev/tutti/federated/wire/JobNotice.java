package dev.tutti.federated.wire;

import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.SharedParameters;
import java.util.List;

/**
 * What a client is told about a job before it agrees to anything.
 *
 * @param job the job without the server's data and folders
 * @param parameters the named arrays that travel, in the order of the vector
 */
public record JobNotice(FederatedJob job, List<TravellingArray> parameters) {
    /**
     * One named array.
     *
     * @param learned whether it is a parameter, otherwise a running statistic
     */
    public record TravellingArray(String name, List<Long> shape, boolean learned) {}

    public static JobNotice of(FederatedJob job, SharedParameters shared) {
        return new JobNotice(
                job.forClients(),
                shared.entries().stream()
                        .map(entry -> new TravellingArray(
                                entry.name(),
                                java.util.Arrays.stream(entry.shape().toArray())
                                        .boxed()
                                        .toList(),
                                entry.learned()))
                        .toList());
    }
}
