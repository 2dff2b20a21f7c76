package dev.tutti.comm;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Measures what encryption costs: two members of this JVM that sum vectors over the loopback interface, through Gloo and TLS in turn.
 * Prints a table in Markdown. MB/s are those of the vector: each member sends and receives as many bytes. Not a test.
 */
final class NetworkRate {
    private static final int ROUNDS = 5;

    private NetworkRate() {}

    public static void main(String[] args) {
        System.out.println("| floats | Gloo ms | MB/s | TLS ms | MB/s | TLS / Gloo time | spread |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (int elements : new int[] {1, 10_000, 400_000, 10_000_000}) {
            int calls = elements > 1_000_000 ? 10 : 200;
            try (TestingMembers plain = new TestingMembers(Kind.HIERARCHICAL, 2, Duration.ofSeconds(60));
                    TestingMembers encrypted = new TestingMembers(Kind.TLS, 2, Duration.ofSeconds(60))) {
                List<Double> gloo = new ArrayList<>();
                List<Double> tls = new ArrayList<>();
                List<Double> ratios = new ArrayList<>();
                for (int round = 0; round <= ROUNDS; round++) {
                    double plainMillis = millis(plain, elements, calls);
                    double encryptedMillis = millis(encrypted, elements, calls);
                    if (round > 0) { // the first one warms up
                        gloo.add(plainMillis);
                        tls.add(encryptedMillis);
                        ratios.add(encryptedMillis / plainMillis);
                    }
                }
                double megabytes = elements * 4 / 1e6;
                System.out.printf(
                        Locale.ROOT,
                        "| %,d | %.3f | %,.0f | %.3f | %,.0f | **%.2f** | %.2f–%.2f |%n",
                        elements,
                        median(gloo),
                        megabytes / median(gloo) * 1000,
                        median(tls),
                        megabytes / median(tls) * 1000,
                        median(ratios),
                        Collections.min(ratios),
                        Collections.max(ratios));
            }
        }
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    private static double millis(TestingMembers members, int elements, int calls) {
        long began = System.nanoTime();
        members.all(each -> {
            try (Scope scope = Scope.open()) {
                Tensor values = Tensor.zeros(Shape.of(elements), DType.FLOAT32);
                for (int i = 0; i < calls; i++) {
                    each.allReduce("values", values);
                }
                return null;
            }
        });
        return (System.nanoTime() - began) / 1e6 / calls;
    }
}
