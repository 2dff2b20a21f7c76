package dev.tutti.tune.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.TuttiException;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.tune.Dimension;
import dev.tutti.tune.SearchSpace;
import dev.tutti.tune.Trial;
import dev.tutti.tune.TrialEvent;
import dev.tutti.tune.TrialState;
import dev.tutti.tune.TrialTable;
import dev.tutti.tune.TuneSettings;
import dev.tutti.tune.schedule.TrialScheduler;
import dev.tutti.tune.schedule.TrialScheduler.Work;
import dev.tutti.tune.search.Searcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A search for good settings of a job: trials run in places of this machine, side by side.
 *
 * <pre>{@code
 * Tuning tuning = Tuning.of(SearchSpace.of(text, "job.yaml"), settings, "job", folder);
 * TuneResult result = tuning.run(false, () -> false, event -> {});
 * }</pre>
 *
 * <p>Every event is in the journal before it counts, and all decisions follow from the events: after a kill of this process, {@code
 * run(true, ...)} goes on where it was, each trial from its newest checkpoint.
 */
public final class Tuning {
    private final TuneSettings settings;
    private final SearchSpace space;
    private final TuneFolder folder;
    private final TrialJob jobs;
    private final Searcher searcher;
    private final TrialScheduler scheduler;
    private final boolean processes;
    private TrialTable table;
    private TuneJournal journal;
    private Consumer<TrialEvent> listener = event -> {};
    private BooleanSupplier interrupted = () -> false;
    private int busy;
    private RuntimeException failure;

    private Tuning(SearchSpace space, TuneSettings settings, String name, Path folder, boolean processes) {
        settings.validate();
        this.space = space;
        this.settings = settings;
        this.folder = new TuneFolder(folder);
        this.processes = processes;
        jobs = new TrialJob(space, settings, name, this.folder);
        searcher = Searcher.of(space, settings);
        scheduler = TrialScheduler.of(space, settings, jobs.epochs());
    }

    /** A search whose trials run in processes of this machine. */
    public static Tuning of(SearchSpace space, TuneSettings settings, String name, Path folder) {
        return new Tuning(space, settings, name, folder, true);
    }

    /** The same with trials on threads of this JVM: quicker to begin, but a trial that crashes takes the JVM with it. */
    public static Tuning onThreads(SearchSpace space, TuneSettings settings, String name, Path folder) {
        return new Tuning(space, settings, name, folder, false);
    }

    public TuneFolder folder() {
        return folder;
    }

    /** The value that is compared. */
    public String metric() {
        return jobs.metric();
    }

    /**
     * Searches until all trials have ended, or until it is interrupted; then trials under way wait with a checkpoint.
     *
     * @param resume whether to go on with the search that the folder tells of; otherwise that one is moved aside
     * @param stop asked after each epoch of each trial; true ends the search
     * @param watcher told of every event, by one thread at a time
     */
    public TuneResult run(boolean resume, BooleanSupplier stop, Consumer<TrialEvent> watcher) {
        long began = System.nanoTime();
        if (!resume) {
            folder.setAside();
        }
        listener = watcher;
        interrupted = stop;
        try (TuneJournal opened = new TuneJournal(folder.journal())) {
            journal = opened;
            table = new TrialTable(jobs.higherIsBetter());
            journal.earlier().forEach(table::apply);
            for (Trial trial : table.trials()) {
                if (trial.state() == TrialState.RUNNING) { // the search was killed meanwhile
                    record(TrialEvent.interrupted(trial.number()));
                }
            }
            work();
            boolean done = !interrupted.getAsBoolean();
            Optional<Trial> best = table.best();
            if (done && best.isPresent()) {
                keepBest(best.get());
            }
            AtomicFile.write(folder.picture(), new ParallelCoordinates(space, table, jobs.metric()).svg());
            TuneResult result =
                    TuneResult.of(space, table, jobs.metric(), folder, done, (System.nanoTime() - began) / 1e9);
            AtomicFile.write(folder.result(), Json.write(result) + "\n");
            return result;
        }
    }

