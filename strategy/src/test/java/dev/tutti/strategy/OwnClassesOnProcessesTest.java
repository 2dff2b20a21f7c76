package dev.tutti.strategy;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.Shape;
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Mnist;
import dev.tutti.data.Sample;
import dev.tutti.data.transform.Transform;
import dev.tutti.json.Json;
import dev.tutti.metric.Metric;
import dev.tutti.metric.MetricState;
import dev.tutti.metric.Metrics;
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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the driver has registered is known to the workers it starts. */
@Timeout(60)
class OwnClassesOnProcessesTest {
    static final class Gate extends Layer {
        @Override
        protected Shape build(Shape input, BuildContext build) {
            build.parameter("factor", Shape.of(input.dim(-1)), Initializer.ONES);
            return input;
        }

        @Override
        protected Tensor forward(Tensor x, ForwardContext pass) {
            return x.mul(pass.parameter("factor"));
        }
    }

    static final class Hits implements Metric {
        @Override
        public String name() {
            return "hits";
        }

        @Override
        public MetricState newState() {
            return Metrics.accuracy().newState();
        }
    }

    static final class AsIs implements Transform {
        @Override
        public Sample apply(Sample sample) {
            return sample;
        }
    }

    @Test
    void ownLayerMetricAndTransformTrainInTwoJvms(@TempDir Path folder) {
        Json.register(Gate.class, "gate");
        Json.register(Hits.class, "hits");
        Json.register(AsIs.class, "asIs");
        List<Double> seen = new ArrayList<>();
        Callback own = new Callback() {
            @Override
            public void epoch(Run run, EpochResult result) {
                seen.add(result.training().get("hits"));
            }
        };
        try (Trainer trainer = Trainer.of(
                        Sequential.of(flatten(), dense(16).relu(), new Gate(), dense(10)),
                        adam(1e-2),
                        softmaxCrossEntropy())
                .metrics(new Hits())
                .preprocessing(new AsIs())) {
            trainer.fit(
                    Mnist.train().take(512).map(new AsIs()).batch(64),
                    epochs(1).callbacks(own).on(Cluster.processes(2)).with(allReduce()));
            trainer.save(folder.resolve("model"));
        }
        assertThat(seen).hasSize(1);
        try (SavedModel saved = SavedModel.load(folder.resolve("model"))) {
            assertThat(Json.write(saved.model().definition())).contains("gate");
        }
    }
}
