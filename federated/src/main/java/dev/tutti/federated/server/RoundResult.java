package dev.tutti.federated.server;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.train.Evaluation;
import java.util.Map;

/**
 * What came of a round.
 *
 * @param round its number, from 1
 * @param asked clients that were asked
 * @param answers answers that counted
 * @param verdicts how many answers met which fate
 * @param samples rows learned from, of all clients
 * @param loss mean training loss at the clients, by samples
 * @param seconds how long it took
 * @param evaluation how good the model is on the server's data; null where there is none
 * @param clients how good it is on the clients' own data; null where that was not asked
 * @param epsilon privacy spent so far; null where it is not accounted for
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RoundResult(
        int round,
        int asked,
        int answers,
        Map<String, Integer> verdicts,
        long samples,
        double loss,
        double seconds,
        Evaluation evaluation,
        Evaluation clients,
        Double epsilon) {
    /** The same with what the server measured. */
    public RoundResult evaluated(Evaluation onServer) {
        return new RoundResult(round, asked, answers, verdicts, samples, loss, seconds, onServer, clients, epsilon);
    }

    /** The same with what the clients measured. */
    public RoundResult evaluatedByClients(Evaluation onClients) {
        return new RoundResult(round, asked, answers, verdicts, samples, loss, seconds, evaluation, onClients, epsilon);
    }
}