    private void work() {
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= settings.places(); i++) {
            int number = i;
            Thread thread = new Thread(() -> occupy(number), "tutti-place-" + i);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            try {
                thread.join(); // each ends by itself when there is nothing left to do, or the search is interrupted
            } catch (InterruptedException e) {
                threads.forEach(Thread::interrupt);
                Thread.currentThread().interrupt();
                throw new TuttiException("the search was interrupted");
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void occupy(int number) {
        try (TrialPlace place = processes ? new ProcessPlace(number, folder.path()) : new ThreadPlace()) {
            for (Optional<Trial> trial = take(); trial.isPresent(); trial = take()) {
                long began = System.nanoTime();
                Trial taken = trial.get();
                TrialOrder order = jobs.order(taken, hasCheckpoint(taken), false);
                TrialEnding ending = place.run(order, (epoch, measured) -> judge(taken, epoch, measured));
                ended(taken, ending, (System.nanoTime() - began) / 1e9);
            }
        } catch (RuntimeException e) {
            synchronized (this) {
                failure = failure == null ? e : failure;
                notifyAll();
            }
        }
    }

    private boolean hasCheckpoint(Trial trial) {
        Path checkpoints = folder.trial(trial.name()).resolve("checkpoints");
        if (!Files.isDirectory(checkpoints)) {
            return false;
        }
        try (Stream<Path> files = Files.list(checkpoints)) {
            return files.anyMatch(file -> file.toString().endsWith(".safetensors"));
        } catch (IOException e) {
            throw new FileException(checkpoints.toString(), "cannot be listed: " + e.getMessage(), e);
        }
    }

    /** The next trial to work on; waits for other places while they may bring some; empty when there is nothing left. */
    private synchronized Optional<Trial> take() {
        while (failure == null && !interrupted.getAsBoolean()) {
            Optional<Work> work = scheduler.next(table, table.trials().size() < settings.trials());
            if (work.isPresent()) {
                Optional<Trial> trial = prepared(work.get());
                if (trial.isPresent()) {
                    record(TrialEvent.begun(trial.get().number()));
                    busy++;
                    return trial;
                }
                continue; // an exchange was made
            }
            if (busy == 0) {
                return Optional.empty();
            }
            try {
                wait(1000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    private Optional<Trial> prepared(Work work) {
        if (work instanceof Work.Make) {
            int number = table.trials().size() + 1;
            record(TrialEvent.made(number, space.values(searcher.suggest(table, number))));
            return Optional.of(table.trial(number));
        }
        if (work instanceof Work.GoOn goOn) {
            return Optional.of(goOn.trial());
        }
        Work.Exchange exchange = (Work.Exchange) work;
        exchange(exchange.trial(), exchange.source());
        return Optional.empty();
    }

    /** The trial goes on from the checkpoint of another one, with settings near those. */
    private void exchange(Trial trial, Optional<Trial> source) {
        int epoch = trial.epochs();
        if (source.isEmpty()) {
            record(TrialEvent.exchanged(trial.number(), epoch, null, trial.values()));
            return;
        }
        Path to = folder.trial(trial.name());
        TuneFolder.copy(folder.trial(source.get().name()).resolve("checkpoints"), to.resolve("checkpoints"));
        Map<String, JsonNode> values = perturbed(trial, source.get(), epoch);
        new CheckpointFolder(to.resolve("checkpoints")).adoptRecipe(jobs.config(values));
        record(TrialEvent.exchanged(trial.number(), epoch, source.get().number(), values));
        // The checkpoint is another job's on purpose, so the folder has to say so.
        Path job = to.resolve("job.yaml");
        try {
            Files.deleteIfExists(job);
        } catch (IOException e) {
            throw new FileException(job.toString(), "cannot be removed: " + e.getMessage(), e);
        }
    }

    /** Numbers move by a tenth of their range in one of both directions. What shapes the model cannot change and is taken over. */
    private Map<String, JsonNode> perturbed(Trial trial, Trial source, int epoch) {
        SplittableRandom random = new SplittableRandom(settings.seed() + 7919L * trial.number() + epoch);
        double[] point = space.point(source.values());
        Map<String, JsonNode> values = new LinkedHashMap<>(source.values());
        for (int i = 0; i < point.length; i++) {
            Dimension dimension = space.dimensions().get(i);
            if (!dimension.isChoice() && !dimension.path().startsWith("model.")) {
                double moved = point[i] + (random.nextBoolean() ? 0.1 : -0.1);
                values.put(dimension.path(), dimension.at(Math.min(Math.max(moved, 0), Math.nextDown(1.0))));
            }
        }
        return values;
    }

    private synchronized boolean judge(Trial trial, int epoch, Map<String, Double> measured) {
        record(TrialEvent.measured(trial.number(), epoch, measured.getOrDefault(jobs.metric(), Double.NaN)));
        return epoch >= jobs.epochs() || !interrupted.getAsBoolean() && scheduler.goesOn(table, trial, epoch);
    }

    private synchronized void ended(Trial trial, TrialEnding ending, double seconds) {
        busy--;
        int number = trial.number();
        switch (ending.how()) {
            case FINISHED -> record(TrialEvent.finished(number, seconds));
            case PAUSED -> record(TrialEvent.paused(number, seconds));
            case FAILED -> record(TrialEvent.failed(number, ending.reason(), seconds));
            case LOST -> {
                if (trial.lost() >= settings.retries()) {
                    record(TrialEvent.failed(number, ending.reason() + ", " + (trial.lost() + 1) + " times", seconds));
                } else {
                    record(TrialEvent.lost(number));
                }
            }
        }
        notifyAll();
    }

    private void record(TrialEvent event) {
        journal.append(event);
        table.apply(event);
        listener.accept(event);
    }

    /** The best trial's run, with its model: one that waits with a checkpoint has none yet. */
    private void keepBest(Trial best) {
        Path run = folder.trial(best.name());
        if (!Files.isDirectory(run.resolve("model"))) {
            try (ThreadPlace place = new ThreadPlace()) {
                TrialEnding ending = place.run(jobs.order(best, true, true), (epoch, measured) -> true);
                if (ending.how() != TrialEnding.How.FINISHED) {
                    throw new TuttiException("the model of " + best.name() + " cannot be saved: " + ending.reason());
                }
            }
        }
        TuneFolder.copy(run, folder.best());
        AtomicFile.write(folder.bestJob(), Json.writeYaml(jobs.of(best)));
    }
}
