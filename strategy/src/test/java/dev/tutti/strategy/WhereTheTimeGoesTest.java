package dev.tutti.strategy;

import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.comm.Team;
import dev.tutti.json.Json;
import dev.tutti.train.Assignment;
import dev.tutti.train.Callbacks;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.MemberTime;
import dev.tutti.train.Trainer;
import dev.tutti.train.Workplace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every member keeps its own books; at the end the chief has those of all. */
@Timeout(120)
class WhereTheTimeGoesTest {
    private static final int MEMBERS = 3;

    @TempDir
    private Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void isKnownOfAllMembers() throws Exception {
        Path trace = folder.resolve("trace.json");
        for (History history : train(BarrierTeam.of(MEMBERS), trace)) {
            List<MemberTime> members = history.times().members();
            assertThat(members).extracting(MemberTime::member).containsExactly("worker-0", "worker-1", "worker-2");
            assertThat(members).allSatisfy(each -> {
                assertThat(each.steps()).isEqualTo(20);
                assertThat(each.compute()).isPositive();
                assertThat(each.wire()).isPositive();
                assertThat(each.sent()).isPositive();
                assertThat(each.elapsed()).isGreaterThan(each.inSteps());
            });
            assertThat(members.stream().mapToLong(MemberTime::samples).sum()).isEqualTo(2 * 240);
            assertThat(history.times().limit()).contains("% of the step");
        }
        assertThat(computedBy(trace)).isEqualTo(Map.of(0, 20, 1, 20, 2, 20));
    }

    @Test
    void isNoReasonToFailWhenAMemberIsLostAtTheEnd() throws Exception {
        Path trace = folder.resolve("trace.json");
        List<History> histories = train(BarrierTeam.of(MEMBERS, "where the time went"), trace);
        for (int rank = 0; rank < MEMBERS; rank++) {
            assertThat(histories.get(rank).ending()).isEqualTo(History.Ending.COMPLETED);
            assertThat(histories.get(rank).times().members())
                    .extracting(MemberTime::member)
                    .containsExactly("worker-" + rank);
        }
        assertThat(computedBy(trace)).isEqualTo(Map.of(0, 20));
    }

    private List<History> train(List<Team> teams, Path trace) throws Exception {
        List<Future<History>> runs = new ArrayList<>();
        for (Team team : teams) {
            Fit fit = epochs(2).on(new Given(team)).with(allReduce());
            Fit traced = team.group().isChief() ? fit.callbacks(Callbacks.trace(trace)) : fit;
            runs.add(threads.submit(() -> {
                try (Trainer trainer = Blobs.trainer()) {
                    return trainer.fit(Blobs.data(240).batch(24), traced);
                }
            }));
        }
        List<History> histories = new ArrayList<>();
        for (Future<History> run : runs) {
            histories.add(run.get(90, TimeUnit.SECONDS));
        }
        return histories;
    }

    /** How many stretches of computing each process of a trace has. */
    private static Map<Integer, Integer> computedBy(Path trace) throws IOException {
        Map<Integer, Integer> counts = new TreeMap<>();
        for (JsonNode event : Json.json().readTree(Files.readString(trace))) {
            if (event.path("name").asText().equals("compute")) {
                counts.merge(event.path("pid").asInt(), 1, Integer::sum);
            }
        }
        return counts;
    }

    private record Given(Team team) implements Workplace {
        @Override
        public Team assemble(Assignment work) {
            return team;
        }
    }
}
