package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.TextTable;
import dev.tutti.app.UsageException;
import dev.tutti.app.input.JsonInput;
import dev.tutti.app.input.Picture;
import dev.tutti.app.input.PredictionInput;
import dev.tutti.app.input.ReadableOutputs;
import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.data.transform.Transform;
import dev.tutti.jobs.predict.BatchPrediction;
import dev.tutti.jobs.predict.CutModelProcesses;
import dev.tutti.nn.Input;
import dev.tutti.source.Sources;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.train.checkpoint.ModelDescription;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.job.RunFolder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Asks a model. */
@Command(
        name = "predict",
        sortOptions = false,
        description = "Asks a model about images, arrays in JSON, or rows of a table or dataset.",
        footer = {
            "",
            "JSON holds numbers of the shape of one input, or a list of such; - reads it from standard input.",
            "Images are scaled to the size of the input, black as 0 and white as 1."
        })
public final class PredictCommand extends ModelCommand {
    private static final int LEAST_PART_ROWS = 256;
    private static final int MOST_PART_ROWS = 4_096;
    private static final int PARTS = 64;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "INPUT",
            description = "PNG, JPEG or JSON files, a table such as rows.csv, or -.")
    private List<String> inputs = List.of();

    @Option(names = "--data", paramLabel = "DATA", description = "mnist, or a file with a dataset, instead of inputs.")
    private String data;

    @Option(names = "--take", paramLabel = "N", description = "The first N rows of --data only.")
    private Long take;

    @Option(names = "--invert", description = "Swap dark and light in images, for dark ink on white paper.")
    private boolean invert;

    @Option(
            names = "--white",
            paramLabel = "VALUE",
            defaultValue = "1",
            description = "What a white pixel is; 255 for a model that is fed with bytes.")
    private double white;

    @Option(
            names = "--processes",
            paramLabel = "N",
            description =
                    "Predict all of --data with N processes into --output; the same command goes on if it was ended.")
    private Integer processes;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "A .csv or .jsonl file with a line for each row; predictions.csv by default.")
    private Path output;

    public PredictCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        if (inputs.isEmpty() == (data == null)) {
            throw new UsageException(
                    data == null
                            ? "predict needs something to ask about: images, JSON files, - for standard input, or"
                                    + " --data"
                            : "say either inputs or --data, not both");
        }
        Optional<Parallel> grid = cut();
        if (processes != null || output != null) {
            if (grid.isPresent()) {
                throw new UsageException(
                        "--processes and --output give every process the whole model: leave out --strategy");
            }
            return batch();
        }
        if (grid.isPresent()) {
            try (CutModelProcesses model = processes(grid.get())) {
                return run(model.description(), model::predict);
            }
        }
        try (SavedModel saved = load()) {
            return run(saved.description(), predictor(saved)::predict);
        }
    }

    private ExitCode run(ModelDescription saved, Function<Dataset, NdArray> model) {
        String table = data == null && inputs.size() == 1 && Sources.isTable(inputs.get(0)) ? inputs.get(0) : data;
        List<PredictionInput> questions = table == null ? questions(saved) : List.of();
        Dataset rows = table == null ? Dataset.of(PredictionInput.stacked(questions)) : taken(dataset(table));
        NdArray outputs = model.apply(rows);
        List<PredictionInput> asked = table == null ? questions : PredictionInput.of(prepared(saved, rows), table);
        show(ReadableOutputs.of(saved), asked, outputs);
        rows.source().notices().forEach(people()::println);
        return ExitCode.FINE;
    }

    private ExitCode batch() {
        if (data == null) {
            throw new UsageException("--processes and --output belong to --data, the rows to predict");
        }
        trusted();
        Path file = output == null ? Path.of("predictions.csv") : output;
        Dataset rows = taken(dataset(data));
        OptionalLong size = rows.size();
        int partRows = size.isPresent() ? partRows(size.getAsLong()) : MOST_PART_ROWS;
        long parts = size.isPresent() ? (size.getAsLong() + partRows - 1) / partRows : 0;
        AtomicBoolean stop = new AtomicBoolean();
        long began = System.nanoTime();
        try (Interruption interruption = Interruption.listen(() -> stop.set(true))) {
            OptionalLong done = BatchPrediction.of(RunFolder.modelAt(path()), rows)
                    .processes(processes == null ? 1 : processes)
                    .partRows(partRows)
                    .precision(precision())
                    .until(stop::get)
                    .progress(count -> people().println(count + (parts > 0 ? " of " + parts : "") + " parts are done"))
                    .write(file);
            if (done.isEmpty()) {
                people().println("Stopped; what is done is kept, and the same command goes on with it.");
                return ExitCode.INTERRUPTED;
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            people().printf(Locale.ROOT, "%,d rows are predicted in %s, in %.1f s%n", done.getAsLong(), file, seconds);
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("model", path().toString());
            all.put("output", file.toString());
            all.put("rows", done.getAsLong());
            all.put("seconds", seconds);
            answer(all);
            return ExitCode.FINE;
        }
    }

    /** Follows from the data alone, so that the command goes on with another number of processes too. */
    private static int partRows(long rows) {
        return (int) Math.max(LEAST_PART_ROWS, Math.min(MOST_PART_ROWS, rows / PARTS));
    }

    /** The rows as the model sees them: what labels they have is known only then. */
    private static Dataset prepared(ModelDescription saved, Dataset rows) {
        Dataset ready = rows;
        for (Transform transform : saved.features().transforms()) {
            ready = ready.map(transform);
        }
        return ready;
    }

    private Dataset taken(Dataset dataset) {
        return take == null ? dataset : dataset.take(take);
    }

    private List<PredictionInput> questions(ModelDescription saved) {
        List<Input> expected = saved.plan().inputs();
        if (expected.size() != 1) {
            throw new UsageException("the model takes " + expected.size() + " inputs at once: ask it with --data");
        }
        List<PredictionInput> questions = new ArrayList<>();
        for (String input : inputs) {
            if (input.equals("-")) {
                questions.addAll(new JsonInput(expected.get(0)).read(console().in(), "standard input"));
            } else if (input.endsWith(".json")) {
                questions.addAll(new JsonInput(expected.get(0)).read(Path.of(input)));
            } else {
                questions.add(picture(expected.get(0), input));
            }
        }
        return questions;
    }

    private PredictionInput picture(Input expected, String input) {
        Picture picture = Picture.read(Path.of(input));
        boolean grey = expected.shape().rank() < 3 || expected.shape().dim(0) == 1;
        if (grey && picture.looksLikeInkOnPaper() && !invert) {
            console()
                    .err()
                    .println(input + ": dark on a light ground; a model that learned light on dark needs --invert");
        }
        return new PredictionInput(input, null, picture.toArray(expected.shape(), invert, white));
    }

    private void show(ReadableOutputs answers, List<PredictionInput> questions, NdArray outputs) {
        boolean labels = questions.stream().anyMatch(question -> question.label() != null);
        List<String> heads = new ArrayList<>(List.of("input"));
        if (labels) {
            heads.add("actual");
        }
        heads.addAll(answers.columns());
        TextTable table = new TextTable(heads);
        List<Map<String, Object>> predictions = new ArrayList<>();
        for (int row = 0; row < questions.size(); row++) {
            PredictionInput question = questions.get(row);
            ReadableOutputs.Answer answer = answers.answer(outputs, row);
            List<String> cells = new ArrayList<>(List.of(question.name()));
            Map<String, Object> fields = new LinkedHashMap<>(Map.of("input", question.name()));
            if (labels) {
                String label = answers.areClasses()
                        ? answers.name((int) Double.parseDouble(question.label()))
                        : answers.number(question.label());
                cells.add(label);
                fields.put("actual", label);
            }
            cells.addAll(answer.cells());
            fields.putAll(answer.fields());
            table.add(cells);
            predictions.add(fields);
        }
        people().print(table);
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("model", path().toString());
        all.put("predictions", predictions);
        answer(all);
    }
}
