package dev.tutti.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A job that is done in a moment: a few rows of MNIST and a small model, its results in a folder of the test. */
public final class SmallJob {
    private SmallJob() {}

    public static String yaml(Path output) {
        return """
                data:
                  train: {source: mnist, stages: [{type: take, count: 512}]}
                  validation: {source: {type: mnist, part: test}, stages: [{type: take, count: 256}]}
                model:
                  type: sequential
                  layers: [flatten, {type: dense, units: 16, activation: relu}, {type: dropout, rate: 0.1}, {type: dense, units: 10}]
                loss: softmaxCrossEntropy
                optimizer: {type: adam, learningRate: 0.01, schedule: cosine}
                metrics: [accuracy]
                batch: 32
                epochs: 1
                seed: 3
                output: %s
                """.formatted(output);
    }

    /** Writes the job into a folder; its results go to {@code run} in the same folder. */
    public static Path write(Path folder) throws IOException {
        return Files.writeString(folder.resolve("job.yaml"), yaml(folder.resolve("run")));
    }
}
