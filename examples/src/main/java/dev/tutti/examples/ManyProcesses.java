package dev.tutti.examples;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static dev.tutti.train.callback.Callbacks.progress;

import dev.tutti.cluster.Cluster;
import dev.tutti.data.Mnist;
import dev.tutti.nn.Sequential;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/**
 * Training on several JVMs: the model and the data are those of one machine; where training runs and how members agree are two
 * choices. A JVM that is killed while this runs is replaced, and every sample still counts once per epoch.
 */
public final class ManyProcesses {
    private ManyProcesses() {}

    static void run(PrintStream out, Path home, List<String> arguments) {
        int members = arguments.isEmpty() ? 2 : Integer.parseInt(arguments.get(0));
        run(out, members, 20_000, Path.of("runs", "many-processes"));
    }

    static History run(PrintStream out, int members, int samples, Path folder) {
        var model = Sequential.of(
                conv2d(16, 3).same().relu(), maxPool2d(2), flatten(), dense(64).relu(), dense(10));
        Path checkpoints = folder.resolve("checkpoints");
        try (var trainer = Trainer.of(model, adam(1e-3), softmaxCrossEntropy())
                .metrics(accuracy())
                .seed(7)) {
            // The batch of 128 is that of all members together: their number does not change what is learned.
            History history = trainer.fit(
                    Mnist.train().take(samples).shuffle(7).batch(128),
                    epochs(1)
                            .validate(Mnist.test())
                            .callbacks(progress(out, false), checkpoint(checkpoints))
                            .on(Cluster.processes(members))
                            .with(allReduce()));
            out.println(history.times());
            trainer.save(folder.resolve("model"), history.last().measured());
            return history;
        }
    }
}
