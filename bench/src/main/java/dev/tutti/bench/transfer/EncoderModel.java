package dev.tutti.bench.transfer;

import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.paddingMask;
import static dev.tutti.nn.Layers.sequencePool;
import static dev.tutti.nn.Layers.tokenEmbedding;
import static dev.tutti.nn.Layers.transformerEncoder;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.nn.Graph;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A classifier on an encoder of MiniLM's size: 6 blocks of width 384, 12 heads, 30,522 tokens. Dropout is 0, as in the peer. */
final class EncoderModel {
    static final int LENGTH = 64;
    static final int BATCH = 16;
    static final int CLASSES = 2;
    private static final int VOCABULARY = 30_522;
    private static final int WIDTH = 384;
    private static final int HEADS = 12;
    private static final int INNER = 1536;
    private static final int BLOCKS = 6;
    private static final int BATCHES = 8;

    private EncoderModel() {}

    static Layer definition() {
        Graph graph = Graph.inputs("ids")
                .add("mask", paddingMask(0), "ids")
                .add("embeddings", tokenEmbedding(VOCABULARY, WIDTH).types(2), "ids");
        String last = "embeddings";
        for (int i = 0; i < BLOCKS; i++) {
            graph = graph.add(
                    "layer" + i,
                    transformerEncoder(HEADS).inner(INNER).epsilon(1e-12).postNorm(),
                    last,
                    "mask");
            last = "layer" + i;
        }
        graph = graph.add("pooled", sequencePool(), last, "mask").outputs("pooled");
        return Sequential.of(graph.named("encoder"), dense(CLASSES).named("head"));
    }

    static Input input() {
        return Input.ids(LENGTH);
    }

    /** Different batches of random tokens, kept in memory and taken in turn. */
    static List<Batch> batches() {
        Random random = new Random(7);
        List<Batch> batches = new ArrayList<>();
        for (int i = 0; i < BATCHES; i++) {
            long[] ids = random.longs((long) BATCH * LENGTH, 1, VOCABULARY).toArray();
            long[] labels = random.longs(BATCH, 0, CLASSES).toArray();
            batches.add(new Batch(List.of(NdArray.of(ids, BATCH, LENGTH)), List.of(NdArray.of(labels, BATCH)), BATCH));
        }
        return batches;
    }

    /** Outputs of the encoder, as its cache would give them. */
    static List<Batch> cached() {
        Random random = new Random(7);
        List<Batch> batches = new ArrayList<>();
        for (int i = 0; i < BATCHES; i++) {
            float[] values = new float[BATCH * WIDTH];
            for (int j = 0; j < values.length; j++) {
                values[j] = (float) random.nextGaussian();
            }
            long[] labels = random.longs(BATCH, 0, CLASSES).toArray();
            batches.add(
                    new Batch(List.of(NdArray.of(values, BATCH, WIDTH)), List.of(NdArray.of(labels, BATCH)), BATCH));
        }
        return batches;
    }

    static Input cachedInput() {
        return Input.of(WIDTH);
    }
}
