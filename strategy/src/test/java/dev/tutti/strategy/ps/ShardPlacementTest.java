package dev.tutti.strategy.ps;

import static dev.tutti.strategy.Strategies.parameterServer;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.Weights;
import dev.tutti.train.Fit;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where a vector is cut, and which server a shard begins on. */
@Timeout(90)
class ShardPlacementTest {
    private static final List<NamedRange> PARAMETERS = List.of(
            new NamedRange("first.weight", new Range(0, 320)),
            new NamedRange("embedding.weight", new Range(320, 160)),
            new NamedRange("last.weight", new Range(480, 330)));

    private static void assertCovers(ShardPlacement layout, long size) {
        long at = 0;
        for (Range range : layout.ranges()) {
            assertThat(range.from()).isEqualTo(at);
            at = range.to();
        }
        assertThat(at).isEqualTo(size);
    }

    @Test
    void withoutPinsThereAreAsManyEqualShardsAsWanted() {
        ShardPlacement layout = ShardPlacement.of(810, 3, PARAMETERS, Map.of());
        assertThat(layout.ranges()).isEqualTo(ShardPlacement.equalParts(810, 3));
        assertThat(layout.places(2)).containsExactly(0, 1, 0);
    }

    @Test
    void whatIsPinnedIsAShardOfItsOwnAndTheRestIsBalancedByBytes() {
        ShardPlacement layout = ShardPlacement.of(810, 2, PARAMETERS, Map.of("emb*", 1));
        assertCovers(layout, 810);
        int pinned = layout.pins().indexOf(1);
        assertThat(layout.ranges().get(pinned)).isEqualTo(new Range(320, 160));
        assertThat(layout.pins().stream().filter(pin -> pin != ShardPlacement.ANYWHERE))
                .hasSize(1);
        List<Integer> places = layout.places(2);
        assertThat(places.get(pinned)).isEqualTo(1);
        long[] bytes = new long[2];
        IntStream.range(0, places.size())
                .forEach(shard ->
                        bytes[places.get(shard)] += layout.ranges().get(shard).length());
        assertThat(Math.abs(bytes[0] - bytes[1])).isLessThan(330);
    }

    @Test
    void aStarStandsForAnyText() {
        assertThat(ShardPlacement.matches("embedding*", "embedding1.weight")).isTrue();
        assertThat(ShardPlacement.matches("*.bias", "dense1.bias")).isTrue();
        assertThat(ShardPlacement.matches("embedding", "embedding1.weight")).isFalse();
        assertThat(ShardPlacement.matches("a.b", "axb")).isFalse();
    }

    @Test
    void aServerThatThereIsNotIsRefused() {
        assertThatThrownBy(() -> parameterServer().servers(2).pin("dense*", 2).validate())
                .hasMessageContaining("expected a server from 0 to 1 for 'dense*', received 2");
    }

    /** Training equals one process however the vector is divided, and the pinned parameters are where they were wanted. */
    @Test
    void trainingWithPinsAndMoreShardsThanServersEqualsLocalTraining() {
        Dataset data = Blobs.data(99).batch(24);
        Map<String, List<String>> seen = new ConcurrentHashMap<>();
        try (ServerCluster cluster = new ServerCluster(2, 2)) {
            ParameterServer strategy = parameterServer().servers(2).shards(3).pin("*bias", 1);
            List<Members.Result> results = cluster.run((number, place) -> {
                Callback looking = new Callback() {
                    @Override
                    public void step(Run run) {
                        if (seen.isEmpty()) {
                            try (Team team = cluster.evaluator()) {
                                for (Holding held : team.ownership().all(ShardSnapshot.THINGS)) {
                                    seen.put(held.thing(), held.holders());
                                }
                            }
                        }
                    }
                };
                Fit fit = epochs(2).with(strategy).callbacks(looking);
                return Members.Result.of(Blobs.trainer(), data, fit.on(place));
            });
            Weights.assertClose(Weights.ofAll(results), Blobs.weightsAfter(data, epochs(2)), 1e-5);
        }
        assertThat(seen.size()).isGreaterThanOrEqualTo(3);
        assertThat(seen.values()).allSatisfy(holders -> assertThat(holders).hasSize(1));
        assertThat(seen.values().stream().flatMap(List::stream).distinct()).hasSize(2);
    }
}
