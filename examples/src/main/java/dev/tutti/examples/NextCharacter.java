package dev.tutti.examples;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.lstm;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.progress;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Learns a text letter by letter with an LSTM, then writes on by itself. Give it a file of your own to read. */
public final class NextCharacter {
    private static final int WINDOW = 48;

    private NextCharacter() {}

    static void run(PrintStream out, Path home, List<String> arguments) throws IOException {
        Path text = arguments.isEmpty() ? home.resolve("LICENSE") : Path.of(arguments.get(0));
        run(out, Files.readString(text), 12);
    }

    static History run(PrintStream out, String text, int epochs) {
        String letters = text.chars()
                .distinct()
                .sorted()
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        var model = Sequential.of(embedding(letters.length(), 32), lstm(128).sequence(), dense(letters.length()));

        try (var trainer =
                Trainer.of(model, adam(5e-3).clipNorm(1), softmaxCrossEntropy()).seed(1)) {
            History history = trainer.fit(
                    windows(text, letters).shuffle(1).batch(32), epochs(epochs).callbacks(progress(out, false)));
            out.println(continued(trainer, letters, text.substring(0, WINDOW), 200));
            return history;
        }
    }

    /** Each sample is a stretch of text, its label the same stretch one letter further on. */
    private static Dataset windows(String text, String letters) {
        int count = (text.length() - WINDOW - 1) / 4;
        long[] before = new long[count * WINDOW];
        long[] after = new long[count * WINDOW];
        for (int i = 0; i < before.length; i++) {
            int at = i / WINDOW * 4 + i % WINDOW;
            before[i] = letters.indexOf(text.charAt(at));
            after[i] = letters.indexOf(text.charAt(at + 1));
        }
        return Dataset.of(NdArray.of(before, count, WINDOW), NdArray.of(after, count, WINDOW));
    }

    /** Lets the model write on: each letter is drawn by the probabilities the model gives it. */
    private static String continued(Trainer trainer, String letters, String start, int length) {
        Random random = new Random(1);
        StringBuilder written = new StringBuilder(start);
        for (int i = 0; i < length; i++) {
            long[] window = written.substring(written.length() - WINDOW)
                    .chars()
                    .mapToLong(letters::indexOf)
                    .toArray();
            NdArray scores = trainer.predict(NdArray.of(window, 1, WINDOW));
            written.append(letters.charAt(draw(scores, letters.length(), random)));
        }
        return written.toString();
    }

    static int draw(NdArray scores, int classes, Random random) {
        int last = scores.size() - classes;
        double sum = 0;
        for (int i = 0; i < classes; i++) {
            sum += Math.exp(scores.at(last + i));
        }
        double left = random.nextDouble() * sum;
        int choice = 0;
        while (choice < classes - 1 && (left -= Math.exp(scores.at(last + choice))) > 0) {
            choice++;
        }
        return choice;
    }
}
