package dev.tutti.tune.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.tune.SearchSpace;
import dev.tutti.tune.Trial;
import dev.tutti.tune.TrialState;
import dev.tutti.tune.TrialTable;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a search has found.
 *
 * @param metric the value that was compared
 * @param complete false if the search was interrupted
 * @param best the best trial; empty where none was measured
 * @param trials all trials, the best first
 * @param epochs epochs of all trials together
 * @param seconds wall time of this call
 * @param model the folder of the best model; empty where there is none
 * @param picture the parallel coordinates of all trials
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record TuneResult(
        String metric,
        boolean complete,
        Optional<Row> best,
        List<Row> trials,
        long epochs,
        double seconds,
        Optional<String> model,
        String picture) {
    /**
     * One trial.
     *
     * @param values its settings, by what they are called in tables
     * @param value what was measured last; null if nothing was
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Row(
            int trial,
            String state,
            Map<String, JsonNode> values,
            Double value,
            int epochs,
            double seconds,
            Integer from,
            String problem) {}

    static TuneResult of(
            SearchSpace space, TrialTable table, String metric, TuneFolder folder, boolean complete, double seconds) {
        List<Row> rows = table.trials().stream()
                .sorted(Comparator.<Trial>comparingDouble(
                                trial -> table.cost(trial.last().orElse(Double.NaN)))
                        .thenComparingInt(trial -> -trial.epochs()))
                .map(trial -> row(space, trial))
                .toList();
        Optional<Row> best = table.best().map(trial -> row(space, trial));
        return new TuneResult(
                metric,
                complete,
                best,
                rows,
                table.epochs(),
                seconds,
                complete && best.isPresent() ? Optional.of(folder.best().toString()) : Optional.empty(),
                folder.picture().toString());
    }

    private static Row row(SearchSpace space, Trial trial) {
        Map<String, JsonNode> values = new LinkedHashMap<>();
        space.dimensions()
                .forEach(each -> values.put(space.label(each), trial.values().get(each.path())));
        return new Row(
                trial.number(),
                trial.state() == TrialState.PAUSED
                        ? "stopped early"
                        : trial.state().name().toLowerCase(Locale.ROOT),
                values,
                trial.last().isPresent() ? trial.last().getAsDouble() : null,
                trial.epochs(),
                trial.seconds(),
                trial.source(),
                trial.problem().isEmpty() ? null : trial.problem());
    }
}
