package dev.tutti.examples;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.torchScript;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.progress;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.data.Sample;
import dev.tutti.data.transform.SampleFilter;
import dev.tutti.io.TorchScriptFile;
import dev.tutti.nn.Sequential;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/**
 * Takes a model that was written and trained in Python, gives it a new head, and teaches it what it has never seen.
 *
 * <p>{@code examples/python/make_body.py} trained the body on the digits 0 to 4; here it learns 5 to 9. The result goes back
 * to Python as TorchScript.
 */
public final class FineTune {
    private FineTune() {}

    static void run(PrintStream out, Path home, List<String> arguments) {
        Path body = arguments.isEmpty() ? home.resolve("examples/python/body.pt") : Path.of(arguments.get(0));
        run(out, body, 5_000, Path.of("runs", "fine-tuned.pt"));
    }

    static History run(PrintStream out, Path body, int samples, Path exported) {
        var model = Sequential.of(torchScript(body).named("body"), dense(5).named("head"));
        Dataset train =
                highDigits(Mnist.train()).take(samples).cache().shuffle(3).batch(64);
        Dataset test = highDigits(Mnist.test()).cache();

        try (var trainer = Trainer.of(model, adam(1e-3), softmaxCrossEntropy())
                .metrics(accuracy())
                .seed(3)) {
            trainer.build(train).freeze("body");
            out.println("the head alone:");
            trainer.fit(train, epochs(1).validate(test).callbacks(progress(out, false)));

            trainer.model().unfreeze("body");
            out.println("all of it:");
            History history = trainer.fit(train, epochs(2).validate(test).callbacks(progress(out, false)));

            TorchScriptFile.write(trainer.model(), exported);
            out.println("Python can load it with torch.jit.load(\"" + exported + "\")");
            return history;
        }
    }

    private static Dataset highDigits(Dataset digits) {
        return digits.filter(SampleFilter.labels(5, 6, 7, 8, 9)).map(FineTune::fromZero);
    }

    private static Sample fromZero(Sample sample) {
        long digit = sample.label().longAt(0);
        return new Sample(sample.features(), List.of(NdArray.of(new long[] {digit - 5})));
    }
}
