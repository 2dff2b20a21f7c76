package dev.tutti.tune.schedule;

import dev.tutti.tune.Trial;
import dev.tutti.tune.TrialState;
import dev.tutti.tune.TrialTable;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Population-based training (Jaderberg et al., 2017), in generations: after every {@code interval} epochs all trials wait for each
 * other; those of the worst quarter take over the parameters of one of the best quarter and perturb its settings.
 */
public final class PopulationTraining implements TrialScheduler {
    private static final int QUARTER = 4;

    private final int size;
    private final int interval;
    private final long seed;

    public PopulationTraining(int size, int interval, long seed) {
        this.size = size;
        this.interval = interval;
        this.seed = seed;
    }

    @Override
    public Optional<Work> next(TrialTable table, boolean mayMake) {
        Optional<Work> waiting = RunToEnd.waiting(table);
        if (waiting.isPresent()) {
            return waiting;
        }
        if (mayMake && table.trials().size() < size) {
            return Optional.of(new Work.Make());
        }
        int generation = table.trials().stream()
                .filter(trial -> trial.state() != TrialState.FAILED)
                .mapToInt(Trial::epochs)
                .min()
                .orElse(0);
        boolean complete = generation > 0
                && generation % interval == 0
                && table.trials().stream()
                        .allMatch(trial -> trial.state() == TrialState.FAILED
                                || trial.epochs() > generation
                                || trial.measured().containsKey(generation) && trial.state() == TrialState.PAUSED);
        if (!complete) {
            return Optional.empty();
        }
        List<Trial> paused = table.trials().stream()
                .filter(trial -> trial.state() == TrialState.PAUSED && trial.epochs() == generation)
                .toList();
        Optional<Trial> open = paused.stream()
                .filter(trial -> trial.exchangedAt() != generation)
                .findFirst();
        return open.isPresent() // all exchange before one goes on, so that checkpoints are those of this generation
                ? open.map(trial -> new Work.Exchange(trial, source(table, trial, generation)))
                : paused.stream().findFirst().map(Work.GoOn::new);
    }

    /** The trial to take over from, for one of the worst quarter. */
    private Optional<Trial> source(TrialTable table, Trial trial, int generation) {
        List<Trial> ranked = table.rankedAt(generation);
        int quarter = Math.max(1, ranked.size() / QUARTER);
        boolean worst = ranked.size() > 1 && ranked.indexOf(trial) >= ranked.size() - quarter;
        if (!worst) {
            return Optional.empty();
        }
        SplittableRandom random = new SplittableRandom(seed + 31L * generation + 1009L * trial.number());
        return Optional.of(ranked.get(random.nextInt(quarter)));
    }

    @Override
    public boolean goesOn(TrialTable table, Trial trial, int epoch) {
        return epoch % interval != 0;
    }
}
