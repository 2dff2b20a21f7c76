package dev.tutti.train.job;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.json.ConfigException;
import dev.tutti.loss.Loss;
import dev.tutti.train.transfer.DistilledLoss;
import java.nio.file.Path;

/** Distillation as a job names it: {@code distill: {from: models/earlier, share: 0.5, temperature: 2}}. */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
final class JobDistillation {
    private String from;
    private double share = 0.5;
    private double temperature = 2;

    private JobDistillation() {}

    /** The folder of the earlier model. */
    Path teacher() {
        if (from == null) {
            throw new ConfigException("distill: expected 'from', a saved model or the run that made it");
        }
        return RunFolder.modelAt(Path.of(from));
    }

    Loss loss(Loss plain) {
        return DistilledLoss.of(plain, share, temperature);
    }
}
