package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.NextCommand;
import dev.tutti.app.UsageException;
import dev.tutti.array.Range;
import dev.tutti.cluster.launch.DetachedRun;
import dev.tutti.cluster.launch.LocalProcesses;
import dev.tutti.data.Dataset;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Model;
import dev.tutti.source.table.TableCache;
import dev.tutti.train.Evaluation;
import dev.tutti.train.History;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.job.Checkpoints;
import dev.tutti.train.job.EarlierRun;
import dev.tutti.train.job.Job;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.ReadyJob;
import dev.tutti.train.transfer.AdoptionReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Trains a model as a job says. */
@Command(
        name = "train",
        sortOptions = false,
        description = "Trains a model: a job in a YAML or JSON file, or the built-in job mnist.",
        footer = {
            "",
            "Ctrl-C writes a checkpoint; --resume goes on from it as if nothing had happened.",
            "All keys of a job file: docs/commands.md."
        })
public final class TrainCommand extends TuttiCommand {
    /** Columns that are said to have changed; all of them are in the answer for programs. */
    private static final int MOST_DRIFTS = 8;

    @Parameters(paramLabel = "JOB", description = "A job file, or mnist.")
    private String name;

    @Mixin
    private JobOptions options;

    @Mixin
    private IncrementalOptions incremental;

    @Mixin
    private SubmitOptions submission;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Write a timeline of all members for Chrome's trace viewer or Perfetto.")
    private Path trace;

    @Option(names = "--resume", description = "Go on from the newest checkpoint.")
    private boolean resume;

    @Option(
            names = "--detach",
            description =
                    "Train in a process of its own, which goes on when this terminal is closed; status follows it.")
    private boolean detach;

    @Option(names = "--print-job", description = "Print the job file and end: a start for one of your own.")
    private boolean printJob;

    /** Where the results go if not to this machine. */
    private Optional<RemoteOutput> remote = Optional.empty();

    /** Seconds until the first step could be made. */
    private double preparing;

