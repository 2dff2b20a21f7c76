package dev.tutti.strategy;

import static dev.tutti.strategy.Strategies.averaging;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.train.Fit;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.job.Job;
import dev.tutti.train.job.JobFile;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A job file and Java code that name the same cluster get the same strategy. */
class DefaultStrategyTest {
    private static final Map<String, Launcher> PLACES = Map.of(
            "here", Launcher.here(),
            "{type: threads, workers: 2}", Cluster.threads(2),
            "{type: threads, workers: 1}", Cluster.threads(1),
            "{type: processes, members: 2}", Cluster.processes(2),
            "{type: processes, members: 2, threads: 2}", Cluster.processes(2).workersPerProcess(2));

    private static Job job(String cluster) {
        return JobFile.of("cluster: " + cluster + "\n", "job.yaml", "x").job();
    }

    @Test
    void aJobFileAndJavaAgree() {
        PLACES.forEach((text, place) -> {
            assertThat(Json.write(job(text).cluster())).isEqualTo(Json.write(place));
            assertThat(job(text).strategy())
                    .as(text)
                    .hasToString(Fit.epochs(1).on(place).strategy().toString());
            assertThat(job(text).fit().strategy())
                    .hasToString(job(text).strategy().toString());
        });
        assertThat(Fit.epochs(1).strategy()).hasToString("local()");
        assertThat(JobFile.of("epochs: 1", "job.yaml", "x").job().strategy()).hasToString("local()");
        assertThat(Fit.epochs(1).on(Cluster.threads(2)).strategy()).hasToString("allReduce()");
    }

    @Test
    void whatWasChosenWinsInAnyOrder() {
        assertThat(Fit.epochs(1).with(averaging()).on(Cluster.threads(2)).strategy())
                .isInstanceOf(averaging().getClass());
        assertThat(Fit.epochs(1).on(Cluster.threads(2)).with(averaging()).strategy())
                .isInstanceOf(averaging().getClass());
    }

    @Test
    void severalWorkersTrainWithoutNamingAStrategy() {
        Dataset data = Blobs.data(60).batch(20);
        try (Trainer trainer = Blobs.trainer()) {
            assertThat(trainer.fit(data, Fit.epochs(1).on(Cluster.threads(2))).epochs())
                    .hasSize(1);
        }
    }
}
