package dev.tutti.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In a JVM of its own: what borrows memory is made once, by the first that borrows any. */
class BorrowedMemoryTest {
    private static final int TIMES = 3;

    /** Borrows memory within a scope, and again within others. */
    static final class Borrower {
        private Borrower() {}

        public static void main(String[] arguments) {
            AtomicInteger released = new AtomicInteger();
            try (Scope memory = Scope.open()) {
                NativeMemory owner = NativeMemory.of(Tensor.zeros(Shape.of(64), DType.FLOAT32));
                for (int i = 0; i < TIMES; i++) {
                    try (Scope scope = Scope.open()) {
                        owner.lend(0, DType.FLOAT32, Shape.of(16), released::incrementAndGet);
                    }
                }
            }
            System.out.println(released.get());
        }
    }

    /** A server whose first answer lay in shared memory was ended by the engine: the scope of the answer had freed what gives memory back. */
    @Test
    void whatWasBorrowedInAScopeFirstIsGivenBackEveryTime(@TempDir Path folder)
            throws IOException, InterruptedException {
        Path said = folder.resolve("said.txt");
        Process process = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Borrower.class.getName()))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(said).content().endsWith(TIMES + System.lineSeparator());
        assertThat(process.exitValue()).isZero();
    }
}
