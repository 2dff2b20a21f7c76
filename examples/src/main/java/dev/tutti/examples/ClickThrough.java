package dev.tutti.examples;

import static dev.tutti.loss.Losses.binaryCrossEntropy;
import static dev.tutti.metric.Metrics.auc;
import static dev.tutti.nn.Layers.add;
import static dev.tutti.nn.Layers.concatenate;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.parameterServer;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.progress;

import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Graph;
import dev.tutti.nn.Initializer;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Click-through with a wide and deep model: a weight for each hashed value and pair, and a network over rows of each value. All of it but the
 * network is in tables on a parameter server.
 */
public final class ClickThrough {
    private static final int BUCKETS = 1 << 18;

    private ClickThrough() {}

    static void run(PrintStream out, Path home, List<String> arguments) {
        Fit fit = epochs(3)
                .callbacks(progress(out, false))
                .on(Cluster.processes(3))
                .with(parameterServer().servers(1).staleness(2));
        run(out, 120_000, fit);
    }

    static Evaluation run(PrintStream out, int rows, Fit fit) {
        Dataset training = Dataset.of(new ClickSource(5, rows, 0)).shuffle(3).batch(256);
        Dataset test = Dataset.of(new ClickSource(5, 20_000, rows)).batch(1024);
        try (Trainer trainer = Trainer.of(model(), adam(2e-3), binaryCrossEntropy())
                .metrics(auc())
                .seed(1)) {
            trainer.fit(training, fit.validate(test));
            Evaluation result = trainer.evaluate(test);
            out.printf(
                    Locale.ROOT,
                    "of a click and a row without one the click is ranked higher in %.1f%% (AUC)%n",
                    100 * result.get("auc"));
            return result;
        }
    }

    private static Graph model() {
        return Graph.inputs("values", "pair")
                .add("weights", weights(), "values")
                .add("pairWeight", weights(), "pair")
                .add("wideParts", concatenate(), "weights", "pairWeight")
                .add("wide", dense(1).init(Initializer.ONES), "wideParts")
                .add(
                        "deep",
                        Sequential.of(
                                embedding(0, 8).init(Initializer.SMALL_NORMAL).hashed(BUCKETS),
                                flatten(),
                                dense(32).relu(),
                                dense(1)),
                        "values")
                .add("click", add(), "wide", "deep")
                .outputs("click");
    }

    private static Sequential weights() {
        return Sequential.of(embedding(0, 1).init(Initializer.ZEROS).hashed(BUCKETS), flatten());
    }
}
