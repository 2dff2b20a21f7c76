package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.cluster.Cluster;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.WorkerTask;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A server beside workers, all of them JVMs: it is killed and replaced, and the workers train on as if nothing had happened. */
@ExtendWith(HardAlarm.class)
class ServerRoleTest {
    private static final TrainingScenario SCENARIO = TrainingScenario.on(
                    Cluster.processes(2).role(EchoProgram.ROLE, 1).restarts(1))
            .steps(40, 2);

    @Test
    void aServerThatIsKilledAndReplacedDisturbsNoWorker() {
        Asking asking = new Asking(SCENARIO.place());
        TrainingScenario scenario = SCENARIO.at(asking);
        MemberResult result;
        try (Trainer trainer = scenario.trainer()) {
            result = MemberResult.of(trainer.fit(scenario.data(), scenario.fit().callbacks(asking)), trainer.model());
        }
        assertThat(result.complaints(scenario, scenario.undisturbed(), Expectation.FLOAT_ORDER))
                .isEmpty();
        assertThat(asking.answers.keySet()).containsExactlyInAnyOrder("echo-0", "echo-0b");
        assertThat(asking.failure).isInstanceOf(MemberLostException.class);
        assertThat(asking.failure.members()).containsExactly("echo-0");
        assertThat(Duration.ofNanos(asking.failedAt.get() - asking.killedAt.get()))
                .as("from the kill to the failed request")
                .isLessThan(Duration.ofSeconds(2));
        assertThat(asking.generation).as("the workers have met once").isEqualTo(1);
        assertThat(servers()).as("servers that are left behind").isEmpty();
    }

    /** Other tests have workers at the same time. */
    private static List<ProcessHandle> servers() {
        return ChildJvms.all().stream()
                .filter(jvm -> ChildJvms.name(jvm).orElse("").startsWith(EchoProgram.ROLE))
                .toList();
    }

    @Test
    void aServerOnAThreadIsAskedInMemoryAndEndsWithTheTraining() {
        Asking asking = new Asking(Cluster.threads(2, EchoProgram.ROLE, 1)) {
            @Override
            public void step(Run run) {
                if (run.step() == 5) {
                    await(() -> answers.getOrDefault("echo-0", 0) > 5);
                    ended = true;
                }
            }
        };
        TrainingScenario scenario = SCENARIO.at(asking).steps(10, 1);
        try (Trainer trainer = scenario.trainer()) {
            MemberResult result =
                    MemberResult.of(trainer.fit(scenario.data(), scenario.fit().callbacks(asking)), trainer.model());
            assertThat(result.complaints(scenario, scenario.undisturbed(), Expectation.FLOAT_ORDER))
                    .isEmpty();
        }
        assertThat(asking.answers).containsOnlyKeys("echo-0");
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("tutti-echo-0");
    }

    /** A launcher one of whose members asks the server all the time, and kills it on the way. */
    private static class Asking implements Launcher, Callback {
        private final Launcher place;
        final Map<String, Integer> answers = new ConcurrentHashMap<>();
        private final AtomicLong killedAt = new AtomicLong();
        private final AtomicLong failedAt = new AtomicLong();
        private volatile MemberLostException failure;
        volatile boolean ended;
        private volatile long generation;
        private Team team;
        private int steps;

        Asking(Launcher place) {
            this.place = place;
        }

        @Override
        public Team assemble(WorkerTask work) {
            team = place.assemble(work);
            Thread thread = new Thread(this::askOnAndOn, "asking");
            thread.setDaemon(true);
            thread.start();
            return team;
        }

        private void askOnAndOn() {
            while (!ended) {
                for (Member server : team.members(EchoProgram.ROLE)) {
                    ask(server);
                }
            }
        }

        private void ask(Member server) {
            try (Scope scope = Scope.open()) {
                Message question = Message.of("hello", Tensor.full(Shape.of(100_000), 2, DType.FLOAT32));
                try (Message answer = team.messages()
                        .ask(server, "say", question, Duration.ofSeconds(10))
                        .join()) {
                    assertThat(answer.body().get(0).sum().item()).isEqualTo(200_000);
                    answers.merge(server.id(), 1, Integer::sum);
                }
            } catch (CompletionException e) {
                if (failure == null && e.getCause() instanceof MemberLostException lost) {
                    failedAt.set(System.nanoTime());
                    failure = lost;
                }
            }
        }

        @Override
        public void step(Run run) {
            steps++;
            if (steps == 20) {
                await(() -> answers.getOrDefault("echo-0", 0) > 0);
                ProcessHandle server = servers().get(0);
                killedAt.set(System.nanoTime());
                server.destroyForcibly();
            } else if (steps == 60) {
                await(() -> answers.getOrDefault("echo-0b", 0) > 5);
            } else if (steps == 79) {
                generation = team.group().generation();
                ended = true;
            }
        }

        static void await(BooleanSupplier condition) {
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!condition.getAsBoolean()) {
                assertThat(System.nanoTime()).as("waited too long").isLessThan(until);
                java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
            }
        }

        @Override
        public String toString() {
            return place.toString();
        }
    }

    @Test
    void aRoleWithoutAProgramIsNamedBeforeAnythingStarts() {
        TrainingScenario scenario = SCENARIO.at(Cluster.processes(2).role("eco", 1));
        try (Trainer trainer = scenario.trainer()) {
            assertThatThrownBy(() -> trainer.fit(scenario.data(), scenario.fit()))
                    .hasMessageContaining("there is no program for the role 'eco'")
                    .hasMessageContaining("echo");
        }
        assertThat(servers()).isEmpty();
    }
}
