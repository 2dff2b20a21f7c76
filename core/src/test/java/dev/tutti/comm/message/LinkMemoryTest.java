package dev.tutti.comm.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.message.TestingMessages.Kind;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tensors of messages between processes of one machine go through shared memory, and the connection where there is no room. */
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class LinkMemoryTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Member ZERO = TestingMessages.member(0);
    private static final Member ONE = TestingMessages.member(1);
    private static final int ELEMENTS = 100_000;

    private static TestingMessages members(MessageLimits limits) {
        return new TestingMessages(Kind.SHARED_MEMORY, 2, limits);
    }

    private static double sum(TestingMessages members, double value) {
        try (Scope scope = Scope.open();
                Message answer = members.of(0)
                        .ask(ONE, "sum", Message.of("", Tensor.full(Shape.of(ELEMENTS), value, DType.FLOAT32)), LONG)
                        .join()) {
            return answer.body().get(0).item();
        }
    }

    private static void serveSums(TestingMessages members) {
        members.of(1)
                .serve(
                        "sum",
                        MessageHandler.of(request ->
                                Message.of("", request.message().body().get(0).sum())));
    }

    private static void warmUp(TestingMessages members) {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (members.takenFromMemory(1) == 0) { // the first go through the connection, until memory is mapped
            assertThat(System.nanoTime()).isLessThan(deadline);
            sum(members, 1);
        }
    }

    @Test
    void blocksAreUsedAgain() {
        try (TestingMessages members = members(MessageLimits.DEFAULT.sharedBytes(4 << 20))) {
            serveSums(members);
            warmUp(members);
            long before = members.takenFromMemory(1);
            for (int i = 0; i < 200; i++) { // 80 MB
                assertThat(sum(members, i)).isEqualTo((double) i * ELEMENTS);
            }
            assertThat(members.takenFromMemory(1) - before).isGreaterThan(190);
        }
    }

    @Test
    void answersGoWhereTheyAreWanted() {
        try (TestingMessages members = members(MessageLimits.DEFAULT);
                Scope scope = Scope.open()) {
            Tensor values = Tensor.full(Shape.of(ELEMENTS), 3, DType.FLOAT32);
            members.of(1)
                    .serve(
                            "pull",
                            MessageHandler.of(request -> Message.of("", values, Tensor.scalarOf(7, DType.INT64))));
            Tensor whole = Tensor.zeros(Shape.of(3 * ELEMENTS), DType.FLOAT32);
            Tensor step = Tensor.zeros(Shape.scalar(), DType.INT64);
            List<Tensor> into = List.of(whole.narrow(0, ELEMENTS, ELEMENTS), step);
            long deadline = System.nanoTime() + LONG.toNanos();
            while (members.takenFromMemory(0) == 0) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                whole.zero_();
                members.of(0).ask(ONE, "pull", Message.of(""), into, LONG).join();
            }
            assertThat(whole.sum().item()).isEqualTo(3.0 * ELEMENTS);
            assertThat(whole.narrow(0, ELEMENTS, ELEMENTS).sum().item()).isEqualTo(3.0 * ELEMENTS);
            assertThat(step.item()).isEqualTo(7);
        }
    }

    /** What a handler writes into memory for its answer is read there; blocks that come to no answer are free again. */
    @Test
    void answersThatAreWrittenIntoSharedMemoryAreNotCopiedAgain() {
        MessageLimits limits = MessageLimits.DEFAULT.sharedBytes(4 << 20);
        List<Long> addresses = new ArrayList<>();
        try (TestingMessages members = members(limits);
                Scope scope = Scope.open()) {
            members.of(1).serve("fill", MessageHandler.of(request -> {
                Tensor unused = request.memory().tensor(DType.FLOAT32, Shape.of(ELEMENTS));
                Tensor answer = request.memory().tensor(DType.FLOAT32, Shape.of(ELEMENTS));
                addresses.add(NativeMemory.of(answer).address());
                unused.fill_(-1);
                double value = Double.parseDouble(request.message().text());
                return Message.of("", answer.fill_(value));
            }));
            for (int i = 0; i < 100; i++) { // 80 MB through 4
                try (Message answer = members.of(0)
                        .ask(ONE, "fill", Message.of(Integer.toString(i)), LONG)
                        .join()) {
                    assertThat(answer.body().get(0).sum().item()).isEqualTo((double) i * ELEMENTS);
                }
            }
            assertThat(members.takenFromMemory(0)).isGreaterThan(80);
            assertThat(addresses.subList(50, 100).stream().distinct().count())
                    .as("the same blocks again and again")
                    .isLessThan(10);
            Message late = members.of(0).ask(ONE, "fill", Message.of("7"), LONG).join();
            members.close();
            assertThat(late.body().get(0).sum().item()).isEqualTo(7.0 * ELEMENTS);
            late.close();
        }
    }

    /** Memory is held, not lent: what was received stays as it is, whatever the other side does. */
    @Test
    void whatIsKeptOutlivesTheLinkAndLeavesTheRestToTheConnection() {
        List<Message> kept = new ArrayList<>();
        MessageLimits limits = MessageLimits.DEFAULT.sharedBytes(1 << 20); // room for two
        try (TestingMessages members = members(limits)) {
            serveSums(members);
            warmUp(members);
            for (int i = 0; i < 10; i++) {
                try (Scope scope = Scope.open()) {
                    Tensor body = Tensor.full(Shape.of(ELEMENTS), i, DType.FLOAT32);
                    members.of(0).send(ONE, "keep", Message.of("", body), LONG);
                }
                kept.add(members.of(1).receive(ZERO, "keep", LONG));
            }
            assertThat(sum(members, 2)).isEqualTo(2.0 * ELEMENTS);
        }
        try (Scope scope = Scope.open()) {
            for (int i = 0; i < 10; i++) {
                Tensor body = kept.get(i).body().get(0);
                assertThat(body.sum().item()).isEqualTo((double) i * ELEMENTS);
                body.add_(body); // it is the receiver's own
            }
        }
        kept.forEach(Message::close);
    }

    @Test
    void nothingIsLeftBehind() throws IOException {
        try (TestingMessages members = members(MessageLimits.DEFAULT)) {
            serveSums(members);
            warmUp(members);
            assertThat(segments()).isEmpty(); // it is mapped: the name is gone
        }
        assertThat(segments()).isEmpty();
    }

    private static List<Path> segments() throws IOException {
        String mine = "tutti-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.filter(file -> file.getFileName().toString().startsWith(mine))
                    .toList();
        }
    }
}