    public TrainCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        JobFile file = incremental.in(options.in(JobArgument.find(name)), options.saysOutput());
        if (printJob) {
            people().print(file.template());
            answer(Map.of("job", JobFile.of(file.template(), name, "job").job()));
            return ExitCode.FINE;
        }
        options.requireTrust(file);
        if (submission.concern(file.job())) {
            return submit(file.job());
        }
        if (file.job().outputAddress().isPresent()) {
            return trainFor(file);
        }
        return detach ? detached(file) : train(file);
    }

    /** Trains with results that go to another file system. */
    private ExitCode trainFor(JobFile file) {
        if (detach) {
            throw new UsageException("--detach: expected an output in a folder of this machine");
        }
        try (RemoteOutput output = RemoteOutput.of(file)) {
            remote = Optional.of(output);
            ExitCode ending;
            try {
                ending = train(output.prepared(file, resume));
            } catch (RuntimeException | Error e) {
                try {
                    output.upload(); // the checkpoints to go on from
                } catch (RuntimeException also) {
                    e.addSuppressed(also);
                }
                throw e;
            }
            output.upload();
            return ending;
        }
    }

    private ExitCode train(JobFile file) {
        long began = System.nanoTime();
        if (file.job().cluster() instanceof LocalProcesses) {
            TableCache.shareWithMembers();
        }
        try (Interruption interruption = Interruption.listen(() -> people().println(
                        (terminal() ? "\r\033[K" : "") + "Stopping after this step ... (Ctrl-C again ends at once)"))) {
            JobFile now = file;
            while (true) {
                try (ReadyJob ready = ReadyJob.check(now).changeable()) {
                    ready.lockOutput();
                    preparing = (System.nanoTime() - began) / 1e9;
                    introduce(ready);
                    History history = ready.run(resume, interruption, watchers());
                    double seconds = (System.nanoTime() - began) / 1e9;
                    Optional<JobFile> next = interruption.getAsBoolean() ? Optional.empty() : ready.next(history);
                    if (next.isEmpty()) {
                        return history.ending() == History.Ending.INTERRUPTED
                                ? interrupted(ready, history, seconds)
                                : finished(ready, history, seconds);
                    }
                    people().println("The run goes on with the job that it was given meanwhile.");
                    now = next.get();
                    resume = true;
                }
            }
        }
    }

    private ExitCode submit(Job job) {
        if (detach || trace != null) {
            throw new UsageException(
                    "--detach and --trace do not go with a Spark cluster of other machines; for a driver that is not here:"
                            + " --deploy-mode cluster");
        }
        List<String> command = submission.command(job, name, arguments());
        if (submission.onlyPrints()) {
            people().println(NextCommand.line(command));
            answer(Map.of("command", command));
            return ExitCode.FINE;
        }
        people().flush();
        return SubmitOptions.run(command);
    }

    private ExitCode detached(JobFile file) {
        if (trace != null) {
            throw new UsageException("--trace and --detach do not go together: expected one of them");
        }
        try (ReadyJob ready = ReadyJob.check(file)) {
            introduce(ready);
        }
        DetachedRun run = DetachedRun.start(file.job(), resume);
        String folder = file.job().output().toString();
        people().println("It trains in process " + run.process() + " and writes to " + folder
                + "/log.txt; to look at it:");
        people().println("  ./tutti status " + folder);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("job", file.job().name());
        answer.put("process", run.process());
        answer.put("output", folder);
        answer(answer);
        return ExitCode.FINE;
    }

    private Callback[] watchers() {
        List<Callback> watchers = new ArrayList<>(List.of(Callbacks.progress(people(), terminal())));
        if (trace != null) {
            watchers.add(Callbacks.trace(trace));
        }
        remote.ifPresent(output -> watchers.add(output.uploads()));
        return watchers.toArray(Callback[]::new);
    }

    private void introduce(ReadyJob ready) {
        Job job = ready.job();
        people().printf(
                        Locale.ROOT,
                        "%s: %s, %,d parameters, %s%n",
                        job.name(),
                        ready.train().size().isPresent()
                                ? String.format(
                                        Locale.ROOT,
                                        "%,d rows",
                                        ready.train().size().getAsLong())
                                : "rows from " + job.data().train(),
                        ready.model().vector().size(),
                        counted(job.epochs(), "epoch"));
        for (AdoptionReport report : ready.adopted()) {
            people().println("Weights of " + report.summary() + ".");
            if (report.count(AdoptionReport.Fate.MISMATCHED) + report.count(AdoptionReport.Fate.LEFT) > 0) {
                people().print(report.table());
            }
        }
        Model model = ready.model();
        long learning = model.trainable().stream().mapToLong(Range::length).sum();
        if (learning < model.vector().size()) {
            people().printf(
                            Locale.ROOT,
                            "%,d parameters learn, %,d are frozen%n",
                            learning,
                            model.vector().size() - learning);
        }
        if (!incremental.drift().isEmpty()) {
            people().println("The new rows beside those the model was made from:");
            incremental.drift().stream().limit(MOST_DRIFTS).forEach(drift -> people().println("  " + drift.sentence()));
        }
        Checkpoints earlier = new Checkpoints(job);
        if (!resume) {
            new EarlierRun(job)
                    .aside()
                    .ifPresent(aside -> people().println("The finished model in " + job.output()
                            + " is another job's or has other settings: it is kept in " + aside + "."));
        }
        if (resume && !earlier.exist()) {
            people().println("There is no checkpoint in " + earlier.folder() + ": starting from the beginning.");
        } else if (!resume && earlier.unfinished()) {
            people().println("Starting anew. An unfinished run was found: its checkpoints are kept in "
                    + earlier.aside() + "; with --resume it would have gone on.");
        }
    }

    private ExitCode interrupted(ReadyJob ready, History history, double seconds) {
        String command = calledWith("--resume");
        showTimes(history);
        Checkpoints checkpoints = new Checkpoints(ready.job());
        people().println(
                        checkpoints.exist()
                                ? "Stopped. A checkpoint is in " + shown(checkpoints.folder()) + "; to go on:"
                                : "Stopped before the first checkpoint; to begin again:");
        people().println("  " + command);
        Map<String, Object> answer = result(ready, history, seconds);
        answer.remove("model");
        answer.put("resume", command);
        answer(answer);
        return ExitCode.INTERRUPTED;
    }

    private ExitCode finished(ReadyJob ready, History history, double seconds) {
        Map<String, Object> answer = result(ready, history, seconds);
        if (!incremental.drift().isEmpty()) {
            answer.put("drift", incremental.drift());
        }
        incremental.oldData().ifPresent(old -> {
            try (SavedModel saved = SavedModel.load(ready.job().output().model())) {
                Evaluation before = saved.trainer().evaluate(old);
                people().println("On the data it was measured by before: " + before);
                answer.put("oldData", before);
                incremental.from().ifPresent(from -> answer.put("forgetting", forgetting(from, old, before)));
            }
        });
        AtomicFile.write(ready.job().output().result(), Json.write(answer) + "\n");
        String folder = shown(ready.job().output().path());
        showTimes(history);
        notices(ready).forEach(people()::println);
        history.reason().ifPresent(reason -> people().println("Stopped early: " + reason + "."));
        people().printf(
                        Locale.ROOT,
                        "%nTrained in %.1f s: %s. The model is in %s; next, for instance:%n",
                        seconds,
                        history.epochs().isEmpty() ? "no epoch" : history.last().measured(),
                        folder);
        if (remote.isEmpty()) {
            people().println("  " + NextCommand.of("evaluate", folder));
            exampleInput(ready).ifPresent(input -> people().println("  " + NextCommand.of("predict", folder, input)));
            people().println("  "
                    + NextCommand.of("export", folder, "--output", ready.job().name() + ".pt"));
        } else {
            people().println("  hadoop fs -get " + folder);
        }
        answer(answer);
        return ExitCode.FINE;
    }

    private String shown(Path path) {
        return remote.map(output -> output.shown(path)).orElse(path.toString());
    }

    /** How much worse each metric is on old data than it was with the model before; below 0 where it is better. */
    private Map<String, Double> forgetting(Path from, Dataset old, Evaluation now) {
        Map<String, Double> lost = new LinkedHashMap<>();
        try (SavedModel saved = SavedModel.load(from)) {
            Evaluation was = saved.trainer().evaluate(old);
            for (Metric metric : saved.made().recipe().metrics()) {
                double difference = was.get(metric.name()) - now.get(metric.name());
                lost.put(metric.name(), metric.higherIsBetter() ? difference : -difference);
            }
            lost.put("loss", now.loss() - was.loss());
        }
        people().println("Forgotten of it: " + lost);
        return lost;
    }

    /** What there is to say about the data, such as rows that were left out; each line once. */
    private static List<String> notices(ReadyJob ready) {
        LinkedHashSet<String> lines = new LinkedHashSet<>(ready.notices());
        return List.copyOf(lines);
    }

    private void showTimes(History history) {
        if (history.times().members().isEmpty()) {
            return;
        }
        people().println();
        people().printf(
                        Locale.ROOT,
                        "%.1f s to read the data, fit the columns and build the model; then, by member:%n",
                        preparing);
        people().print(history.times());
        people().println(history.times().limit());
        if (!history.strategy().text().isEmpty()) {
            people().println();
            people().print(history.strategy().text());
        }
        if (trace != null) {
            people().println("The timeline is in " + trace + ": open it in chrome://tracing or ui.perfetto.dev.");
        }
    }

    /** An image that the model can be asked about, where one comes with Tutti. */
    private static Optional<String> exampleInput(ReadyJob ready) {
        Path datasets = Path.of(System.getProperty("tutti.datasets", "datasets"));
        Path sample = datasets.resolve(Path.of("mnist", "samples", "seven.png"));
        boolean digits = ready.job().data().train().toString().startsWith("mnist") && Files.exists(sample);
        return digits ? Optional.of(NextCommand.fromHere(sample, Path.of("")).toString()) : Optional.empty();
    }

    private Map<String, Object> result(ReadyJob ready, History history, double seconds) {
        Job job = ready.job();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("job", job.name());
        answer.put("ending", history.ending().name().toLowerCase(Locale.ROOT));
        if (!history.epochs().isEmpty()) {
            Evaluation measured = history.last().measured();
            answer.putAll(measured.metrics());
            answer.put("loss", measured.loss());
            answer.put("measuredOn", history.last().validation().isEmpty() ? "training" : "validation");
            answer.put("steps", history.last().steps());
        }
        answer.put("epochs", history.epochs().size());
        answer.put("seconds", seconds);
        answer.put("parameters", ready.model().vector().size());
        answer.put(
                "learning",
                ready.model().trainable().stream().mapToLong(Range::length).sum());
        if (!ready.adopted().isEmpty()) {
            answer.put(
                    "adopted",
                    ready.adopted().stream().map(AdoptionReport::summary).toList());
        }
        job.lora()
                .ifPresent(lora -> answer.put("adapter", job.output().adapter().toString()));
        answer.put("model", shown(job.output().model()));
        if (!notices(ready).isEmpty()) {
            answer.put("notices", notices(ready));
        }
        answer.putAll(history.strategy().values());
        answer.put("history", history.epochs());
        Map<String, Object> times = new LinkedHashMap<>();
        times.put("preparing", preparing);
        times.put("limit", history.times().limit());
        times.put("members", history.times().members());
        answer.put("times", times);
        return answer;
    }
}
