package dev.tutti.strategy;

import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.comm.MemberLostException;
import dev.tutti.json.Json;
import dev.tutti.train.History;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.profile.MemberTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every member keeps its own books; at the end the chief has those of all. */
@Timeout(120)
class WhereTheTimeGoesTest {
    private static final int MEMBERS = 3;

    @TempDir
    private Path folder;

    @Test
    void isKnownOfAllMembers() throws IOException {
        Path trace = folder.resolve("trace.json");
        for (History history : train((member, point) -> {}, trace)) {
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
    void isNoReasonToFailWhenAMemberIsLostAtTheEnd() throws IOException {
        Path trace = folder.resolve("trace.json");
        List<History> histories = train(
                (member, point) -> {
                    if (member.equals("worker-2") && point.equals("before where the time went")) {
                        throw new MemberLostException(List.of(member), member + " was cut off");
                    }
                },
                trace);
        for (int rank = 0; rank < MEMBERS; rank++) {
            assertThat(histories.get(rank).ending()).isEqualTo(History.Ending.COMPLETED);
            assertThat(histories.get(rank).times().members())
                    .extracting(MemberTime::member)
                    .containsExactly("worker-" + rank);
        }
        assertThat(computedBy(trace)).isEqualTo(Map.of(0, 20));
    }

    private static List<History> train(TestingCluster.Hook hook, Path trace) {
        return List.copyOf(new TestingCluster(MEMBERS, hook)
                .run(place -> Members.Result.of(
                                Blobs.trainer(),
                                Blobs.data(240).batch(24),
                                epochs(2).on(place).with(allReduce()).callbacks(Callbacks.trace(trace)))
                        .history())
                .values());
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
}
