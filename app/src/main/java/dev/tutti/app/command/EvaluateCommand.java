package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.app.input.ReadableOutputs;
import dev.tutti.data.Dataset;
import dev.tutti.jobs.predict.CutModelProcesses;
import dev.tutti.loss.Loss;
import dev.tutti.metric.ConfusionMatrixState;
import dev.tutti.metric.Metric;
import dev.tutti.metric.MetricState;
import dev.tutti.metric.Metrics;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.train.Evaluation;
import dev.tutti.train.checkpoint.ModelDescription;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.job.Job;
import dev.tutti.train.job.JobFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Says how good a model is on some data. */
@Command(
        name = "evaluate",
        sortOptions = false,
        description = "Says how good a model is: loss, metrics and, for classes, the confusion matrix.")
public final class EvaluateCommand extends ModelCommand {
    /** A wider matrix cannot be read on a screen. */
    private static final int WIDEST = 20;

    @Option(
            names = "--data",
            paramLabel = "DATA",
            description = "A table such as rows.csv, mnist, or a file with a dataset; by default what the model was"
                    + " validated on.")
    private String data;

    @Option(names = "--take", paramLabel = "N", description = "Look at the first N rows only.")
    private Long take;

    public EvaluateCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        Optional<Parallel> grid = cut();
        if (grid.isPresent()) {
            try (CutModelProcesses model = processes(grid.get())) {
                return run(model.description(), model::evaluate);
            }
        }
        try (SavedModel saved = load()) {
            return run(saved.description(), predictor(saved)::evaluate);
        }
    }

    /** What looks at the data: one process, or several. */
    private interface Measuring {
        Evaluation evaluate(Dataset rows, Loss loss, Metric... metrics);
    }

    private ExitCode run(ModelDescription saved, Measuring model) {
        Dataset rows = take == null ? data() : data().take(take);
        Kept confusion = new Kept();
        List<Metric> metrics = new ArrayList<>(saved.made().recipe().metrics());
        boolean classes = ReadableOutputs.of(saved).areClasses();
        if (classes) {
            metrics.add(confusion);
        }
        Evaluation evaluation = model.evaluate(rows, saved.made().recipe().loss(), metrics.toArray(Metric[]::new));
        print(evaluation, rows);
        if (classes && confusion.state.classes() <= WIDEST) {
            people().println();
            people().print(confusion.state.table(names(saved, confusion.state.classes())));
        }
        answer(answer(evaluation, rows, classes ? confusion.state : null));
        return ExitCode.FINE;
    }

    private Dataset data() {
        if (data != null) {
            return dataset(data);
        }
        Path job = madeBy().job();
        if (!Files.exists(job)) {
            throw new UsageException(
                    "there is no " + job + " that would say what data belongs to the model: say it with --data");
        }
        Job made = JobFile.read(job).job();
        return made.data().validation().orElseGet(made.data()::train);
    }

    private void print(Evaluation evaluation, Dataset rows) {
        people().printf(Locale.ROOT, "%,d rows of %s%n", evaluation.samples(), rows);
        people().printf(Locale.ROOT, "%-12s %.4f%n", "loss", evaluation.loss());
        evaluation.metrics().forEach((name, value) -> {
            if (!name.equals(Kept.NAME)) {
                people().printf(Locale.ROOT, "%-12s %.4f%n", name, value);
            }
        });
    }

    private Map<String, Object> answer(Evaluation evaluation, Dataset rows, ConfusionMatrixState confusion) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("model", path().toString());
        answer.put("data", rows.toString());
        answer.put("samples", evaluation.samples());
        answer.put("loss", evaluation.loss());
        answer.putAll(evaluation.metrics());
        answer.remove(Kept.NAME);
        if (confusion != null) {
            int classes = confusion.classes();
            long[] counts = confusion.matrix().longs();
            answer.put(
                    Kept.NAME,
                    IntStream.range(0, classes)
                            .mapToObj(row -> Arrays.copyOfRange(counts, row * classes, (row + 1) * classes))
                            .toList());
        }
        return answer;
    }

    private static List<String> names(ModelDescription saved, int classes) {
        List<String> said = saved.features().classes();
        return said.size() == classes
                ? said
                : IntStream.range(0, classes).mapToObj(Integer::toString).toList();
    }

    /** A confusion matrix that can be looked at after the evaluation, which itself gives numbers only. */
    private static final class Kept implements Metric {
        static final String NAME = "confusionMatrix";

        private ConfusionMatrixState state;

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public MetricState newState() {
            state = Metrics.confusionMatrix().newState();
            return state;
        }
    }
}
