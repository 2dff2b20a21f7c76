package dev.tutti.app.command.quantize;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.NextCommand;
import dev.tutti.app.TextTable;
import dev.tutti.app.UsageException;
import dev.tutti.app.command.ModelCommand;
import dev.tutti.data.Dataset;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.train.Evaluation;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.job.Job;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.RunFolder;
import dev.tutti.train.quantize.Quantizer;
import dev.tutti.train.quantize.Quantizer.Measure;
import dev.tutti.train.quantize.Quantizer.Report;
import dev.tutti.train.quantize.Quantizer.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes a smaller, faster model of a trained one. */
@Command(
        name = "quantize",
        sortOptions = false,
        description =
                "Makes a smaller model of a trained one: int8 answers in eight-bit integers, bf16 and fp16 take half the"
                        + " space. Both are compared, and a model that is worse than --most-lost allows is not written.")
public final class QuantizeCommand extends ModelCommand {
    @Option(names = "--output", paramLabel = "FOLDER", required = true, description = "Where the new model goes.")
    private Path output;

    @Option(names = "--to", paramLabel = "FORMAT", defaultValue = "int8", description = "int8 (default), bf16 or fp16.")
    private String to;

    @Option(
            names = "--data",
            paramLabel = "DATA",
            description = "What both models are judged by; by default what the model was validated on.")
    private String data;

    @Option(
            names = "--calibrate",
            paramLabel = "ROWS",
            defaultValue = "512",
            description = "Rows of the training data that tell the ranges of convolutions (512).")
    private long rows;

    @Option(
            names = "--most-lost",
            paramLabel = "SHARE",
            defaultValue = "0.01",
            description =
                    "How much worse the first metric may be, such as 0.01 for a point of accuracy (default); without a metric,"
                            + " by which share the loss may rise.")
    private double mostLost;

    public QuantizeCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        Target target = target();
        if (rows < 1) {
            throw new UsageException("--calibrate " + rows + ": expected 1 row or more");
        }
        Path model = RunFolder.modelAt(path());
        SavedModel.features(model); // says what is missing before anything else does
        trusted();
        Quantizer quantizer = Quantizer.of(model);
        Optional<Job> job = job();
        job.ifPresent(made -> quantizer.calibratedBy(made.data().train(), rows));
        Dataset test = data != null
                ? dataset(data)
                : job.map(made -> made.data().validation().orElse(made.data().train()))
                        .orElseThrow(() -> new UsageException("there is no " + madeBy().job()
                                + " that would say what data belongs to the model: say it with --data"));
        if (job.isEmpty()) {
            quantizer.calibratedBy(test, rows);
        }
        RunFolder made = new RunFolder(output);
        Report report = quantizer.write(made.model(), target, test, mostLost);
        keepJob(made);
        print(target, report);
        answer(answer(target, report));
        return ExitCode.FINE;
    }

    /** The job stands beside the new model as well, so that it says what data belongs to it. */
    private void keepJob(RunFolder made) {
        Path job = madeBy().job();
        try {
            if (Files.exists(job) && !made.job().toAbsolutePath().normalize().equals(job)) {
                AtomicFile.write(made.job(), Files.readString(job));
            }
        } catch (IOException e) {
            throw new FileException(job.toString(), "cannot be read: " + e.getMessage(), e);
        }
    }

    private Target target() {
        for (Target target : Target.values()) {
            if (target.toString().equals(to)) {
                return target;
            }
        }
        throw new UsageException("--to " + to + ": expected int8, bf16 or fp16");
    }

    private Optional<Job> job() {
        Path file = madeBy().job();
        return Files.exists(file) ? Optional.of(JobFile.read(file).job()) : Optional.empty();
    }

    private void print(Target target, Report report) {
        TextTable table = new TextTable(List.of("", "before", target.toString(), ""));
        Evaluation before = report.before().evaluation();
        Evaluation after = report.after().evaluation();
        table.add(List.of("loss", number(before.loss()), number(after.loss()), ""));
        before.metrics()
                .forEach((name, value) -> table.add(
                        List.of(name, number(value), number(after.metrics().get(name)), "")));
        table.add(List.of(
                "weights, MB",
                megabytes(report.before()),
                megabytes(report.after()),
                times(report.before().bytes(), report.after().bytes()) + " smaller"));
        table.add(List.of(
                "rows/s",
                pace(report.before()),
                pace(report.after()),
                times(report.after().rowsPerSecond(), report.before().rowsPerSecond()) + " as fast"));
        people().print(table);
        if (target == Target.INT8) {
            people().println(report.layers().size() + " layers answer in eight-bit integers: "
                    + String.join(", ", report.layers()));
        }
        people().println(output + " is written. Next, for instance:");
        people().println(
                        "  " + NextCommand.of("evaluate", output.toString()) + (data == null ? "" : " --data " + data));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.4f", value);
    }

    private static String megabytes(Measure measure) {
        return String.format(Locale.ROOT, "%.2f", measure.bytes() / 1e6);
    }

    private static String pace(Measure measure) {
        return String.format(Locale.ROOT, "%,.0f", measure.rowsPerSecond());
    }

    private static String times(double one, double other) {
        return String.format(Locale.ROOT, "%.2f times", one / other);
    }

    private Map<String, Object> answer(Target target, Report report) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("model", path().toString());
        answer.put("output", output.toString());
        answer.put("format", target.toString());
        answer.put("before", measure(report.before()));
        answer.put("after", measure(report.after()));
        answer.put("layers", report.layers());
        answer.put("measuredBy", report.measuredBy());
        answer.put("lost", report.lost());
        return answer;
    }

    private static Map<String, Object> measure(Measure measure) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("loss", measure.evaluation().loss());
        values.putAll(measure.evaluation().metrics());
        values.put("weightBytes", measure.bytes());
        values.put("rowsPerSecond", measure.rowsPerSecond());
        return values;
    }
}
