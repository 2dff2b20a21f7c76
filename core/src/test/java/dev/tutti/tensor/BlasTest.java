package dev.tutti.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.DType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** The choice is made once in a process, so each one is made in a process of its own. */
@Timeout(120)
class BlasTest {
    @Test
    void openblasIsUsedWhereItIsAskedFor() throws Exception {
        assertThat(productsWith("openblas")).contains("openblas agree");
    }

    @Test
    void aLibraryThatIsNotThereLeavesOpenblas() throws Exception {
        assertThat(productsWith("/nowhere/libmkl_rt.so.2")).contains("MKL cannot be used", "openblas agree");
    }

    @Test
    @EnabledIf("hasMkl")
    void mklMakesTheSameProductsOnAnyNumberOfThreads() throws Exception {
        assertThat(productsWith("mkl")).contains("mkl agree");
    }

    static boolean hasMkl() {
        return BlasTest.class.getResource("/org/bytedeco/mkl/linux-x86_64/libmkl_rt.so.2") != null;
    }

    private static String productsWith(String blas) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Products.class.getName())
                .redirectErrorStream(true);
        builder.environment().put("TUTTI_BLAS", blas);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    /** Products of threads side by side that use one and two cores, each checked against sums written out. */
    static final class Products {
        private static final int SIZE = 200;

        private Products() {}

        public static void main(String[] arguments) throws InterruptedException {
            List<Thread> threads = new ArrayList<>();
            List<Throwable> failures = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int cores = 1 + i % 2;
                Thread thread = new Thread(() -> multiply(cores));
                thread.setUncaughtExceptionHandler((t, e) -> {
                    synchronized (failures) {
                        failures.add(e);
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            System.out.println(Engine.blas() + (failures.isEmpty() ? " agree" : " failed: " + failures));
        }

        private static void multiply(int cores) {
            Engine.useThreads(cores);
            for (int round = 0; round < 20; round++) {
                try (Scope scope = Scope.open()) {
                    Tensor ramp = Tensor.range(0, SIZE * SIZE)
                            .to(DType.FLOAT32)
                            .mul(1.0 / (SIZE * SIZE))
                            .view(SIZE, SIZE);
                    float[] product = ramp.matmul(ramp).toArray().floats();
                    double expected = 0;
                    for (int k = 0; k < SIZE; k++) {
                        expected += (7.0 * SIZE + k) / (SIZE * SIZE) * (k * (double) SIZE + 9) / (SIZE * SIZE);
                    }
                    double difference = product[7 * SIZE + 9] - expected;
                    if (Math.abs(difference) > 1e-4) {
                        throw new IllegalStateException("off by " + difference);
                    }
                }
            }
        }
    }
}
