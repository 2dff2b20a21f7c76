package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.comm.memory.MemoryBoard;
import dev.tutti.comm.network.NetworkCollectives;
import dev.tutti.comm.transport.LinkCosts;
import dev.tutti.comm.transport.SumWay;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ways of a sum between machines: which one is chosen, and that the choice is not seen in the bits. */
@Timeout(100)
class SumWaysTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int[] SIZES = {1, 7, 1000, 70_001};

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5})
    void allWaysThatCostsDecideBetweenHaveTheSameBits(int members) throws Exception {
        SumWay third = LinkCosts.addsInPairs(members, 1) ? SumWay.HALVING : SumWay.RING;
        List<NdArray> whole = sums(members, SumWay.WHOLE);
        assertThat(sums(members, SumWay.PARTS)).isEqualTo(whole);
        assertThat(sums(members, third)).isEqualTo(whole);
    }

    /** Sums of all sizes, by all members: the first one's, after all were found to be the same. */
    private static List<NdArray> sums(int members, SumWay way) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(members);
        BulletinBoard board = new MemoryBoard(LIMIT);
        List<Member> all = IntStream.range(0, members)
                .mapToObj(rank -> new Member("worker-" + rank, "host-" + rank))
                .toList();
        try {
            List<Future<List<NdArray>>> running = new ArrayList<>();
            for (int i = 0; i < members; i++) {
                int rank = i;
                running.add(threads.submit(() -> {
                    try (Collectives collectives = NetworkCollectives.open(
                            new Group(1, rank, all), board, LIMIT, InetAddress.getLoopbackAddress(), way)) {
                        List<NdArray> results = new ArrayList<>();
                        for (int size : SIZES) {
                            results.add(sum(collectives, rank, size));
                        }
                        collectives.barrier("the end");
                        return results;
                    }
                }));
            }
            List<NdArray> first = running.get(0).get();
            for (Future<List<NdArray>> other : running) {
                assertThat(other.get()).isEqualTo(first);
            }
            return first;
        } finally {
            threads.shutdownNow();
        }
    }

    private static NdArray sum(Collectives collectives, int rank, int size) {
        Random random = new Random(31L * rank + size);
        float[] numbers = new float[size];
        for (int i = 0; i < size; i++) {
            numbers[i] = (float) (random.nextGaussian() * Math.pow(10, random.nextInt(8)));
        }
        try (Scope scope = Scope.open()) {
            Tensor values = Tensor.of(NdArray.of(numbers, size));
            collectives.allReduce("sum of " + size, values);
            return values.toArray();
        }
    }

    @Test
    void roundsAndBytesDecide() {
        LinkCosts far = new LinkCosts(1e-3, 1 / 125e6); // 1 Gbit/s and 1 ms
        assertThat(far.allReduce(4, 1000)).isEqualTo(SumWay.WHOLE);
        assertThat(far.allReduce(4, 1 << 20)).isEqualTo(SumWay.PARTS);
        assertThat(far.allReduce(3, 100 << 20)).as("rounds hardly count").isEqualTo(SumWay.RING);
        LinkCosts near = new LinkCosts(1e-5, 1e-10);
        assertThat(near.allReduce(64, 1 << 20))
                .as("few messages where many members are near")
                .isEqualTo(SumWay.HALVING);
        assertThat(near.reduceScatter(4, 100)).isNotEqualTo(SumWay.WHOLE);
    }

    @Test
    void halvingNeedsAPowerOfTwo() {
        Group three = new Group(1, 0, List.of(new Member("a", "a"), new Member("b", "b"), new Member("c", "c")));
        assertThatThrownBy(() -> NetworkCollectives.open(
                        three, new MemoryBoard(LIMIT), LIMIT, InetAddress.getLoopbackAddress(), SumWay.HALVING))
                .hasMessageContaining("expected 2, 4, 8, ... members, received 3");
    }
}
