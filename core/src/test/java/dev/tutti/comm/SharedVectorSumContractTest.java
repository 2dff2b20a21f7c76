package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Vectors that all members can read are summed to the same bits as those that travel. */
@Timeout(100)
class SharedVectorSumContractTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int ROUNDS = 50;

    static Stream<Arguments> kindsAndCounts() {
        return Stream.of(Kind.MEMORY, Kind.SHARED_MEMORY, Kind.CHOSEN)
                .flatMap(kind -> Stream.of(2, 3, 5).map(count -> Arguments.of(kind, count)));
    }

    /** Different numbers for each member and round. */
    private static NdArray numbers(int rank, long size, int round) {
        Random random = new Random(1000L * round + rank);
        float[] values = new float[(int) size];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return NdArray.of(values, size);
    }

    private static SharedVectorSum open(Collectives member, long size) {
        return member.summands("gradients", DType.FLOAT32, size).orElseThrow();
    }

    /** One round as its order of calls says, summed in ranges of odd lengths. */
    private static NdArray round(Collectives member, SharedVectorSum vectors, int round) {
        try (Scope scope = Scope.open()) {
            long size = vectors.own().size();
            vectors.awaitReaders();
            vectors.own().write(numbers(member.group().rank(), size, round));
            member.barrier("all have written");
            vectors.prepare(List.of(new Range(0, size)));
            Tensor sum = Tensor.zeros(Shape.of(size), DType.FLOAT32);
            for (long from = 0; from < size; from += 333) {
                Range range = Range.between(from, Math.min(size, from + 333));
                vectors.sum(range, sum.narrow(0, range.from(), range.length()));
            }
            vectors.release();
            return sum.toArray();
        }
    }

    private static NdArray travelled(Collectives member, long size, int round) {
        try (Scope scope = Scope.open()) {
            Tensor values = Tensor.of(numbers(member.group().rank(), size, round));
            member.allReduce("travelled", values);
            return values.toArray();
        }
    }

    @ParameterizedTest
    @MethodSource("kindsAndCounts")
    void everyRoundGivesTheBitsOfAnAllReduce(Kind kind, int count) {
        for (long size : List.of(1L, 4L, 1001L, 70_001L)) {
            try (TestingMembers members = new TestingMembers(kind, count, LONG)) {
                int rounds = size > 1001 ? 3 : ROUNDS;
                List<Boolean> same = members.all(member -> {
                    boolean all = true;
                    try (SharedVectorSum vectors = open(member, size)) {
                        for (int round = 0; round < rounds; round++) {
                            NdArray sum = round(member, vectors, round);
                            all &= sum.equals(travelled(member, size, round));
                        }
                    }
                    return all;
                });
                assertThat(same).as("size %d", size).containsOnly(true);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kindsAndCounts")
    void aGroupMayHaveOthersAfterwards(Kind kind, int count) {
        try (TestingMembers members = new TestingMembers(kind, count, LONG)) {
            List<Boolean> same = members.all(member -> {
                boolean all = true;
                for (int time = 0; time < 3; time++) {
                    try (SharedVectorSum vectors = open(member, 999)) {
                        all &= round(member, vectors, 2 * time).equals(travelled(member, 999, 2 * time));
                        all &= round(member, vectors, 2 * time + 1).equals(travelled(member, 999, 2 * time + 1));
                    }
                }
                return all;
            });
            assertThat(same).containsOnly(true);
        }
    }

    @ParameterizedTest
    @MethodSource("kindsAndCounts")
    void trafficIsThatOfAnAllReduce(Kind kind, int count) {
        long size = 3 * 5 * 2 * 100;
        try (TestingMembers members = new TestingMembers(kind, count, LONG)) {
            List<Traffic> traffic = members.all(member -> {
                try (SharedVectorSum vectors = open(member, size)) {
                    Traffic before = member.traffic();
                    round(member, vectors, 0);
                    return member.traffic().since(before);
                }
            });
            long expected = 2L * (count - 1) * size * 4 / count;
            assertThat(traffic).containsOnly(new Traffic(expected, expected));
        }
    }

    @ParameterizedTest
    @MethodSource("kindsAndCounts")
    void whoeverDoesNotReadIsNamed(Kind kind, int count) {
        Duration limit = Duration.ofMillis(700);
        try (TestingMembers members = new TestingMembers(kind, count, limit)) {
            List<SharedVectorSum> vectors = members.all(member -> open(member, 100));
            List<Throwable> failures = members.failures(member -> {
                SharedVectorSum own = vectors.get(member.group().rank());
                own.awaitReaders();
                member.barrier("all have written");
                own.prepare(List.of(new Range(0, 100)));
                if (member.group().rank() != 1) {
                    own.release();
                    own.awaitReaders();
                }
            });
            assertThat(failures.get(1)).isNull();
            assertThat(failures.get(0))
                    .isInstanceOf(MemberLostException.class)
                    .hasMessageContaining("worker-1")
                    .hasMessageContaining("'gradients', round 1");
            vectors.forEach(SharedVectorSum::close);
        }
    }

    /** Where each has to be waited for once more, only those who wait can fail; where not, nobody. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"MEMORY", "SHARED_MEMORY"})
    void whatAllHaveWrittenIsThereAlsoWhenItsWriterHasLeft(Kind kind) {
        try (TestingMembers members = new TestingMembers(kind, 2, LONG)) {
            List<SharedVectorSum> vectors = members.all(member -> open(member, 100));
            members.all(member -> {
                int rank = member.group().rank();
                vectors.get(rank).own().write(numbers(rank, 100, 0));
                member.barrier("all have written");
                return null;
            });
            vectors.get(1).close();
            members.of(1).close();
            try (Scope scope = Scope.open()) {
                Tensor sum = Tensor.zeros(Shape.of(100), DType.FLOAT32);
                vectors.get(0).prepare(List.of(new Range(0, 100)));
                vectors.get(0).sum(new Range(0, 100), sum);
                vectors.get(0).release();
                Tensor expected = Tensor.of(numbers(0, 100, 0)).add(Tensor.of(numbers(1, 100, 0)));
                assertThat(sum.toArray()).isEqualTo(expected.toArray());
            }
            assertThatThrownBy(() -> vectors.get(0).awaitReaders())
                    .isInstanceOf(MemberLostException.class)
                    .hasMessageContaining("worker-1");
            vectors.get(0).close();
            vectors.get(0).close();
        }
    }

    /** What was prepared is used to the end: parameters that moved must not be taken for others. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"MEMORY", "SHARED_MEMORY"})
    void aRoundThatWasPreparedEndsWellThoughTheGroupDoesNot(Kind kind) {
        for (boolean closed : new boolean[] {false, true}) {
            try (TestingMembers members = new TestingMembers(kind, 2, LONG);
                    Scope scope = Scope.open()) {
                List<SharedVectorSum> vectors = members.all(member -> open(member, 100));
                members.all(member -> {
                    member.barrier("all have written");
                    vectors.get(member.group().rank()).prepare(List.of(new Range(0, 100)));
                    return null;
                });
                members.of(0).abort(new MemberLostException(List.of("worker-1"), "worker-1 was given up"));
                if (closed) {
                    members.of(0).close();
                }
                Tensor sum = Tensor.full(Shape.of(100), 5, DType.FLOAT32);
                vectors.get(0).sum(new Range(0, 100), sum);
                vectors.get(0).release();
                assertThat(sum.sum().item()).isZero();
                assertThatThrownBy(() -> vectors.get(0).awaitReaders()).isInstanceOf(RuntimeException.class);
                vectors.forEach(SharedVectorSum::close);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void membersThatCallForOtherVectorsAreNamed(Kind kind) {
        try (TestingMembers members = new TestingMembers(kind, 2, LONG)) {
            assertThat(members.failures(member -> member.summands(
                            "gradients", DType.FLOAT32, 10 + member.group().rank())))
                    .allSatisfy(failure -> assertThat(failure)
                            .isInstanceOf(MismatchedCallException.class)
                            .hasMessageContaining("summands 'gradients' of 11 float32 by worker-1"));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"GLOO", "HIERARCHICAL"})
    void thereAreNoneWhereMembersDoNotShareMemory(Kind kind) {
        try (TestingMembers members = new TestingMembers(kind, 3, LONG)) {
            assertThat(members.all(member -> member.summands("gradients", DType.FLOAT32, 10)))
                    .allMatch(java.util.Optional::isEmpty);
            assertThat(members.failures(member -> member.barrier("afterwards"))).containsOnlyNulls();
        }
    }

    /** Larger than one mapping can be. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"SHARED_MEMORY"})
    void thereAreNoneWhereOneHasNoRoom(Kind kind) {
        try (TestingMembers members = new TestingMembers(kind, 2, LONG)) {
            assertThat(members.all(member -> member.summands("gradients", DType.FLOAT32, 1L << 30)))
                    .allMatch(java.util.Optional::isEmpty);
            assertThat(members.failures(member -> member.barrier("afterwards"))).containsOnlyNulls();
        }
    }
}
