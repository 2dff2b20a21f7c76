package dev.tutti.federated.simulation;

import dev.tutti.federated.server.RoundResult;
import dev.tutti.train.Evaluation;
import java.util.List;
import java.util.Optional;

/**
 * What a simulation came to.
 *
 * @param rounds each round
 * @param ending why it ended
 * @param model the parameters at the end, as the shared vector
 * @param clients clients that were simulated
 * @param seconds how long the simulation took, on the clock of the wall
 * @param simulatedSeconds how long it would have taken with these clients
 */
public record SimulationResult(
        List<RoundResult> rounds, String ending, float[] model, int clients, double seconds, double simulatedSeconds) {
    /** How good the last model is on the server's data. */
    public Optional<Evaluation> last() {
        return rounds.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable(rounds.get(rounds.size() - 1).evaluation());
    }
}
