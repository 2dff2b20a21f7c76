package dev.tutti.federated.aggregate;

import dev.tutti.federated.ClientUpdate;
import java.util.Map;
import java.util.Optional;

/**
 * Makes the next model of each round's updates, and remembers what it needs from round to round.
 *
 * <p>Order of calls, for each round: {@link #begin}, {@link #add} for each update, {@link #finish}; or {@link #begin} again, which
 * forgets the updates of a round that came to nothing. {@link #state} is read and written between rounds. Updates have the size of the
 * model and are finite: the caller has checked that.
 */
public interface Aggregator {
    /** Begins a round. */
    void begin(float[] model);

    /** Takes an update. Those that need sums only do not keep it. */
    void add(ClientUpdate update);

    /**
     * The next model, a new vector.
     *
     * @throws dev.tutti.TuttiException if there are too few updates
     */
    float[] finish();

    /** What is remembered from round to round, by name; the vectors themselves. */
    Map<String, float[]> state();

    /** Takes back what {@link #state} gave, also in another process. */
    void restore(Map<String, float[]> state);

    /** A vector that the clients are sent with the model: SCAFFOLD's control variate. */
    default Optional<float[]> control() {
        return Optional.empty();
    }
}
