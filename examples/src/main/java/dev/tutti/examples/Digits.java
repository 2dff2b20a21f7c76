package dev.tutti.examples;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.schedule.Schedules.cosine;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.progress;

import dev.tutti.data.Mnist;
import dev.tutti.nn.Sequential;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** Handwritten digits: a convolutional network, from definition to saved model. */
public final class Digits {
    private Digits() {}

    static void run(PrintStream out, Path home, List<String> arguments) {
        run(out, 60_000, 1, Path.of("runs", "digits"));
    }

    static History run(PrintStream out, int samples, int epochs, Path folder) {
        var model = Sequential.of(
                conv2d(32, 3).same().relu(),
                maxPool2d(2),
                conv2d(64, 3).same().relu(),
                maxPool2d(2),
                flatten(),
                dense(128).relu(),
                dropout(0.5),
                dense(10));

        try (var trainer = Trainer.of(model, adam(1e-3).schedule(cosine()), softmaxCrossEntropy())
                .metrics(accuracy())
                .seed(7)) {
            History history = trainer.fit(
                    Mnist.train().take(samples).shuffle(7).batch(128),
                    epochs(epochs).validate(Mnist.test()).callbacks(progress(out, false)));
            out.println(trainer.model().summary());
            trainer.save(folder, history.last().measured());
            out.println("saved as " + folder);
            return history;
        }
    }
}
