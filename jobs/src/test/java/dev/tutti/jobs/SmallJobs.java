package dev.tutti.jobs;

/** Jobs that are done in moments: a few rows of MNIST and a small model. */
public final class SmallJobs {
    private SmallJobs() {}

    public static String yaml(int epochs) {
        return """
                name: small
                data:
                  train: {source: mnist, stages: [{type: take, count: 2048}]}
                  validation: {source: {type: mnist, part: test}, stages: [{type: take, count: 256}]}
                model:
                  type: sequential
                  layers: [flatten, {type: dense, units: 32, activation: relu}, {type: dense, units: 10}]
                loss: softmaxCrossEntropy
                optimizer: {type: adam, learningRate: 0.003}
                metrics: [accuracy]
                batch: 32
                epochs: %d
                seed: 3
                """.formatted(epochs);
    }
}
