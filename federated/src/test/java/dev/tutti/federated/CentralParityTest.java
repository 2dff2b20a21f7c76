package dev.tutti.federated;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.federated.aggregate.FedAvg;
import dev.tutti.federated.simulation.Partitioner;
import dev.tutti.federated.simulation.Simulation;
import dev.tutti.loss.Loss;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizer;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** FedAvg with all clients, one local step and SGD is central training on all rows. */
class CentralParityTest {
    private static FederatedJob job(Layer model, Input input, Optimizer optimizer, Loss loss) {
        return FederatedJob.of("parity", model, List.of(input), optimizer, loss)
                .batch(0) // all rows of a client in one step
                .rounds(4)
                .aggregation(new FedAvg());
    }

    /** Small multiples of powers of two, so that no sum or product is rounded: what is equal is equal bit by bit. */
    @Test
    void isTheSameBitsWhereNothingIsRounded() {
        Random random = new Random(1);
        int rows = 8;
        float[] x = new float[rows * 3];
        float[] y = new float[rows];
        for (int i = 0; i < x.length; i++) {
            x[i] = random.nextInt(5) - 2;
        }
        for (int i = 0; i < y.length; i++) {
            y[i] = random.nextInt(5) - 2;
        }
        Dataset data = Dataset.of(NdArray.of(x, rows, 3), NdArray.of(y, rows, 1));
        FederatedJob job =
                job(Sequential.of(dense(1)), Input.of(3), sgd(0.25), mse()).rounds(2);
        float[] start = {1, -1, 0.5f, 0};
        float[] federated = start;
        float[] central = start;
        try (Model model = job.build();
                LocalTrainer trainer = new LocalTrainer(model, job.config(), List.of())) {
            for (int round = 1; round <= 2; round++) {
                var aggregator = new FedAvg().open(4, 0.25);
                aggregator.begin(federated);
                for (int client = 0; client < 4; client++) { // two rows each
                    aggregator.add(trainer.train(
                            "c" + client,
                            round,
                            federated,
                            Optional.empty(),
                            data.shard(client, 4),
                            job.local(round, "c" + client),
                            new ClientState()));
                }
                federated = aggregator.finish();
                ClientUpdate all = trainer.train(
                        "all", round, central, Optional.empty(), data, job.local(round, "all"), new ClientState());
                float[] next = central.clone();
                for (int i = 0; i < next.length; i++) {
                    next[i] += all.delta()[i];
                }
                central = next;
                assertThat(federated).containsExactly(central);
            }
            assertThat(federated).isNotEqualTo(start);
        }
    }

    @Test
    void isTheSameToRoundingOnARealNetwork() {
        Dataset data = digits(240, 20, 4);
        Layer layers = Sequential.of(dense(32).relu(), dense(4));
        FederatedJob job = job(layers, Input.of(20), sgd(0.5), softmaxCrossEntropy());
        float[] federated = Simulation.of(job, data, 7)
                .partition(Partitioner.parse("quantity:1"))
                .run()
                .model();
        try (Model model = job.build();
                Trainer trainer = Trainer.of(model, sgd(0.5), softmaxCrossEntropy())) {
            trainer.fit(data.batch(240), Fit.epochs(4));
            float[] central = SharedParameters.of(model, List.of()).read(model);
            for (int i = 0; i < central.length; i++) {
                assertThat(federated[i]).isCloseTo(central[i], within(2e-6f));
            }
            assertThat(central).isNotEqualTo(job.firstParameters());
        }
    }

    /** A client's training is that of a trainer on one worker, bit by bit. */
    @Test
    void localTrainingIsTrainerFit() {
        Dataset data = digits(96, 20, 4);
        FederatedJob job = FederatedJob.of(
                        "local",
                        Sequential.of(dense(16).relu(), dev.tutti.nn.Layers.dropout(0.3), dense(4)),
                        List.of(Input.of(20)),
                        dev.tutti.optim.Optimizers.adam(0.01),
                        softmaxCrossEntropy())
                .batch(10)
                .epochs(2);
        LocalSettings settings = new LocalSettings(2, 10, 1, 42, LocalRules.PLAIN);
        float[] start = job.firstParameters();
        float[] first;
        float[] again;
        try (Model model = job.build();
                LocalTrainer trainer = new LocalTrainer(model, job.config(), List.of())) {
            first = trainer.train("a", 1, start, Optional.empty(), data, settings, new ClientState())
                    .delta();
            again = trainer.train("a", 1, start, Optional.empty(), data, settings, new ClientState())
                    .delta();
        }
        assertThat(again).as("the optimizer begins anew for each client").containsExactly(first);
        try (Model model = job.build();
                Trainer trainer = Trainer.of(model, dev.tutti.optim.Optimizers.adam(0.01), softmaxCrossEntropy())
                        .seed(42)
                        .cores(1)) {
            trainer.fit(data.shuffle(42).batch(10), Fit.epochs(2));
            float[] trained = SharedParameters.of(model, List.of()).read(model);
            for (int i = 0; i < trained.length; i++) {
                assertThat(trained[i] - start[i]).isEqualTo(first[i]);
            }
        }
    }

    static Dataset digits(int rows, int features, int classes) {
        Random random = new Random(9);
        float[] x = new float[rows * features];
        long[] y = new long[rows];
        for (int r = 0; r < rows; r++) {
            y[r] = r % classes;
            for (int f = 0; f < features; f++) {
                x[r * features + f] = (float) random.nextGaussian() * 0.5f + (f % classes == y[r] ? 1 : 0);
            }
        }
        return Dataset.of(NdArray.of(x, rows, features), NdArray.of(y, rows));
    }
}
