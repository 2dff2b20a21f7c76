package dev.tutti.train.job;

import dev.tutti.data.Dataset;
import dev.tutti.data.transform.Transform;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.Temporary;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import dev.tutti.tensor.Engine;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.RemoteLauncher;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.callback.FinalModel;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.profile.TimeReport;
import dev.tutti.train.run.RunRecorder;
import dev.tutti.train.transfer.AdoptionReport;
import dev.tutti.train.transfer.Lora;
import dev.tutti.train.transfer.TaughtSource;
import dev.tutti.train.transfer.TrunkCache;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A job that was checked and can start.
 *
 * <p>Order of calls: {@link #check}, then {@link #run} once, then {@link #close}.
 */
public final class ReadyJob implements AutoCloseable {
    private final Job job;
    private final Trainer trainer;
    private final Dataset train;
    private final Optional<Dataset> validation;
    private final Optional<SavedModel> saved;
    private final List<Transform> preprocessing;
    private final JobTransfer transfer;
    private final List<RunLock> locks = new ArrayList<>();
    private JobChange change; // null: the run cannot go on with another job

    /** @param saved the model to learn on with, if there is one; it is closed with this job */
    ReadyJob(
            Job job,
            Trainer trainer,
            Dataset train,
            Optional<Dataset> validation,
            Optional<SavedModel> saved,
            List<Transform> preprocessing,
            JobTransfer transfer) {
        this.job = job;
        this.trainer = trainer;
        this.train = train;
        this.validation = validation;
        this.saved = saved;
        this.preprocessing = List.copyOf(preprocessing);
        this.transfer = transfer;
    }

    /**
     * Checks all of a job: every setting, the data, whether the model fits the data and whether the results can be written.
     *
     * @throws dev.tutti.json.ConfigException if the job is wrong; it says where
     * @throws dev.tutti.data.DataException if the data is
     */
    public static ReadyJob check(JobFile file) {
        return new JobCheck(file).check();
    }

    public Job job() {
        return job;
    }

    public Model model() {
        return trainer.model();
    }

    /** What the model has taken over from elsewhere, source by source. */
    public List<AdoptionReport> adopted() {
        return transfer.reports();
    }

    Trainer trainer() {
        return trainer;
    }

    /** The rows to learn from, in the order and the batches they are learned in. */
    public Dataset train() {
        return train;
    }

    public Optional<Dataset> validation() {
        return validation;
    }

    /** What there is to say about the data, one line each: rows that were left out, for instance. */
    public List<String> notices() {
        List<String> lines = new ArrayList<>();
        for (Dataset data : validation.isPresent() ? List.of(train, validation.get()) : List.of(train)) {
            lines.addAll(prepared(data).source().notices());
        }
        return lines;
    }

    /**
     * Locks the folders that the run writes to until {@link #close}, and removes what killed writers have left there. {@link #run}
     * does so too, unless it was done before.
     *
     * @throws dev.tutti.io.FileException if another run uses one of them
     */
    public void lockOutput() {
        if (!locks.isEmpty()) {
            return;
        }
        boolean shared = job.cluster().isStartedByHand();
        Path output = job.output().path();
        Path checkpoints = new Checkpoints(job).folder();
        try {
            for (Path folder : checkpoints
                            .toAbsolutePath()
                            .normalize()
                            .startsWith(output.toAbsolutePath().normalize())
                    ? List.of(output)
                    : List.of(output, checkpoints)) {
                locks.add(RunLock.take(folder, shared));
            }
        } catch (RuntimeException e) {
            unlock();
            throw e;
        }
        if (!shared) {
            Temporary.sweep(output);
            Temporary.sweep(checkpoints);
        }
    }

    /** Whether no other member of the run was there before; what is in the folder is of an earlier run then. */
    private boolean isFirst() {
        return locks.stream().allMatch(RunLock::isFirst);
    }

    private void unlock() {
        locks.forEach(RunLock::close);
        locks.clear();
    }

    /**
     * Asks a run under way to go on with another job from its next epoch on: with other tasks and their part of the model.
     *
     * @throws dev.tutti.json.ConfigException if the job is wrong, or differs in anything else
     */
    public static void requestChange(Path run, JobFile next) {
        JobChange.request(run, next);
    }

    /** Lets the run stop at the end of an epoch when {@link #requestChange} was called; the caller goes on with {@link #next}. */
    public ReadyJob changeable() {
        change = new JobChange(job.output());
        change.forget();
        return this;
    }

    /** The job that a run has stopped for, which is to go on from the newest checkpoint; empty if it has ended for another reason. */
    public Optional<JobFile> next(History history) {
        if (change == null) {
            return Optional.empty();
        }
        if (history.ending() == History.Ending.INTERRUPTED && change.getAsBoolean()) {
            return Optional.of(change.take(this));
        }
        change.forget();
        return Optional.empty();
    }

    /**
     * Trains, and saves the model unless it was interrupted; then the last checkpoint is what counts. The folder of the run tells how
     * it is doing; see {@link RunRecorder}.
     *
     * @param resume whether to go on from the newest checkpoint instead of beginning anew
     * @param interrupted asked after each step; true ends training with a checkpoint
     * @param watchers told how it goes
     */
    public History run(boolean resume, BooleanSupplier interrupted, Callback... watchers) {
        lockOutput();
        RunFolder output = job.output();
        Checkpoints checkpoints = new Checkpoints(job);
        if (resume) {
            checkpoints.requireSameJob();
        } else if (isFirst()) {
            new EarlierRun(job).setAside();
            checkpoints.setAside();
        }
        checkpoints.markUnfinished();
        AtomicFile.write(output.job(), Json.writeYaml(job));
        try (RunRecorder recorder = new RunRecorder(output.path())) {
            if (job.cluster().isStartedByHand()) {
                recorder.startAsMember();
            } else {
                recorder.start(job.epochs());
            }
            try {
                History history = train(resume, interrupted, recorder, watchers);
                if (!goesOn(history, interrupted)) {
                    recorder.finish(history);
                }
                return history;
            } catch (RuntimeException | Error e) {
                recorder.fail(e);
                throw e;
            }
        }
    }

    private boolean goesOn(History history, BooleanSupplier interrupted) {
        return change != null
                && change.getAsBoolean()
                && !interrupted.getAsBoolean()
                && history.ending() == History.Ending.INTERRUPTED;
    }

    private History train(boolean resume, BooleanSupplier interrupted, RunRecorder recorder, Callback... watchers) {
        RunFolder output = job.output();
        FinalModel parts = Callbacks.finalModel(output.model());
        Fit fit = job.fit()
                .on(job.cluster().reachableThrough(output.coordinator()))
                .until(() -> interrupted.getAsBoolean() || change != null && change.getAsBoolean())
                .callbacks(callbacks(watchers))
                .callbacks(recorder);
        if (fit.strategy().buildsParts()
                && !(fit.launcher() instanceof RemoteLauncher)) { // the whole model comes back from those
            fit = fit.callbacks(parts);
        }
        fit = change == null ? fit : fit.callbacks(change);
        fit = validation.isPresent() ? fit.validate(validation.get()) : fit;
        fit = resume ? fit.resume(new Checkpoints(job).folder()) : fit;
        History history = job.cacheTrunk()
                ? fitBehindTrunk(fit, interrupted)
                : job.distill().isPresent() ? fitTaught(fit, job.distill().get()) : trainer.fit(train, fit);
        if (history.epochs().size() >= job.epochs()) {
            history = new History(
                    history.epochs(),
                    History.Ending.COMPLETED,
                    Optional.empty(),
                    history.times(),
                    history.strategy()); // the interruption came too late
        }
        if (history.ending() != History.Ending.INTERRUPTED) {
            if (!parts.isSaved()) {
                trainer.save(
                        output.model(),
                        history.epochs().isEmpty() ? null : history.last().measured());
            }
            if (job.lora().isPresent()) {
                Lora.save(model(), output.adapter());
            }
        }
        return history;
    }

    /** Asks the earlier model once, and learns from its answers beside the labels. */
    private History fitTaught(Fit fit, JobDistillation distill) {
        Dataset taught = Dataset.of(TaughtSource.of(prepared(job.data().train()), distill.teacher()));
        taught = job.shuffle() ? taught.shuffle(job.seed()) : taught;
        taught = job.batch().isPresent() ? taught.batch(job.batch().getAsInt()) : taught;
        TrainingConfig plain = job.config();
        TrainingConfig config = new TrainingConfig(
                plain.optimizer(),
                distill.loss(plain.loss()),
                plain.metrics(),
                plain.movingAverage(),
                plain.seed(),
                plain.precision());
        return Trainer.of(model(), config)
                .cores(job.cores().orElse(Engine.cores()))
                .fit(taught, validation.isPresent() ? fit.validate(prepared(validation.get())) : fit);
    }

    /** Computes the outputs of the frozen first layers once, and trains what is behind them. */
    private History fitBehindTrunk(Fit fit, BooleanSupplier interrupted) {
        TrunkCache trunk = new TrunkCache(model(), job.output().path().resolve("trunk"));
        Optional<Dataset> outputs = trunk.outputs("train", prepared(job.data().train()), interrupted);
        Optional<Dataset> measured = outputs.isEmpty() || validation.isEmpty()
                ? Optional.empty()
                : trunk.outputs("validation", prepared(validation.get()), interrupted);
        if (outputs.isEmpty() || validation.isPresent() && measured.isEmpty()) {
            return new History(
                    List.of(),
                    History.Ending.INTERRUPTED,
                    Optional.of("interrupted before the first step"),
                    new TimeReport(List.of()));
        }
        Dataset cached = outputs.get();
        cached = job.shuffle() ? cached.shuffle(job.seed()) : cached;
        cached = job.batch().isPresent() ? cached.batch(job.batch().getAsInt()) : cached;
        Fit behind = measured.isPresent() ? fit.validate(measured.get()) : fit;
        try (Model head = trunk.head()) {
            History history = Trainer.of(head, job.config())
                    .cores(job.cores().orElse(Engine.cores()))
                    .fit(cached, behind);
            trunk.takeBack(head);
            return history;
        }
    }

    private Dataset prepared(Dataset data) {
        Dataset ready = data;
        for (Transform transform : preprocessing) {
            ready = ready.map(transform);
        }
        return ready;
    }

    /** A loss that is no number is noticed before anything is saved; checkpoints come last, so that they hold what others remember. */
    private Callback[] callbacks(Callback... watchers) {
        List<Callback> all = new ArrayList<>(List.of(Callbacks.stopOnNan()));
        all.addAll(List.of(watchers));
        job.callbacks().forEach(callback -> all.add(callback.make(job.output())));
        all.add(job.checkpoints().saver(job.output()));
        return all.toArray(Callback[]::new);
    }

    @Override
    public void close() {
        unlock();
        trainer.close();
        saved.ifPresent(SavedModel::close);
    }
}
