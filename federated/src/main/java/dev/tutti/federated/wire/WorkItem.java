package dev.tutti.federated.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;

/**
 * What a client is to do next.
 *
 * @param kind one of the constants below
 * @param round the round it belongs to
 * @param seconds how long the answer is waited for
 * @param rateFactor what the learning rate is multiplied by in this round
 * @param clip the greatest length of an update; null for any
 * @param noise standard deviation of the noise that the client adds to each value; null for none
 * @param secure what a phase of secure aggregation needs: keys or shares by client; null otherwise
 * @param threshold how many clients must stay to the end of secure aggregation; null otherwise
 * @param reason why the run has ended; null otherwise
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record WorkItem(
        String kind,
        int round,
        double seconds,
        Double rateFactor,
        Double clip,
        Double noise,
        Map<String, String> secure,
        Integer threshold,
        String reason) {
    /** Nothing now: ask again. */
    public static final String WAIT = "wait";

    /** Fetch the model, train, send the update. */
    public static final String TRAIN = "train";

    /** Fetch the model, evaluate it, send the sums. */
    public static final String EVALUATE = "evaluate";

    /** Send public keys for secure aggregation. */
    public static final String KEYS = "keys";

    /** Send encrypted shares of secrets for the clients whose keys are given. */
    public static final String SHARES = "shares";

    /** Train and send the masked update; shares from the other clients are given. */
    public static final String MASKED = "masked";

    /** Send the shares that unmask the sum, of those who stayed and those who dropped out. */
    public static final String UNMASK = "unmask";

    /** The run has ended. */
    public static final String FINISHED = "finished";

    public static WorkItem of(String kind, int round, double seconds) {
        return new WorkItem(kind, round, seconds, null, null, null, null, null, null);
    }

    public static WorkItem train(int round, double seconds, double rateFactor, Double clip, Double noise) {
        return new WorkItem(TRAIN, round, seconds, rateFactor, clip, noise, null, null, null);
    }

    public static WorkItem finished(int round, String reason) {
        return new WorkItem(FINISHED, round, 0, null, null, null, null, null, reason);
    }

    /** A phase of secure aggregation. */
    public static WorkItem secure(
            String kind,
            int round,
            double seconds,
            Map<String, String> secure,
            int threshold,
            Double rateFactor,
            Double clip,
            Double noise) {
        return new WorkItem(kind, round, seconds, rateFactor, clip, noise, secure, threshold, null);
    }
}
