package dev.tutti.examples;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.metric.Metrics.rmse;
import static dev.tutti.nn.Layers.add;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dot;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.schedule.Schedules.cosine;
import static dev.tutti.strategy.Strategies.parameterServer;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.progress;

import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Graph;
import dev.tutti.nn.Initializer;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A recommender: matrix factorisation with biases. What is known of users and items are rows of tables on a parameter server; two workers
 * pull the rows of their batches, and push gradients of those.
 */
public final class Recommend {
    private static final int WIDTH = 12;

    private Recommend() {}

    static void run(PrintStream out, Path home, List<String> arguments) {
        String path = arguments.isEmpty()
                ? ""
                : Path.of(arguments.get(0)).toAbsolutePath().toString();
        Fit fit = epochs(path.isEmpty() ? 12 : 15)
                .callbacks(progress(out, false))
                .on(Cluster.processes(3))
                .with(parameterServer().servers(1).staleness(2));
        run(out, path, fit);
    }

    /** Trains, and prints how well ratings are foretold. */
    static Evaluation run(PrintStream out, String path, Fit fit) {
        Dataset training =
                Dataset.of(new RatingSource(path, 7, false)).shuffle(3).batch(256);
        Dataset test = Dataset.of(new RatingSource(path, 7, true)).batch(1024);
        try (Trainer trainer = Trainer.of(
                        model(),
                        adam(path.isEmpty() ? 4e-3 : 2e-3).weightDecay(1e-4).schedule(cosine()),
                        mse())
                .metrics(rmse())
                .seed(1)) {
            trainer.fit(training, fit.validate(test));
            Evaluation result = trainer.evaluate(test);
            trainer.model()
                    .tables()
                    .all()
                    .forEach(table -> out.printf(
                            Locale.ROOT,
                            "%,d rows of %d numbers in %s%n",
                            table.size(),
                            table.spec().width(),
                            table.spec().name()));
            out.printf(Locale.ROOT, "error of foretold ratings (RMSE): %.4f%n", result.get("rmse"));
            if (path.isEmpty()) {
                out.printf(
                        Locale.ROOT,
                        "the ratings were made with a noise of %.2f, which no model can foretell; biases alone leave %.2f%n",
                        RatingTable.NOISE,
                        RatingTable.BIASES_ALONE);
            }
            return result;
        }
    }

    /** The product of two rows, a bias of the user, a bias of the item, and one number for all. */
    private static Graph model() {
        return Graph.inputs("user", "item")
                .add("userTaste", rows(WIDTH, Initializer.SMALL_NORMAL), "user")
                .add("itemTaste", rows(WIDTH, Initializer.SMALL_NORMAL), "item")
                .add("userBias", rows(1, Initializer.ZEROS), "user")
                .add("itemBias", rows(1, Initializer.ZEROS), "item")
                .add("match", dot(), "userTaste", "itemTaste")
                .add("sum", add(), "match", "userBias", "itemBias")
                .add("rating", dense(1).init(Initializer.ONES), "sum")
                .outputs("rating");
    }

    private static Layer rows(int width, Initializer first) {
        return Sequential.of(embedding(0, width).init(first).table(), flatten());
    }
}
