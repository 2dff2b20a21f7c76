package dev.tutti.bench.harness;

import dev.tutti.bench.process.BenchProcesses;
import dev.tutti.bench.process.Contender;
import dev.tutti.bench.process.ContenderException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs a race: all contenders are prepared, then measured in turn, round after round; who fails drops out. */
public final class Referee {
    private final BenchProcesses children;
    private final Plan general;

    public Referee(BenchProcesses children, Plan plan) {
        this.children = children;
        this.general = plan;
    }

    /** Measures one entrant once, for itself; a {@link ContenderException} says what went wrong. */
    public Map<String, Double> once(Entrant entrant, Cores cores) {
        try (Contender contender = entrant.enter(children, cores, general)) {
            contender.prepare();
            return contender.measure();
        }
    }

    /** Runs the race and gives one row for each comparison, in their order. */
    public List<ResultRow> run(Race race) {
        Plan plan = race.plan(general);
        Map<Entrant, Lane> lanes = new LinkedHashMap<>();
        try {
            for (Entrant entrant : race.entrants()) {
                lanes.put(entrant, new Lane(entrant, entrant.enter(children, race.cores(), plan)));
            }
            lanes.values().forEach(Lane::prepare);
            for (int round = 0; round < plan.repetitions() * race.thoroughness(); round++) {
                lanes.values().forEach(Lane::measure);
            }
        } finally {
            lanes.values().forEach(Lane::close);
        }
        return race.comparisons().stream()
                .map(comparison -> row(race, comparison, plan, lanes.get(race.ours()), lanes.get(comparison.peer())))
                .toList();
    }

    private static ResultRow row(Race race, Comparison comparison, Plan plan, Lane ours, Lane peer) {
        MeasurementSummary mine = null;
        MeasurementSummary theirs = null;
        String failure = null;
        try {
            mine = ours.summary(comparison.measure());
        } catch (ContenderException e) {
            failure = e.getMessage();
        }
        try {
            theirs = peer.summary(comparison.measure());
        } catch (ContenderException e) {
            failure = failure == null ? e.getMessage() : failure + " " + e.getMessage();
        }
        return failure == null
                ? ResultRow.measured(race, comparison, plan, mine, theirs)
                : ResultRow.failed(race, comparison, plan, mine, theirs, failure);
    }

    /** One contender with what it has shown so far. */
    private static final class Lane {
        private final Entrant entrant;
        private final Contender contender;
        private final Map<String, List<Double>> numbers = new TreeMap<>();
        private ContenderException failure;

        Lane(Entrant entrant, Contender contender) {
            this.entrant = entrant;
            this.contender = contender;
        }

        void prepare() {
            attempt(contender::prepare);
        }

        void measure() {
            attempt(() -> contender
                    .measure()
                    .forEach((key, value) -> numbers.computeIfAbsent(key, any -> new ArrayList<>())
                            .add(value)));
        }

        private void attempt(Runnable action) {
            if (failure != null) {
                return;
            }
            try {
                action.run();
            } catch (ContenderException e) {
                failure = e;
                contender.close();
            }
        }

        MeasurementSummary summary(Measure measure) {
            if (failure != null) {
                throw failure;
            }
            List<Double> values = numbers.get(measure.key());
            if (values == null) {
                throw new ContenderException(entrant.name() + " was expected to answer with '" + measure.key()
                        + "', but gave only " + String.join(", ", numbers.keySet()) + ".");
            }
            return MeasurementSummary.of(values);
        }

        void close() {
            contender.close();
        }
    }
}
