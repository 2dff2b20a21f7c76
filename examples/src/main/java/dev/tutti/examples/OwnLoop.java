package dev.tutti.examples;

import dev.tutti.cluster.Tutti;
import java.util.Random;

/**
 * A training loop of one's own on several processes: a line is fitted to points that are spread over them.
 *
 * <p>{@code ./tutti run -n 4 -- dev.tutti.examples.OwnLoop}
 */
public final class OwnLoop {
    private static final int POINTS = 1000;
    private static final int STEPS = 200;
    private static final float RATE = 0.1f;

    private OwnLoop() {}

    public static void main(String[] arguments) {
        Tutti.init();
        Random random = new Random(Tutti.rank()); // every process has points of its own
        float slope = 0;
        float offset = 0;
        for (int step = 0; step < STEPS; step++) {
            float[] gradient = new float[3]; // of the slope, of the offset; and the squared error
            for (int i = 0; i < POINTS; i++) {
                float x = random.nextFloat() * 2 - 1;
                float error = slope * x + offset - (3 * x - 1);
                gradient[0] += error * x;
                gradient[1] += error;
                gradient[2] += error * error;
            }
            Tutti.allReduce(gradient);
            float points = POINTS * Tutti.size();
            slope -= RATE * gradient[0] / points * 2;
            offset -= RATE * gradient[1] / points * 2;
            if (Tutti.rank() == 0 && (step + 1) % 50 == 0) {
                System.out.printf(
                        "step %d: error %.5f, y = %.3f x %+.3f%n", step + 1, gradient[2] / points, slope, offset);
            }
        }
        Tutti.barrier();
        System.out.printf("process %d of %d is done%n", Tutti.rank(), Tutti.size());
        Tutti.close();
    }
}
