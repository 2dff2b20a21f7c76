package dev.tutti.strategy.parallel;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.add;
import static dev.tutti.nn.Layers.attention;
import static dev.tutti.nn.Layers.concatenate;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.globalAvgPool1d;
import static dev.tutti.nn.Layers.layerNorm;
import static dev.tutti.nn.Layers.lstm;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.nn.Layers.permute;
import static dev.tutti.nn.Layers.positionalEncoding;
import static dev.tutti.nn.Layers.residual;
import static dev.tutti.nn.Layers.rmsNorm;
import static dev.tutti.nn.Layers.swiGlu;
import static dev.tutti.nn.Layers.tiedDense;
import static dev.tutti.nn.Layers.transformerEncoder;
import static dev.tutti.optim.Optimizers.sgd;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Graph;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizer;
import dev.tutti.train.Trainer;
import java.util.Random;

/** Small models of every kind, with data for them. */
enum ParallelModels {
    MLP(Sequential.of(dense(16).tanh(), dense(12).tanh(), dense(16).relu(), dense(8).tanh(), dense(4))) {
        @Override
        Dataset data(int rows) {
            return floats(rows, 6);
        }
    },
    CNN(Sequential.of(
            conv2d(8, 3).same().relu(),
            maxPool2d(2),
            conv2d(8, 3).same().tanh(),
            flatten(),
            dense(16).tanh(),
            dense(4))) {
        @Override
        Dataset data(int rows) {
            return floats(rows, 2, 8, 8);
        }
    },
    LSTM(Sequential.of(lstm(8), dense(8).tanh(), dense(4))) {
        @Override
        Dataset data(int rows) {
            return floats(rows, 5, 6);
        }
    },
    ENCODER(Sequential.of(
            embedding(20, 8),
            positionalEncoding(),
            transformerEncoder(2).inner(16),
            transformerEncoder(2).inner(16).postNorm(),
            layerNorm(),
            permute(1, 0),
            globalAvgPool1d(),
            dense(4))) {
        @Override
        Dataset data(int rows) {
            return ids(rows, 7, 20);
        }
    },
    DECODER(Sequential.of(
            embedding(20, 8),
            residual(rmsNorm(), attention(2).causal().rotary().noBias()),
            residual(rmsNorm(), swiGlu(12)),
            residual(rmsNorm(), attention(2).causal().rotary().noBias()),
            residual(rmsNorm(), swiGlu(12)),
            rmsNorm(),
            permute(1, 0),
            globalAvgPool1d(),
            dense(4))) {
        @Override
        Dataset data(int rows) {
            return ids(rows, 7, 20);
        }
    },
    /** The first and the last stage share a matrix. */
    TIED(Sequential.of(
            embedding(20, 8),
            residual(rmsNorm(), swiGlu(12)),
            rmsNorm(),
            tiedDense("embedding1", 20),
            permute(1, 0),
            globalAvgPool1d(),
            dense(4))) {
        @Override
        Dataset data(int rows) {
            return ids(rows, 7, 20);
        }
    },
    /** A value that goes around two layers, and two that cross every cut in the middle. */
    GRAPH(Graph.inputs("x")
            .add("a", dense(8).tanh(), "x")
            .add("b", dense(8).tanh(), "a")
            .add("c", dense(8).tanh(), "b")
            .add("d", add(), "c", "a")
            .add("e", concatenate(), "d", "x")
            .add("out", dense(4), "e")
            .outputs("out")) {
        @Override
        Dataset data(int rows) {
            return floats(rows, 6);
        }
    };

    private static final int CLASSES = 4;

    private final Layer definition;

    ParallelModels(Layer definition) {
        this.definition = definition;
    }

    abstract Dataset data(int rows);

    Trainer trainer() {
        return trainer(sgd(0.1).momentum(0.9));
    }

    Trainer trainer(Optimizer optimizer) {
        return Trainer.of(definition, optimizer, softmaxCrossEntropy()).seed(5).cores(1);
    }

    Layer definition() {
        return definition;
    }

    private static Dataset floats(int rows, int... shape) {
        Random random = new Random(3);
        int size = 1;
        for (int each : shape) {
            size *= each;
        }
        float[] values = new float[rows * size];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        long[] dims = new long[shape.length + 1];
        dims[0] = rows;
        for (int i = 0; i < shape.length; i++) {
            dims[i + 1] = shape[i];
        }
        return Dataset.of(NdArray.of(values, dims), labels(rows));
    }

    private static Dataset ids(int rows, int length, int vocabulary) {
        Random random = new Random(3);
        long[] values = new long[rows * length];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextInt(vocabulary);
        }
        return Dataset.of(NdArray.of(values, rows, length), labels(rows));
    }

    private static NdArray labels(int rows) {
        long[] labels = new long[rows];
        for (int i = 0; i < rows; i++) {
            labels[i] = (i * 7L / 3) % CLASSES;
        }
        return NdArray.of(labels, rows);
    }
}
