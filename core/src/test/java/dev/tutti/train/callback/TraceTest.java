package dev.tutti.train.callback;

import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import dev.tutti.train.Blobs;
import dev.tutti.train.EpochResult;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.MemberTime;
import dev.tutti.train.profile.Timeline;
import dev.tutti.train.profile.Timing.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The timeline of a run is what Chrome's trace viewer reads: an array of events. */
@Timeout(60)
class TraceTest {
    @TempDir
    private Path folder;

    @Test
    void holdsEveryStepOfARun() throws IOException {
        Path file = folder.resolve("sub/trace.json");
        try (Trainer trainer = Blobs.trainer()) {
            History history = trainer.fit(Blobs.data(100).batch(10), epochs(2).callbacks(Callbacks.trace(file)));
            MemberTime own = history.times().members().get(0);
            assertThat(own.steps()).isEqualTo(20);
            assertThat(own.samples()).isEqualTo(200);
            assertThat(own.elapsed()).isGreaterThan(own.inSteps());
        }
        JsonNode events = read(file);
        assertThat(count(events, "compute")).isEqualTo(20);
        assertThat(count(events, "update")).isEqualTo(20);
        assertThat(count(events, "epoch 1")).isEqualTo(1);
        assertThat(count(events, "epoch 2")).isEqualTo(1);
        assertThat(events.get(0).path("ph").asText()).isEqualTo("M");
        assertThat(events.get(0).path("args").path("name").asText()).isEqualTo("worker-0");
        for (JsonNode event : events) {
            if (event.path("ph").asText().equals("X")) {
                assertThat(event.path("dur").asDouble()).isNotNegative();
                assertThat(event.path("ts").isNumber()).isTrue();
                assertThat(event.path("pid").isInt() && event.path("tid").isInt())
                        .isTrue();
            }
        }
    }

    @Test
    void isWholeWhileItGrowsAndAfterAFailure() throws IOException {
        Path file = folder.resolve("trace.json");
        Callback failing = new Callback() {
            @Override
            public void epoch(Run run, EpochResult result) {
                assertThat(count(readUnchecked(file), "compute")).isEqualTo(10);
                throw new TrainingException("enough");
            }
        };
        try (Trainer trainer = Blobs.trainer()) {
            assertThatThrownBy(() ->
                            trainer.fit(Blobs.data(100).batch(10), epochs(2).callbacks(Callbacks.trace(file), failing)))
                    .hasMessage("enough");
        }
        assertThat(count(read(file), "compute")).isEqualTo(10);
    }

    @Test
    void keepsOnlySoMuch() {
        Timeline timeline = new Timeline(300);
        for (int i = 0; i < 1000; i++) {
            timeline.stretch(Phase.WIRE, i, i + 7);
        }
        assertThat(timeline.size()).isEqualTo(300);
        assertThat(timeline.full()).isTrue();
        Timeline sent = Timeline.of(timeline.numbers());
        assertThat(sent.size()).isEqualTo(300);
        Set<Phase> phases = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            phases.add(sent.phase(i));
            assertThat(sent.length(i)).isEqualTo(7);
            assertThat(sent.began(i)).isEqualTo(timeline.began(0) + i);
        }
        assertThat(phases).containsExactly(Phase.WIRE);
    }

    private static int count(JsonNode events, String name) {
        int count = 0;
        for (JsonNode event : events) {
            count += event.path("name").asText().equals(name) ? 1 : 0;
        }
        return count;
    }

    private static JsonNode read(Path file) throws IOException {
        JsonNode events = Json.json().readTree(Files.readString(file));
        assertThat(events.isArray()).isTrue();
        return events;
    }

    private static JsonNode readUnchecked(Path file) {
        try {
            return read(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
