package dev.tutti.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.json.ConfigException;
import org.junit.jupiter.api.Test;

class SearchSpaceTest {
    private static final String JOB = """
            data: mnist
            model:
              type: sequential
              layers: [flatten, {type: dense, units: {logInt: [16, 128]}}, {type: dense, units: 10}]
            optimizer: {type: adam, learningRate: {log: [1e-4, 1e-1]}}
            batch: {choice: [32, 64]}
            seed: {int: [1, 3]}
            movingAverage: {uniform: [0, 0.5]}
            tune: {trials: 5, scheduler: hyperband}
            """;

    @Test
    void openPlacesAreFoundAnywhere() {
        SearchSpace space = SearchSpace.of(JOB, "job.yaml");

        assertThat(space.dimensions().stream().map(Dimension::path))
                .containsExactly("model.layers.1.units", "optimizer.learningRate", "batch", "seed", "movingAverage");
        assertThat(space.settings().trials()).isEqualTo(5);
        assertThat(space.settings().scheduler()).isEqualTo(TuneSettings.Scheduling.HYPERBAND);
    }

    @Test
    void valuesGoToTheirPlacesAndBack() {
        SearchSpace space = SearchSpace.of(JOB, "job.yaml");
        double[] point = {0.3, 0.5, 0.9, 0.1, 0.25};
        var values = space.values(point);
        var job = space.job(values);

        assertThat(job.at("/optimizer/learningRate").doubleValue()).isBetween(0.00316, 0.00317);
        assertThat(job.at("/batch").intValue()).isEqualTo(64);
        assertThat(job.at("/seed").intValue()).isEqualTo(1);
        assertThat(job.at("/model/layers/1/units").intValue()).isBetween(16, 128);
        assertThat(job.at("/model/layers/2/units").intValue()).isEqualTo(10);
        assertThat(job.has("tune")).isFalse();
        assertThat(space.values(space.point(values))).isEqualTo(values);
    }

    @Test
    void bothEndsOfARangeOccur() {
        SearchSpace space = SearchSpace.of("a: {logInt: [2, 9]}", "job");
        Dimension dimension = space.dimensions().get(0);

        assertThat(dimension.at(0).intValue()).isEqualTo(2);
        assertThat(dimension.at(1).intValue()).isEqualTo(9);
    }

    @Test
    void wrongRangesSayWhatWasExpectedAndWhere() {
        assertThatThrownBy(() -> SearchSpace.of("a: 1\nrate: {log: [0, 1]}", "job.yaml"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("job.yaml:2")
                .hasMessageContaining("both above 0")
                .hasMessageContaining("[0,1]");
        assertThatThrownBy(() -> SearchSpace.of("units: {int: [8, 8.5]}", "job.yaml"))
                .hasMessageContaining("whole number");
        assertThatThrownBy(() -> SearchSpace.of("data: mnist", "job.yaml"))
                .hasMessageContaining("nothing is left open");
    }
}
