package dev.tutti.tune;

import dev.tutti.tune.schedule.TrialScheduler;
import dev.tutti.tune.schedule.TrialScheduler.Work;
import dev.tutti.tune.search.Searcher;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleBiFunction;

/** A search without training: a function tells what each trial shows after each epoch. Places take turns, an epoch each. */
final class SimulatedSearch {
    private final SearchSpace space;
    private final TuneSettings settings;
    private final int epochs;
    private final ToDoubleBiFunction<Trial, Integer> objective;
    final TrialTable table;
    final List<TrialEvent> journal = new ArrayList<>();

    SimulatedSearch(
            SearchSpace space,
            TuneSettings settings,
            int epochs,
            boolean higher,
            ToDoubleBiFunction<Trial, Integer> f) {
        this.space = space;
        this.settings = settings;
        this.epochs = epochs;
        this.objective = f;
        table = new TrialTable(higher);
    }

    SimulatedSearch run() {
        Searcher searcher = Searcher.of(space, settings);
        TrialScheduler scheduler = TrialScheduler.of(space, settings, epochs);
        Deque<Trial> running = new ArrayDeque<>();
        while (true) {
            while (running.size() < settings.places()) {
                Optional<Work> work = scheduler.next(table, table.trials().size() < settings.trials());
                if (work.isEmpty()) {
                    break;
                }
                if (work.get() instanceof Work.Exchange exchange) {
                    record(TrialEvent.exchanged(
                            exchange.trial().number(),
                            exchange.trial().epochs(),
                            exchange.source().map(Trial::number).orElse(null),
                            exchange.source().orElse(exchange.trial()).values()));
                    continue;
                }
                Trial trial;
                if (work.get() instanceof Work.GoOn goOn) {
                    trial = goOn.trial();
                } else {
                    int number = table.trials().size() + 1;
                    record(TrialEvent.made(number, space.values(searcher.suggest(table, number))));
                    trial = table.trial(number);
                }
                record(TrialEvent.begun(trial.number()));
                running.add(trial);
            }
            if (running.isEmpty()) {
                return this;
            }
            Trial trial = running.poll();
            int epoch = trial.epochs() + 1;
            record(TrialEvent.measured(trial.number(), epoch, objective.applyAsDouble(trial, epoch)));
            if (epoch == epochs) {
                record(TrialEvent.finished(trial.number(), 0));
            } else if (scheduler.goesOn(table, trial, epoch)) {
                running.add(trial);
            } else {
                record(TrialEvent.paused(trial.number(), 0));
            }
        }
    }

    private void record(TrialEvent event) {
        journal.add(event);
        table.apply(event);
    }
}
