package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.Tutti;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
        assertThat(terminal.out()).contains("A process ended with exit code 3");
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
