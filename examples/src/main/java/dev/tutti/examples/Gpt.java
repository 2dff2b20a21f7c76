package dev.tutti.examples;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.attention;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.residual;
import static dev.tutti.nn.Layers.rmsNorm;
import static dev.tutti.nn.Layers.swiGlu;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.parallel;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.progress;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.nn.KeyValueCache;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A decoder-only transformer that learns a text letter by letter and writes on by itself: {@code ./tutti example gpt FILE WAY}, where the way
 * is whole, pipeline (cut in two), tensor (sliced in two) or grid (two sets of two stages).
 */
public final class Gpt {
    private static final int WINDOW = 64;
    private static final int WIDTH = 64;
    private static final int HEADS = 4;
    private static final int BLOCKS = 3;
    private static final int MOST_LETTERS = 200_000;

    private static final Map<String, Parallel> WAYS = Map.of(
            "pipeline", parallel().pipeline(2).microBatches(4),
            "tensor", parallel().tensor(2),
            "grid", parallel().data(2).pipeline(2).microBatches(4));

    private Gpt() {}

    static void run(PrintStream out, Path home, List<String> arguments) throws IOException {
        Path text = arguments.isEmpty() ? home.resolve("LICENSE") : Path.of(arguments.get(0));
        String way = arguments.size() < 2 ? "whole" : arguments.get(1);
        requireWay(way);
        try {
            run(out, Files.readString(text), way, 4);
        } catch (MalformedInputException e) {
            throw new TuttiException(text + ": expected a text in UTF-8", e);
        }
    }

    private static void requireWay(String way) {
        if (!WAYS.containsKey(way) && !way.equals("whole")) {
            throw new TuttiException(
                    "unknown way '" + way + "'" + DidYouMean.hint(way, List.of("whole", "pipeline", "tensor", "grid")));
        }
    }

    static History run(PrintStream out, String all, String way, int epochs) {
        String text = all.substring(0, Math.min(all.length(), MOST_LETTERS));
        String letters = text.chars()
                .distinct()
                .sorted()
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        Fit fit = epochs(epochs).callbacks(progress(out, false));
        Parallel strategy = WAYS.get(way);
        requireWay(way);
        if (strategy != null) {
            fit = fit.on(Cluster.members(strategy.grid(1).members())).with(strategy);
        }
        try (var trainer = Trainer.of(model(letters.length()), adam(3e-3).clipNorm(1), softmaxCrossEntropy())
                .seed(1)) {
            History history = trainer.fit(windows(text, letters).shuffle(1).batch(32), fit);
            out.println(continued(trainer, letters, text.substring(0, WINDOW), 200));
            return history;
        }
    }

    private static Sequential model(int vocabulary) {
        List<Layer> layers = new ArrayList<>(List.of(embedding(vocabulary, WIDTH)));
        for (int i = 0; i < BLOCKS; i++) {
            layers.add(residual(rmsNorm(), attention(HEADS).causal().rotary().noBias()));
            layers.add(residual(rmsNorm(), swiGlu(3 * WIDTH)));
        }
        layers.add(rmsNorm());
        layers.add(dense(vocabulary));
        return Sequential.of(layers);
    }

    /** Each sample is a stretch of text, its label the same stretch one letter further on. */
    private static Dataset windows(String text, String letters) {
        int count = (text.length() - WINDOW - 1) / (WINDOW / 4);
        long[] before = new long[count * WINDOW];
        long[] after = new long[count * WINDOW];
        for (int i = 0; i < before.length; i++) {
            int at = i / WINDOW * (WINDOW / 4) + i % WINDOW;
            before[i] = letters.indexOf(text.charAt(at));
            after[i] = letters.indexOf(text.charAt(at + 1));
        }
        return Dataset.of(NdArray.of(before, count, WINDOW), NdArray.of(after, count, WINDOW));
    }

    /**
     * Lets the model write on: each letter is drawn by the probabilities the model gives it. Keys and values of the letters before are kept;
     * where the model has seen as many letters as it learned from, it begins anew with the last half of them.
     */
    private static String continued(Trainer trainer, String letters, String start, int length) {
        Random random = new Random(1);
        StringBuilder written = new StringBuilder(start);
        try (KeyValueCache cache = KeyValueCache.of(trainer.model())) {
            String fresh = start.substring(start.length() / 2);
            for (int i = 0; i < length; i++) {
                if (cache.steps() + fresh.length() > WINDOW) {
                    cache.clear();
                    fresh = written.substring(written.length() - WINDOW / 2);
                }
                long[] ids = fresh.chars().mapToLong(letters::indexOf).toArray();
                NdArray scores = trainer.model().predict(NdArray.of(ids, 1, ids.length), cache);
                fresh = String.valueOf(letters.charAt(NextCharacter.draw(scores, letters.length(), random)));
                written.append(fresh);
            }
        }
        return written.toString();
    }
}
