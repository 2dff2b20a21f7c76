package dev.tutti.train.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.data.source.TestingSequentialSource;
import dev.tutti.json.Json;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Agreement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Several data sets are read side by side, each with leases and a place of its own. */
class SideBySideTest {
    private final Map<String, Dataset> data = Map.of(
            "clicks", Dataset.of(new TestingSequentialSource(5, 8, 0, 4)).batch(3),
            "orders", Dataset.of(new TestingSequentialSource(9, 2)).shuffle(4).batch(3));

    /** One member that reads both. */
    private final class Reading implements AutoCloseable {
        private final Team team = Team.alone(1);
        private final Agreement agreement = Agreement.over(team);
        private final Map<String, StepFeed> feeds = new LinkedHashMap<>();
        private final Map<String, List<Long>> read;

        Reading(Position from, Map<String, List<Long>> read) {
            this.read = read;
            team.meet(0);
            data.forEach((name, rows) -> feeds.put(
                    name,
                    new ChunkSupply(team, agreement, new Timing(), name)
                            .open(
                                    rows,
                                    3,
                                    0,
                                    from == null ? null : from.in(name).orElse(null))));
        }

        /** One batch of each that has more. */
        boolean step() {
            boolean more = false;
            for (Map.Entry<String, StepFeed> feed : feeds.entrySet()) {
                Optional<Batch> batch = feed.getValue().next();
                feed.getValue().gather(agreement);
                feed.getValue().count(feed.getValue().hasNext());
                if (batch.isPresent()) {
                    LongStream.of(batch.get().labels().get(0).longs())
                            .forEach(read.computeIfAbsent(feed.getKey(), name -> new ArrayList<>())::add);
                }
                more |= feed.getValue().hasNext();
            }
            return more;
        }

        Position position() {
            Map<String, Position> places = new LinkedHashMap<>();
            feeds.forEach((name, feed) -> places.put(name, feed.position()));
            return Position.sideBySide(0, places);
        }

        @Override
        public void close() {
            feeds.values().forEach(StepFeed::close);
            team.close();
        }
    }

    @Test
    void eachGoesOnAtItsOwnPlace() {
        for (int cut = 0; cut < 6; cut++) {
            Map<String, List<Long>> read = new LinkedHashMap<>();
            Position saved;
            try (Reading first = new Reading(null, read)) {
                for (int i = 0; i < cut; i++) {
                    first.step();
                }
                saved = Json.read(Json.write(first.position()), Position.class, "here");
            }
            assertThat(saved.rows())
                    .isEqualTo(read.values().stream().mapToLong(List::size).sum());
            try (Reading second = new Reading(saved, read)) {
                while (second.step()) {
                    continue;
                }
                assertThat(second.position().rows()).isEqualTo(28);
            }
            assertThat(read.get("clicks"))
                    .as("cut after " + cut)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, 17).boxed().toList());
            assertThat(read.get("orders"))
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, 11).boxed().toList());
        }
    }

    @Test
    void placesOfOneAndOfSeveralAreNotMistakenForEachOther() {
        Position several = Position.sideBySide(0, Map.of("clicks", Position.behind(0, 6)));
        assertThatThrownBy(() -> data.get("clicks").open(0, several)).hasMessageContaining("[clicks]: open each");
        assertThatThrownBy(() -> Position.behind(0, 6).in("clicks")).hasMessageContaining("received a place in one");
        assertThat(several.isCountOfRows()).isFalse();
        assertThat(several.in("orders")).isEmpty();
        assertThat(Json.write(Position.behind(0, 6))).doesNotContain("datasets");
    }
}
