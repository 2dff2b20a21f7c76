package dev.tutti.tune.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.tune.SearchSpace;
import dev.tutti.tune.TrialEvent;
import dev.tutti.tune.TuneSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real searches over a small model of a few digits. */
@Timeout(180)
class TuningTest {
    private static final String JOB = """
            data:
              train: {source: mnist, stages: [{type: take, count: 512}]}
              validation: {source: {type: mnist, part: test}, stages: [{type: take, count: 256}]}
            model:
              type: sequential
              layers: [flatten, {type: dense, units: {choice: [8, 16]}, activation: relu}, {type: dense, units: 10}]
            loss: softmaxCrossEntropy
            optimizer: {type: adam, learningRate: {log: [1e-5, 1e-1]}}
            metrics: [accuracy]
            batch: 32
            epochs: 4
            seed: 3
            """;

    @TempDir
    private Path folder;

    private final List<TrialEvent> events = Collections.synchronizedList(new ArrayList<>());

    private static TuneSettings settings() {
        return TuneSettings.defaults().trials(6).places(2).reduction(2);
    }

    private Tuning tuning(boolean processes, TuneSettings settings) {
        SearchSpace space = SearchSpace.of(JOB, "job.yaml");
        Path output = folder.resolve("search");
        return processes
                ? Tuning.of(space, settings, "digits", output)
                : Tuning.onThreads(space, settings, "digits", output);
    }

    @Test
    void findsAModelAndStopsTrialsEarly() throws Exception {
        TuneResult result = tuning(false, settings()).run(false, () -> false, events::add);

        assertThat(result.complete()).isTrue();
        assertThat(result.trials()).hasSize(6);
        assertThat(result.epochs()).isLessThan(24);
        assertThat(result.trials()).anyMatch(row -> row.state().equals("stopped early"));
        assertThat(Files.readString(Path.of(result.picture()))).contains("<svg", "learningRate", "polyline");
        try (SavedModel saved =
                SavedModel.load(Path.of(result.model().orElseThrow()).resolve("model"))) {
            assertThat(saved.metrics().get("accuracy"))
                    .isEqualTo(result.best().orElseThrow().value());
        }
    }

    @Test
    void aSearchThatWasInterruptedGoesOn() {
        AtomicBoolean stop = new AtomicBoolean();
        TuneResult first = tuning(false, settings()).run(false, stop::get, event -> {
            events.add(event);
            stop.set(stop.get() || event.what() == TrialEvent.Kind.MEASURED && event.trial() == 3);
        });
        assertThat(first.complete()).isFalse();
        int done = events.size();

        TuneResult second = tuning(false, settings()).run(true, () -> false, events::add);

        assertThat(second.complete()).isTrue();
        assertThat(second.trials()).hasSize(6);
        List<String> measured = events.stream()
                .filter(event -> event.what() == TrialEvent.Kind.MEASURED)
                .map(event -> event.trial() + "/" + event.epoch())
                .toList();
        assertThat(measured).as("no epoch is trained twice").doesNotHaveDuplicates();
        assertThat(events.subList(done, events.size()))
                .noneMatch(event -> event.what() == TrialEvent.Kind.MADE && event.trial() <= 3);
    }

    @Test
    void aTrialWhoseProcessIsKilledIsTriedAgain() {
        AtomicBoolean killed = new AtomicBoolean();
        TuneResult result = tuning(true, settings().trials(3).scheduler("none")).run(false, () -> false, event -> {
            events.add(event);
            if (event.what() == TrialEvent.Kind.MEASURED && event.epoch() == 2 && killed.compareAndSet(false, true)) {
                ProcessHandle.current()
                        .children()
                        .filter(ProcessHandle::isAlive)
                        .findFirst()
                        .orElseThrow()
                        .destroyForcibly();
            }
        });

        assertThat(events).anyMatch(event -> event.what() == TrialEvent.Kind.LOST);
        assertThat(result.trials()).hasSize(3).allMatch(row -> row.state().equals("finished") && row.epochs() == 4);
        assertThat(ProcessHandle.current()
                        .children()
                        .filter(child ->
                                child.info().commandLine().orElse("").contains("TrialProcessMain") && child.isAlive()))
                .as("no process is left behind")
                .isEmpty();
    }

    @Test
    void aPopulationExchangesParameters() {
        TuneResult result = tuning(
                        false,
                        settings().trials(4).scheduler("pbt").search("random").seed(5))
                .run(false, () -> false, events::add);

        assertThat(result.trials()).allMatch(row -> row.state().equals("finished"));
        assertThat(events).anyMatch(event -> event.what() == TrialEvent.Kind.EXCHANGED && event.source() != null);
    }
}
