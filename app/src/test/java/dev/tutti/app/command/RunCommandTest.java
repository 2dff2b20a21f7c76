package dev.tutti.app.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.app.Terminal;
import dev.tutti.cluster.Tutti;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./tutti run} with real processes. */
@Timeout(120)
class RunCommandTest {
    @Test
    void startsAProgramSeveralTimes() {
        Terminal terminal = new Terminal();
        assertThat(terminal.run("run", "-n", "3", "--", Sums.class.getName(), "2"))
                .isZero();
        assertThat(terminal.out())
                .contains("[worker-0] rank 0 of 3, local 0: [12.0, 3.0] [0.0, 1.0, 2.0] [100.0]")
                .contains("[worker-2] rank 2 of 3, local 2: [12.0, 3.0] [0.0, 1.0, 2.0] [100.0]");
    }

    @Test
    void saysWhichProcessFailedAndEndsTheOthers() {
        Terminal terminal = new Terminal();
        assertThat(terminal.run("run", "-n", "2", "--", Failing.class.getName()))
                .isEqualTo(7);
        assertThat(terminal.out()).contains("[worker-1] ").contains("this one has had enough");
        assertThat(terminal.out()).containsPattern("\\[worker-0\\] .*worker-1");
        assertThat(terminal.out())
                .containsPattern(
                        "\nworker-1 was the first to fail: it ended with exit code 3; it said: .*had enough.*\\.\n$");
    }

    @Test
    void waitsForAsLongAsItIsTold() {
        Terminal terminal = new Terminal();
        assertThat(terminal.run("run", "-n", "2", "--patience", "collective=1000", "--", Late.class.getName()))
                .isEqualTo(7);
        assertThat(terminal.out())
                .containsPattern("\\[worker-0\\] .*MemberLostException.*worker-1 did not take part.* within 1 s");
        assertThat(terminal.run("run", "--patience", "meting=1000", "--", Late.class.getName()))
                .isEqualTo(2);
        assertThat(terminal.err()).contains("unknown time 'meting': did you mean 'meeting'?");
        assertThat(terminal.run("run", "-n", "2", "--min", "3", "--", Late.class.getName()))
                .isEqualTo(2);
        assertThat(terminal.err()).contains("--min: expected from 1 to 2 processes, received 3");
    }

    @Test
    void isFoundThroughItsFolderWhileItRuns(@TempDir Path folder) throws Exception {
        Terminal terminal = new Terminal();
        FutureTask<Integer> running = new FutureTask<>(
                () -> terminal.run("run", "-n", "1", "--folder", folder.toString(), "--", Obedient.class.getName()));
        new Thread(running, "run").start();
        Path address = folder.resolve("coordinator/address.json");
        while (!Files.exists(address) && !running.isDone()) {
            LockSupport.parkNanos(5_000_000);
        }
        Terminal other = new Terminal();
        assertThat(other.run("configure", folder.toString(), "mine=17"))
                .as(other.err())
                .isZero();
        assertThat(running.get()).isZero();
        assertThat(terminal.out()).contains("[worker-0] mine is 17");
        assertThat(address).doesNotExist();
        assertThat(other.run("status", folder.toString())).isEqualTo(4);
    }

    @Test
    void wantsAClassThatIsThere() {
        Terminal terminal = new Terminal();
        assertThat(terminal.run("run", "--", "com.example.Nowhere")).isEqualTo(2);
        assertThat(terminal.err()).contains("there is no class com.example.Nowhere");
        assertThat(terminal.run("run", "-cp", "nowhere.jar", "--", "A")).isEqualTo(2);
        assertThat(terminal.err()).contains("-cp: there is no nowhere.jar");
    }

    /** A program that uses every call. */
    static final class Sums {
        private Sums() {}

        public static void main(String[] arguments) {
            Tutti.init();
            float[] sum = {(Tutti.rank() + 1) * Float.parseFloat(arguments[0]), 1};
            Tutti.allReduce(sum);
            float[] ranks = Tutti.allGather(new float[] {Tutti.rank()});
            float[] part = Tutti.reduceScatter(new float[] {0, 50, 0, 50, 0, 0});
            float[] first = {Tutti.rank() == 1 ? 100 : part.length};
            Tutti.broadcast(first, 1);
            Tutti.barrier();
            Tutti.join();
            System.out.printf(
                    "rank %d of %d, local %d: %s %s %s%n",
                    Tutti.rank(),
                    Tutti.size(),
                    Tutti.localRank(),
                    Arrays.toString(sum),
                    Arrays.toString(ranks),
                    Arrays.toString(first));
            Tutti.close();
        }
    }

    /** A program of which one process comes much too late. */
    static final class Late {
        private Late() {}

        public static void main(String[] arguments) throws InterruptedException {
            Tutti.init();
            if (Tutti.rank() == 1) {
                Thread.sleep(8_000);
            }
            Tutti.allReduce(new float[] {1});
        }
    }

    /** A program that ends when it is told to. */
    static final class Obedient {
        private Obedient() {}

        public static void main(String[] arguments) throws InterruptedException {
            Tutti.init();
            while (!Tutti.team().configuration().values().containsKey("mine")) {
                Thread.sleep(20);
            }
            System.out.println(
                    "mine is " + Tutti.team().configuration().values().get("mine"));
            Tutti.close();
        }
    }

    /** A program of which one process gives up while the others wait for it. */
    static final class Failing {
        private Failing() {}

        public static void main(String[] arguments) {
            Tutti.init();
            if (Tutti.rank() == 1) {
                System.err.println("this one has had enough");
                Runtime.getRuntime().halt(3);
            }
            Tutti.allReduce(new float[] {1});
        }
    }
}
