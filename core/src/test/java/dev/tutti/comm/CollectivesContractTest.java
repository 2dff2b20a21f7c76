package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What all collectives have in common, whatever lies between the members. */
@Timeout(100)
class CollectivesContractTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final List<Long> SIZES = List.of(0L, 1L, 7L, 1000L, 70_001L, 300_000L);

    static Stream<Arguments> kindsAndCounts() {
        return Stream.of(Kind.values())
                .flatMap(kind -> Stream.of(1, 2, 3, 4, 5).map(count -> Arguments.of(kind, count)));
    }

    /** Different numbers for each member and place, of a type that has them. */
    private static NdArray numbers(int rank, long size, DType type) {
        Random random = new Random(31L * rank + size);
        double[] values = new double[(int) size];
        for (int i = 0; i < values.length; i++) {
            values[i] = type.isFloating() ? random.nextGaussian() : random.nextInt(40);
        }
        return NdArray.of(values, size).to(type.isOfArrays() ? type : DType.FLOAT32);
    }

    private static double[] plainSum(int members, long size, DType type) {
        double[] sum = new double[(int) size];
        for (int rank = 0; rank < members; rank++) {
            NdArray numbers = numbers(rank, size, type);
            for (int i = 0; i < sum.length; i++) {
                sum[i] += numbers.at(i);
            }
        }
        return sum;
    }

    private static Tensor tensor(Collectives member, long size, DType type) {
        Tensor tensor = Tensor.of(numbers(member.group().rank(), size, type));
        return type.isOfArrays() ? tensor : tensor.to(type);
    }

    private static NdArray read(Tensor tensor) {
        return tensor.type().isOfArrays()
                ? tensor.toArray()
                : tensor.to(DType.FLOAT32).toArray();
    }

    private static NdArray allReduced(Collectives member, long size, DType type) {
        try (Scope scope = Scope.open()) {
            Tensor values = tensor(member, size, type);
            member.allReduce("sum of " + size, values);
            return read(values);
        }
    }

    @ParameterizedTest
    @MethodSource("kindsAndCounts")
    void sumsAreThoseOfPlainAdditionAndTheSameBitsEverywhere(Kind kind, int count) {
        try (TestingMembers members = new TestingMembers(kind, count, LONG)) {
            for (long size : SIZES) {
                List<NdArray> results = members.all(member -> allReduced(member, size, DType.FLOAT32));
                assertThat(results).allMatch(results.get(0)::equals);
                double[] expected = plainSum(count, size, DType.FLOAT32);
                double worst = 0;
                for (int i = 0; i < expected.length; i++) {
                    worst = Math.max(
                            worst, Math.abs(expected[i] - results.get(0).at(i)));
                }
                assertThat(worst).as("size %d", size).isLessThan(1e-5);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyTypeIsSummed(Kind kind) {
        try (TestingMembers members = new TestingMembers(kind, 3, LONG)) {
            for (DType type : DType.values()) {
                List<NdArray> results = members.all(member -> allReduced(member, 1001, type));
                assertThat(results).allMatch(results.get(0)::equals);
                double[] expected = plainSum(3, 1001, type);
                for (int i = 0; i < expected.length; i++) {
                    double allowed = switch (type) {
                        case FLOAT32 -> 1e-5;
                        case FLOAT64 -> 1e-12;
                        case FLOAT16 -> 1e-2;
                        case BFLOAT16 -> 1e-1;
                        default -> 0;
                    };
                    double wanted = type == DType.BOOL ? Math.min(1, expected[i]) : expected[i];
                    double difference = Math.abs(results.get(0).at(i) - wanted);
                    if (difference > allowed) {
                        throw new AssertionError(type + " at " + i + ": off by " + difference);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kindsAndCounts")
    void scatteringAndGatheringIsReducing(Kind kind, int count) {
        try (TestingMembers members = new TestingMembers(kind, count, LONG)) {
            for (long size : SIZES) {
                List<Boolean> same = members.all(member -> {
                    try (Scope scope = Scope.open()) {
                        Tensor whole = tensor(member, size, DType.FLOAT32);
                        member.allReduce("whole", whole);
                        Tensor parts = tensor(member, size, DType.FLOAT32);
                        member.reduceScatter("parts", parts);
                        var own = member.group().part(size);
                        boolean ownIsSame = parts.narrow(0, own.from(), own.length())
                                .toArray()
                                .equals(whole.narrow(0, own.from(), own.length())
                                        .toArray());
                        member.allGather("parts", parts);
                        return ownIsSame && parts.toArray().equals(whole.toArray());
                    }
                });
                assertThat(same).as("size %d", size).containsOnly(true);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kindsAndCounts")
    void broadcastGivesTheRootsElements(Kind kind, int count) {
        try (TestingMembers members = new TestingMembers(kind, count, LONG)) {
            for (int root = 0; root < count; root++) {
                for (long size : SIZES) {
                    int from = root;
                    List<NdArray> results = members.all(member -> {
                        try (Scope scope = Scope.open()) {
                            Tensor values = tensor(member, size, DType.FLOAT32);
                            member.broadcast("state", values, from);
                            return values.toArray();
                        }
                    });
                    assertThat(results).containsOnly(numbers(root, size, DType.FLOAT32));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void elementsGoFromOneToAnother(Kind kind) {
        try (TestingMembers members = new TestingMembers(kind, 3, LONG)) {
            for (long size : List.of(0L, 1L, 300_001L)) {
                List<NdArray> results = members.all(member -> {
                    try (Scope scope = Scope.open()) {
                        Tensor values = tensor(member, size, DType.FLOAT32);
                        int rank = member.group().rank();
                        if (rank > 0) {
                            member.receive("baton", values, rank - 1);
                        }
                        if (rank < 2) {
                            member.send("baton", values, rank + 1);
                        }
                        member.barrier("all have it");
                        return values.toArray();
                    }
                });
                assertThat(results).containsOnly(numbers(0, size, DType.FLOAT32));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void membersWithoutDataTakePartWithNothing(Kind kind) {
        try (TestingMembers members = new TestingMembers(kind, 3, LONG)) {
            List<Double> sums = members.all(member -> {
                double sum = 0;
                int rank = member.group().rank();
                for (int step = 0; step < 2 * rank; step++) { // the first has no data at all
                    try (Scope scope = Scope.open()) {
                        Tensor one = Tensor.full(Shape.of(1000 + step), 1, DType.FLOAT32);
                        member.allReduce("step " + step, one);
                        member.barrier("step " + step);
                        sum += one.toArray().at(999);
                    }
                }
                member.join();
                return sum;
            });
            assertThat(sums).containsExactly(0.0, 4.0, 6.0);
            assertThat(members.failures(member -> member.barrier("afterwards"))).containsOnlyNulls();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void mismatchedCallsAreNamedOnEveryMember(Kind kind) {
        record Odd(String name, java.util.function.Consumer<Collectives> call, String inWords) {}
        List<Odd> odd = List.of(
                new Odd(
                        "name",
                        member -> reduce(member, "b", 10, DType.FLOAT32),
                        "allReduce 'b' of 10 float32 by worker-1"),
                new Odd(
                        "type",
                        member -> reduce(member, "a", 10, DType.FLOAT64),
                        "allReduce 'a' of 10 float64 by worker-1"),
                new Odd(
                        "size",
                        member -> reduce(member, "a", 11, DType.FLOAT32),
                        "allReduce 'a' of 11 float32 by worker-1"),
                new Odd("operation", member -> member.barrier("a"), "barrier 'a' by worker-1"));
        for (Odd mistake : odd) {
            try (TestingMembers members = new TestingMembers(kind, 3, LONG)) {
                long begin = System.nanoTime();
                List<Throwable> failures = members.failures(member -> {
                    if (member.group().rank() == 1) {
                        mistake.call.accept(member);
                    } else {
                        reduce(member, "a", 10, DType.FLOAT32);
                    }
                });
                assertThat(failures)
                        .as(mistake.name)
                        .allSatisfy(failure -> assertThat(failure)
                                .isInstanceOf(MismatchedCallException.class)
                                .hasMessageContaining("allReduce 'a' of 10 float32 by worker-0")
                                .hasMessageContaining(mistake.inWords));
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(LONG.dividedBy(2));
                assertThat(members.failures(member -> member.barrier("later")))
                        .allMatch(MismatchedCallException.class::isInstance);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void sendThatMeetsAnotherCallIsNamed(Kind kind) {
        try (TestingMembers members = new TestingMembers(kind, 2, LONG)) {
            List<Throwable> failures = members.failures(member -> {
                try (Scope scope = Scope.open()) {
                    if (member.group().rank() == 0) {
                        member.send("state", Tensor.zeros(Shape.of(5), DType.FLOAT32), 1);
                    } else {
                        reduce(member, "a", 10, DType.FLOAT32);
                    }
                }
            });
            assertThat(failures).allSatisfy(failure -> assertThat(failure).isInstanceOf(MismatchedCallException.class));
        }
    }

    private static void reduce(Collectives member, String what, long size, DType type) {
        try (Scope scope = Scope.open()) {
            member.allReduce(what, Tensor.zeros(Shape.of(size), type));
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void deadlineNamesWhoIsMissing(Kind kind) {
        Duration limit = Duration.ofSeconds(3);
        try (TestingMembers members = new TestingMembers(kind, 3, limit)) {
            members.failures(member -> member.barrier("all here"));
            long begin = System.nanoTime();
            List<Throwable> failures = members.failures(member -> {
                if (member.group().rank() != 2) {
                    reduce(member, "a", 10, DType.FLOAT32);
                }
            });
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isBetween(limit.dividedBy(2), limit.multipliedBy(4));
            assertThat(failures.get(2)).isNull();
            assertThat(failures.subList(0, 2))
                    .allSatisfy(failure -> assertThat(failure)
                            .isInstanceOf(MemberLostException.class)
                            .hasMessageContaining("worker-2")
                            .hasMessageContaining("allReduce 'a'"));
            assertThat(failures.subList(0, 2))
                    .allSatisfy(failure -> assertThat(((MemberLostException) failure).members())
                            .containsExactly("worker-2"));
        }
    }

    @ParameterizedTest
    @MethodSource("kindsAndCounts")
    void abortEndsACallUnderWayAndEveryLaterOne(Kind kind, int count) throws Exception {
        try (TestingMembers members = new TestingMembers(kind, count, Duration.ofMinutes(5))) {
            MemberLostException reason = new MemberLostException(List.of("worker-9"), "worker-9 was not heard of");
            if (count > 1) {
                Future<Throwable> waiting =
                        members.start(0, member -> TestingMembers.failure(() -> member.barrier("for ever")));
                Thread.sleep(30); // usually enough for it to wait; if not, it fails as it begins
                members.of(0).abort(reason);
                assertThat(TestingMembers.get(waiting)).isSameAs(reason);
            }
            members.of(0).abort(reason);
            members.of(0).abort(new MemberLostException(List.of(), "another"));
            assertThatThrownBy(() -> members.of(0).barrier("later")).isSameAs(reason);
        }
    }

    @ParameterizedTest
    @MethodSource("kindsAndCounts")
    void closedCollectivesRefuse(Kind kind, int count) {
        try (TestingMembers members = new TestingMembers(kind, count, LONG)) {
            members.of(0).close();
            members.of(0).close();
            assertThatThrownBy(() -> members.of(0).barrier("late")).isInstanceOf(IllegalStateException.class);
            if (count > 1) {
                Throwable failure = TestingMembers.get(
                        members.start(1, member -> TestingMembers.failure(() -> member.barrier("late"))));
                assertThat(failure).isInstanceOf(MemberLostException.class).hasMessageContaining("worker-0");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kindsAndCounts")
    void trafficIsExact(Kind kind, int count) {
        long size = 5 * 3 * 4 * 20_000L;
        try (TestingMembers members = new TestingMembers(kind, count, LONG)) {
            List<Traffic> traffic = members.all(member -> {
                allReduced(member, size, DType.FLOAT32);
                return member.traffic();
            });
            List<Traffic> half = members.all(member -> {
                Traffic before = member.traffic();
                try (Scope scope = Scope.open()) {
                    member.reduceScatter("half", tensor(member, size, DType.BFLOAT16));
                }
                return member.traffic().since(before);
            });
            boolean twoMachines = kind == Kind.HIERARCHICAL || kind == Kind.TLS;
            if (twoMachines && count > 2) {
                // A machine with several members gets the whole sum.
                assertThat(traffic).isEqualTo(onTwoMachines(count, size * 4));
                assertThat(half).isEqualTo(onTwoMachines(count, size * 2));
            } else {
                long expected = 2L * (count - 1) * size * 4 / count;
                assertThat(traffic).containsOnly(new Traffic(expected, expected));
                long halfExpected = (count - 1) * size * 2 / count;
                assertThat(half).containsOnly(new Traffic(halfExpected, halfExpected));
            }
        }
    }

    /**
     * What a sum costs each member where two machines have every other member each: a sum in the memory of each machine, one between the
     * first members of both, and the result from there to the rest of each machine.
     */
    private static List<Traffic> onTwoMachines(int count, long bytes) {
        List<Traffic> expected = new ArrayList<>();
        for (int rank = 0; rank < count; rank++) {
            int here = rank % 2 == 0 ? (count + 1) / 2 : count / 2;
            boolean speaks = rank < 2;
            long inMemory = 2L * (here - 1) * bytes / here;
            long between = speaks ? bytes : 0; // two machines: half of it to sum, the other half to gather
            long given = speaks ? (here - 1) * bytes : 0;
            long got = speaks ? 0 : bytes;
            expected.add(new Traffic(inMemory + between + given, inMemory + between + got));
        }
        return expected;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void largeVectors(Kind kind) {
        long size = 25_000_000; // 100 MB
        try (TestingMembers members = new TestingMembers(kind, 2, LONG)) {
            List<Double> worst = members.all(member -> {
                try (Scope scope = Scope.open()) {
                    Tensor values = Tensor.range(0, size).to(DType.FLOAT32);
                    Tensor expected = values.mul(2);
                    member.allReduce("large", values);
                    return values.sub(expected).abs().sum().item();
                }
            });
            assertThat(worst).containsOnly(0.0);
        }
    }

    @Test
    void tensorsWithGapsAreRefusedBeforeAnybodyWaits() {
        try (TestingMembers members = new TestingMembers(Kind.MEMORY, 2, LONG);
                Scope scope = Scope.open()) {
            Tensor gaps = Tensor.zeros(Shape.of(4, 4), DType.FLOAT32).transpose(0, 1);
            assertThatThrownBy(() -> members.of(0).allReduce("gaps", gaps))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("contiguous()");
        }
    }
}
