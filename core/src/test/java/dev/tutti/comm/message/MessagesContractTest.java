package dev.tutti.comm.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.MessageRequest;
import dev.tutti.comm.MessageTimeoutException;
import dev.tutti.comm.Messages;
import dev.tutti.comm.message.TestingMessages.Kind;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What messages have in common over all transports. */
@Timeout(60)
class MessagesContractTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Member ZERO = TestingMessages.member(0);
    private static final Member ONE = TestingMessages.member(1);

    private static TestingMessages members(Kind kind) {
        return new TestingMessages(kind, 2, MessageLimits.DEFAULT);
    }

    private static Throwable failure(CompletableFuture<Message> answer) {
        Throwable failure = catchThrowable(answer::join);
        assertThat(failure).isInstanceOf(CompletionException.class);
        return failure.getCause();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void anAnswerIsThatOfTheHandlerWithItsTensors(Kind kind) {
        try (TestingMessages members = members(kind);
                Scope scope = Scope.open()) {
            AtomicReference<MessageRequest> seen = new AtomicReference<>();
            members.of(1).serve("double", MessageHandler.of(request -> {
                seen.set(request);
                List<Tensor> doubled = new ArrayList<>();
                request.message().body().forEach(tensor -> doubled.add(tensor.add(tensor)));
                return new Message(
                        request.message().term() + 1,
                        request.message().sequence(),
                        request.message().head(),
                        doubled);
            }));
            Message question = new Message(
                    6,
                    99,
                    new byte[] {1, 2, 3},
                    List.of(
                            Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3),
                            Tensor.zeros(Shape.of(0, 4), DType.INT64),
                            Tensor.scalarOf(21, DType.FLOAT64),
                            Tensor.full(Shape.of(300_001), 0.5, DType.BFLOAT16)));
            try (Message answer =
                    members.of(0).ask(ONE, "double", question, LONG).join()) {
                assertThat(answer.term()).isEqualTo(7);
                assertThat(answer.sequence()).isEqualTo(99);
                assertThat(answer.head()).containsExactly(1, 2, 3);
                assertThat(answer.body().get(0).toArray().floats()).containsExactly(2, 4, 6, 8, 10, 12);
                assertThat(answer.body().get(0).shape()).isEqualTo(Shape.of(2, 3));
                assertThat(answer.body().get(1).shape()).isEqualTo(Shape.of(0, 4));
                assertThat(answer.body().get(2).item()).isEqualTo(42);
                assertThat(answer.body().get(3).to(DType.FLOAT32).sum().item()).isEqualTo(300_001);
            }
            assertThat(seen.get().from()).isEqualTo(ZERO);
            assertThat(seen.get().limit()).isEqualTo(LONG);
            assertThat(members.of(0).traffic().sent()).isEqualTo(24 + 8 + 600_002);
            assertThat(members.of(0).traffic().received()).isEqualTo(24 + 8 + 600_002);
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void tensorsMayBeClosedAsSoonAsTheyWereAsked(Kind kind) {
        try (TestingMessages members = members(kind)) {
            members.of(1).serve("sum", MessageHandler.of(request -> {
                pause(20);
                return Message.of("", request.message().body().get(0).sum());
            }));
            List<CompletableFuture<Message>> answers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                try (Scope scope = Scope.open()) {
                    Message question = Message.of("", Tensor.full(Shape.of(50_000), i, DType.FLOAT32));
                    answers.add(members.of(0).ask(ONE, "sum", question, LONG));
                }
            }
            for (int i = 0; i < 20; i++) {
                try (Message answer = answers.get(i).join()) {
                    assertThat(answer.body().get(0).item()).isEqualTo(i * 50_000.0);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void anAnswerIsWrittenWhereItIsWanted(Kind kind) {
        try (TestingMessages members = members(kind);
                Scope scope = Scope.open()) {
            Tensor values = Tensor.full(Shape.of(1000, 100), 3, DType.FLOAT32).retain();
            members.of(1).serve("pull", MessageHandler.of(request -> Message.of("here", values)));
            Tensor vector = Tensor.zeros(Shape.of(300_000), DType.FLOAT32);
            Tensor part = vector.narrow(0, 100_000, 100_000);
            Message answer = members.of(0)
                    .ask(ONE, "pull", Message.of(""), List.of(part), LONG)
                    .join();
            assertThat(answer.text()).isEqualTo("here");
            assertThat(vector.sum().item()).isEqualTo(300_000);
            answer.close();
            assertThat(part.sum().item()).isEqualTo(300_000);
            members.of(1).serve("nothing yet", MessageHandler.of(request -> Message.of("later")));
            try (Message empty = members.of(0)
                    .ask(ONE, "nothing yet", Message.of(""), List.of(part), LONG)
                    .join()) {
                assertThat(empty.text()).isEqualTo("later");
                assertThat(empty.body()).isEmpty();
            }
            assertThat(part.sum().item()).as("left as it is").isEqualTo(300_000);
            Tensor wrong = Tensor.zeros(Shape.of(7), DType.FLOAT32);
            assertThat(failure(members.of(0).ask(ONE, "pull", Message.of(""), List.of(wrong), LONG)))
                    .hasMessageContaining("does not fit")
                    .hasMessageContaining("member-1");
            values.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void refusalsSayWhoAndWhy(Kind kind) {
        try (TestingMessages members = members(kind)) {
            members.of(1).serve("old", MessageHandler.of(request -> {
                throw new MessageRefusedException(MessageRefusedException.OLD_TERM, "term 3 is over, it is 4 now");
            }));
            members.of(1).serve("broken", MessageHandler.of(request -> {
                throw new TuttiException("the disk is full");
            }));
            MessageRefusedException old = (MessageRefusedException)
                    failure(members.of(0).ask(ONE, "old", Message.of("").term(3), LONG));
            assertThat(old.code()).isEqualTo(MessageRefusedException.OLD_TERM);
            assertThat(old).hasMessageContaining("member-1").hasMessageContaining("it is 4 now");
            MessageRefusedException broken =
                    (MessageRefusedException) failure(members.of(0).ask(ONE, "broken", Message.of(""), LONG));
            assertThat(broken.code()).isEqualTo(MessageRefusedException.FAILED);
            assertThat(broken).hasMessageContaining("the disk is full");
            MessageRefusedException unknown =
                    (MessageRefusedException) failure(members.of(0).ask(ONE, "new", Message.of(""), LONG));
            assertThat(unknown.code()).isEqualTo(MessageRefusedException.UNKNOWN_TOPIC);
            assertThat(unknown).hasMessageContaining("[broken, old]");
            members.of(1).withdraw("old");
            assertThat(failure(members.of(0).ask(ONE, "old", Message.of(""), LONG)))
                    .hasMessageContaining("[broken]");
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aMemberThatDoesNotAnswerIsNamedAtTheLimit(Kind kind) {
        try (TestingMessages members = members(kind)) {
            CompletableFuture<Message> later = new CompletableFuture<>();
            members.of(1).serve("slow", request -> later);
            long begin = System.nanoTime();
            Throwable failure = failure(members.of(0).ask(ONE, "slow", Message.of(""), Duration.ofMillis(200)));
            assertThat(failure).isInstanceOf(MessageTimeoutException.class).hasMessageContaining("member-1");
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isBetween(Duration.ofMillis(190), Duration.ofSeconds(5));
            later.complete(Message.of("too late"));
            members.of(1).serve("fast", MessageHandler.of(request -> Message.of("still there")));
            assertThat(members.of(0)
                            .ask(ONE, "fast", Message.of(""), LONG)
                            .join()
                            .text())
                    .isEqualTo("still there");
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aMemberThatIsLostEndsWhatWaitsForItAtOnce(Kind kind) {
        try (TestingMessages members = new TestingMessages(kind, 3, MessageLimits.DEFAULT.untaken(1, 1000))) {
            CountDownLatch asked = new CountDownLatch(1);
            members.of(1).serve("never", request -> {
                asked.countDown();
                return new CompletableFuture<>();
            });
            members.of(2).serve("echo", MessageHandler.of(MessageRequest::message));
            CompletableFuture<Message> answer = members.of(0).ask(ONE, "never", Message.of(""), LONG);
            members.of(0).send(ONE, "stream", Message.of("first"), LONG);
            CompletableFuture<Void> send =
                    CompletableFuture.runAsync(() -> members.of(0).send(ONE, "stream", Message.of("second"), LONG));
            CompletableFuture<Message> receive =
                    CompletableFuture.supplyAsync(() -> members.of(0).receive(ONE, "stream", LONG));
            await(asked);
            pause(50);
            long begin = System.nanoTime();
            members.of(1).close();
            assertThat(failure(answer)).isInstanceOf(MemberLostException.class).hasMessageContaining("member-1");
            assertThat(((MemberLostException) failure(answer)).members()).containsExactly("member-1");
            assertThat(failure(receive)).isInstanceOf(MemberLostException.class);
            assertThatThrownBy(send::join).hasCauseInstanceOf(MemberLostException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(1));
            assertThat(failure(members.of(0).ask(ONE, "never", Message.of(""), LONG)))
                    .isInstanceOf(MemberLostException.class);
            assertThat(members.of(0)
                            .ask(TestingMessages.member(2), "echo", Message.of("others"), LONG)
                            .join()
                            .text())
                    .isEqualTo("others");
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void oneThatIsDisconnectedFailsAndIsReachedAgain(Kind kind) {
        try (TestingMessages members = members(kind)) {
            CountDownLatch asked = new CountDownLatch(1);
            members.of(1).serve("never", request -> {
                asked.countDown();
                return new CompletableFuture<>();
            });
            members.of(1).serve("echo", MessageHandler.of(MessageRequest::message));
            CompletableFuture<Message> answer = members.of(0).ask(ONE, "never", Message.of(""), LONG);
            await(asked);
            members.of(0).disconnect(ONE, "the coordinator gave it up");
            assertThat(failure(answer))
                    .isInstanceOf(MemberLostException.class)
                    .hasMessageContaining("the coordinator gave it up");
            assertThat(members.of(0)
                            .ask(ONE, "echo", Message.of("again"), LONG)
                            .join()
                            .text())
                    .isEqualTo("again");
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void sendsAreBufferedUpToABoundAndReceivedInOrder(Kind kind) {
        try (TestingMessages members = new TestingMessages(kind, 2, MessageLimits.DEFAULT.untaken(3, 1 << 20));
                Scope scope = Scope.open()) {
            for (int i = 0; i < 3; i++) {
                members.of(0)
                        .send(
                                ONE,
                                "forward",
                                Message.of("", Tensor.scalarOf(i, DType.INT64)).sequence(i),
                                LONG);
            }
            assertThatThrownBy(() -> members.of(0).send(ONE, "forward", Message.of("4"), Duration.ofMillis(50)))
                    .isInstanceOf(MessageTimeoutException.class)
                    .hasMessageContaining("3 messages")
                    .hasMessageContaining("member-1");
            for (int i = 0; i < 3; i++) {
                try (Message next = members.of(1).receive(ZERO, "forward", LONG)) {
                    assertThat(next.sequence()).isEqualTo(i);
                    assertThat(next.body().get(0).item()).isEqualTo(i);
                }
            }
            members.of(0).send(ONE, "other", Message.of("b"), LONG);
            members.of(0).send(ONE, "forward", Message.of("a"), LONG);
            assertThat(members.of(1).receive(ZERO, "forward", LONG).text()).isEqualTo("a");
            assertThat(members.of(1).receive(ZERO, "other", LONG).text()).isEqualTo("b");
            assertThatThrownBy(() -> members.of(1).receive(ZERO, "forward", Duration.ofMillis(30)))
                    .isInstanceOf(MessageTimeoutException.class);
        }
    }

    /** In collective calls that is a mismatch; a pipeline does it at every step. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void twoMembersMaySendToEachOtherAtTheSameTime(Kind kind) {
        try (TestingMessages members = members(kind)) {
            List<CompletableFuture<Double>> both = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Messages mine = members.of(i);
                Member other = TestingMessages.member(1 - i);
                both.add(CompletableFuture.supplyAsync(() -> exchange(mine, other)));
            }
            both.forEach(sum -> assertThat(sum.join()).isEqualTo(20 * 21 / 2 * 200_000.0));
        }
    }

    private static double exchange(Messages mine, Member other) {
        double sum = 0;
        for (int i = 1; i <= 20; i++) {
            try (Scope scope = Scope.open()) {
                mine.send(other, "step", Message.of("", Tensor.full(Shape.of(200_000), i, DType.FLOAT32)), LONG);
                try (Message theirs = mine.receive(other, "step", LONG)) {
                    sum += theirs.body().get(0).sum().item();
                }
            }
        }
        return sum;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void requestsPastTheBoundAreRefusedAndOthersAnswered(Kind kind) {
        try (TestingMessages members = new TestingMessages(kind, 2, MessageLimits.DEFAULT.requests(2))) {
            CompletableFuture<Message> go = new CompletableFuture<>();
            members.of(1).serve("wait", request -> go);
            CompletableFuture<Message> first = members.of(0).ask(ONE, "wait", Message.of(""), LONG);
            CompletableFuture<Message> second = members.of(0).ask(ONE, "wait", Message.of(""), LONG);
            pause(200);
            Throwable third = failure(members.of(0).ask(ONE, "wait", Message.of(""), LONG));
            assertThat(((MessageRefusedException) third).code()).isEqualTo(MessageRefusedException.BUSY);
            go.complete(Message.of("go"));
            assertThat(first.join().text()).isEqualTo("go");
            assertThat(second.join().text()).isEqualTo("go");
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whatIsTooLargeOrHasGapsIsNotSent(Kind kind) {
        try (TestingMessages members = new TestingMessages(kind, 2, MessageLimits.DEFAULT.bodyBytes(100));
                Scope scope = Scope.open()) {
            Message large = Message.of("", Tensor.zeros(Shape.of(26), DType.FLOAT32));
            assertThatThrownBy(() -> members.of(0).ask(ONE, "large", large, LONG))
                    .isInstanceOf(TuttiException.class)
                    .hasMessageContaining("100 bytes");
            Message gaps =
                    Message.of("", Tensor.zeros(Shape.of(4, 3), DType.FLOAT32).transpose(0, 1));
            assertThatThrownBy(() -> members.of(0).send(ONE, "gaps", gaps, LONG))
                    .hasMessageContaining("in one piece");
            members.of(1).serve("large answer", MessageHandler.of(request -> large));
            assertThat(failure(members.of(0).ask(ONE, "large answer", Message.of(""), LONG)))
                    .isInstanceOf(MessageRefusedException.class)
                    .hasMessageContaining("100 bytes");
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aMemberMayAskItself(Kind kind) {
        try (TestingMessages members = members(kind)) {
            members.of(0).serve("echo", MessageHandler.of(MessageRequest::message));
            assertThat(members.of(0)
                            .ask(ZERO, "echo", Message.of("me"), LONG)
                            .join()
                            .text())
                    .isEqualTo("me");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
