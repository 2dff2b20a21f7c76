package dev.tutti.train.callback;

import dev.tutti.io.AtomicFile;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Evaluation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Writes a line for each epoch into a CSV file; after a resumed run it holds all epochs. */
final class CsvLog implements Callback {
    private final Path file;

    CsvLog(Path file) {
        this.file = file;
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        List<String> lines = new ArrayList<>();
        lines.add(header(result));
        run.finished().forEach(epoch -> lines.add(line(epoch)));
        AtomicFile.write(file, String.join("\n", lines) + "\n");
    }

    private static String header(EpochResult result) {
        List<String> names = new ArrayList<>(List.of("epoch", "step", "learning_rate", "seconds"));
        addNames(names, "", result.training());
        result.validation().ifPresent(validation -> addNames(names, "validation_", validation));
        return String.join(",", names);
    }

    private static void addNames(List<String> names, String prefix, Evaluation evaluation) {
        names.add(prefix + "loss");
        evaluation.metrics().keySet().forEach(metric -> names.add(prefix + metric));
    }

    private static String line(EpochResult result) {
        List<Number> values =
                new ArrayList<>(List.of(result.epoch(), result.steps(), result.learningRate(), result.seconds()));
        addValues(values, result.training());
        result.validation().ifPresent(validation -> addValues(values, validation));
        return values.stream().map(Number::toString).collect(Collectors.joining(","));
    }

    private static void addValues(List<Number> values, Evaluation evaluation) {
        values.add(evaluation.loss());
        values.addAll(evaluation.metrics().values());
    }
}
