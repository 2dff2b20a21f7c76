package sample;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static dev.tutti.train.callback.Callbacks.progress;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Mnist;
import dev.tutti.json.Definitions;
import dev.tutti.metric.Mean;
import dev.tutti.metric.MeanMetric;
import dev.tutti.nn.BuildContext;
import dev.tutti.nn.ForwardContext;
import dev.tutti.nn.Initializer;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.Map;

/** A layer, a metric and a callback of one's own: trained on two JVMs, resumed, saved, loaded, asked. */
public final class Sample implements Definitions {
    public static final class Scale extends Layer { // each feature times a factor that is learned
        protected Shape build(Shape input, BuildContext build) {
            build.parameter("factor", Shape.of(input.dim(-1)), Initializer.ONES);
            return input;
        }

        protected Tensor forward(Tensor x, ForwardContext pass) {
            return x.mul(pass.parameter("factor"));
        }
    }

    public record Confident(double from) implements MeanMetric { // the share of rows with a score that high
        public void measure(NdArray predictions, NdArray targets, Mean mean) {
            for (int row = 0; row < targets.size(); row++) {
                NdArray scores = predictions.row(row);
                double highest = Double.NEGATIVE_INFINITY;
                for (int i = 0; i < scores.size(); i++) {
                    highest = Math.max(highest, scores.at(i));
                }
                mean.add(highest >= from ? 1 : 0);
            }
        }
    }

    static final class Report implements Callback {
        public void epoch(Run run, EpochResult result) {
            System.out.println("after epoch " + result.epoch() + ": " + result.measured());
        }
    }

    public Map<Class<?>, String> named() { // names in files; META-INF/services makes this class known to every JVM
        return Map.of(Scale.class, "scale", Confident.class, "confident");
    }

    public static void main(String[] args) {
        Path folder = Path.of(args[0]);
        train(folder, 1); // one epoch, which leaves a checkpoint
        train(folder, 2); // goes on with the second epoch
        try (var saved = SavedModel.load(folder.resolve("model"));
                var reader = Mnist.test().batch(1_000).open(0)) {
            NdArray images = reader.next().orElseThrow().features().get(0);
            System.out.println("predictions " + saved.model().predict(images).shape());
        }
    }

    private static void train(Path folder, int epochs) {
        var model = Sequential.of(flatten(), new Scale(), dense(64).relu(), dense(10));
        try (var trainer = Trainer.of(model, adam(1e-3), softmaxCrossEntropy())
                .metrics(accuracy(), new Confident(5))) {
            Path checkpoints = folder.resolve("checkpoints");
            trainer.fit(Mnist.train().take(4_000).shuffle(7).batch(64), epochs(epochs)
                    .validate(Mnist.test().take(1_000))
                    .callbacks(progress(), checkpoint(checkpoints), new Report())
                    .resume(checkpoints)
                    .on(Cluster.processes(2)).with(allReduce()));
            trainer.save(folder.resolve("model"));
        }
    }
}
