package dev.tutti.train.job;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.json.ConfigException;
import dev.tutti.nn.LowRankAdapter;

/** Adapters as a job names them: {@code lora: 8}, or {@code lora: {rank: 8, alpha: 16}}. */
@JsonInclude(JsonInclude.Include.NON_NULL)
final class JobLora {
    private int rank;
    private Double alpha;

    private JobLora() {}

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static JobLora of(int rank) {
        JobLora lora = new JobLora();
        lora.rank = rank;
        return lora;
    }

    /** Twice the rank counts as much as one matrix of full rank with the same learning rate would, by experience. */
    LowRankAdapter adapter() {
        if (rank < 1) {
            throw new ConfigException("lora: expected a rank of 1 or more, received " + rank);
        }
        return new LowRankAdapter(rank, alpha == null ? 2.0 * rank : alpha);
    }
}
