package dev.tutti.federated.client;

import dev.tutti.TuttiException;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.privacy.DifferentialPrivacy;
import dev.tutti.io.ModuleFiles;
import java.util.Set;

/**
 * What a client agrees to. Anything else is declined, with a reason that the server logs.
 *
 * @param jobs names of jobs; empty for any
 * @param maxEpochs passes over its data in a round; 20 by default
 * @param maxRounds rounds it takes part in; no limit by default
 * @param maxParameters size of a model; 100 million by default
 * @param secure whether only masked updates may leave
 * @param minNoise the least noise multiplier of differential privacy; 0 for none
 * @param maxEpsilon the highest budget of differential privacy; infinite for any
 */
public record ClientPolicy(
        Set<String> jobs,
        int maxEpochs,
        int maxRounds,
        long maxParameters,
        boolean secure,
        double minNoise,
        double maxEpsilon) {
    public static final ClientPolicy DEFAULT =
            new ClientPolicy(Set.of(), 20, Integer.MAX_VALUE, 100_000_000, false, 0, Double.POSITIVE_INFINITY);

    public ClientPolicy {
        jobs = Set.copyOf(jobs);
    }

    public ClientPolicy jobs(String... names) {
        return new ClientPolicy(Set.of(names), maxEpochs, maxRounds, maxParameters, secure, minNoise, maxEpsilon);
    }

    public ClientPolicy maxEpochs(int most) {
        return new ClientPolicy(jobs, most, maxRounds, maxParameters, secure, minNoise, maxEpsilon);
    }

    public ClientPolicy maxRounds(int most) {
        return new ClientPolicy(jobs, maxEpochs, most, maxParameters, secure, minNoise, maxEpsilon);
    }

    /** Demands that only masked updates leave. */
    public ClientPolicy requireSecure() {
        return new ClientPolicy(jobs, maxEpochs, maxRounds, maxParameters, true, minNoise, maxEpsilon);
    }

    /** Demands differential privacy with at least this noise and at most this budget. */
    public ClientPolicy requirePrivacy(double noise, double epsilon) {
        return new ClientPolicy(jobs, maxEpochs, maxRounds, maxParameters, secure, noise, epsilon);
    }

    /**
     * Checks a job before anything is built or trained.
     *
     * @throws TuttiException if the policy does not agree to it; it says to what
     */
    void check(FederatedJob job, Set<String> datasets, long parameters) {
        require(jobs.isEmpty() || jobs.contains(job.name()), "job '" + job.name() + "' is none of " + jobs);
        require(
                datasets.contains(job.dataset()) || datasets.contains(FederatedClient.ANY),
                "the data set '" + job.dataset() + "' is none that this client offers: " + datasets);
        require(job.epochs() <= maxEpochs, job.epochs() + " epochs in a round are more than " + maxEpochs);
        require(
                parameters <= maxParameters,
                "a model of " + parameters + " parameters is larger than " + maxParameters);
        require(ModuleFiles.of(job.model()).isEmpty(), "the model holds code, and a client takes data only");
        require(!secure || job.secure().isPresent(), "updates would leave without masks");
        boolean demanded = minNoise > 0 || maxEpsilon < Double.POSITIVE_INFINITY;
        boolean fits = job.privacy().map(this::fits).orElse(false);
        require(
                !demanded || fits,
                "differential privacy with noise of at least " + minNoise + " and an epsilon of at most " + maxEpsilon
                        + " is demanded");
    }

    private boolean fits(DifferentialPrivacy privacy) {
        return privacy.noise() >= minNoise
                && (maxEpsilon == Double.POSITIVE_INFINITY
                        || privacy.epsilon().orElse(Double.POSITIVE_INFINITY) <= maxEpsilon);
    }

    private static void require(boolean agreed, String problem) {
        if (!agreed) {
            throw new TuttiException("the client's policy does not agree: " + problem);
        }
    }
}
