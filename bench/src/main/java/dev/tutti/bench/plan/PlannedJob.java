package dev.tutti.bench.plan;

import dev.tutti.data.Mnist;
import dev.tutti.json.Json;
import dev.tutti.train.job.JobFile;

/** The job that is predicted and measured: a small CNN on the first rows of MNIST, by members of one worker. */
final class PlannedJob {
    static final int BATCH = 128;

    /** The first epochs find the shares of members and compile; the last ones are measured. */
    static final int EPOCHS = 4;

    private PlannedJob() {}

    static JobFile file(int batches) {
        String rows = Json.write(Mnist.train().take((long) batches * BATCH)).replace("\n", " ");
        return JobFile.of(
                """
                name: planned
                data: {train: %s}
                model:
                  type: sequential
                  layers:
                    - {type: conv2d, filters: 16, kernel: 3, padding: 1, activation: relu}
                    - {type: maxPool2d, size: 2}
                    - {type: conv2d, filters: 32, kernel: 3, padding: 1, activation: relu}
                    - {type: maxPool2d, size: 2}
                    - flatten
                    - {type: dense, units: 256, activation: relu}
                    - {type: dense, units: 10}
                loss: softmaxCrossEntropy
                optimizer: {type: adam, learningRate: 0.001}
                metrics: [accuracy]
                batch: %d
                epochs: %d
                seed: 7
                cores: 1
                output: %s
                """.formatted(rows, BATCH, EPOCHS, "target/bench-plan"), "the job of the benchmark", "planned");
    }
}
