package dev.tutti.train.multitask;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * How the gradients of several tasks become one. Each way gives a linear combination whose factors follow from the products of the
 * gradients with each other alone, so members that have the same products come to the same gradient.
 */
public enum GradientCombination {
    /** Their sum, as if the losses were added. */
    SUM("sum") {
        @Override
        double[] factors(double[][] products, TaskStep step) {
            double[] factors = new double[products.length];
            Arrays.fill(factors, 1);
            return factors;
        }
    },
    /** PCGrad (Yu et al., 2020): what points against another task's gradient is taken out of each, in random order; then the sum. */
    PC_GRAD("pcGrad") {
        @Override
        double[] factors(double[][] products, TaskStep step) {
            int tasks = products.length;
            double[] sum = new double[tasks];
            SplittableRandom random = new SplittableRandom(step.seed());
            for (int i = 0; i < tasks; i++) {
                double[] own = new double[tasks];
                own[i] = 1;
                for (int j : order(tasks, random)) {
                    double along = j == i ? 0 : product(own, products, j);
                    if (along < 0 && products[j][j] > 0) {
                        own[j] -= along / products[j][j];
                    }
                }
                for (int k = 0; k < tasks; k++) {
                    sum[k] += own[k];
                }
            }
            return sum;
        }
    },
    /** MGDA (Sener and Koltun, 2018): the shortest of all weighted means, which points against none of them; times their number. */
    MGDA("mgda") {
        @Override
        double[] factors(double[][] products, TaskStep step) {
            double[] weights = shortest(products);
            return Arrays.stream(weights)
                    .map(weight -> weight * products.length)
                    .toArray();
        }
    },
    /** CAGrad (Liu et al., 2021): the mean, moved towards the task that gains least, by half of its length; times their number. */
    CA_GRAD("cagrad") {
        @Override
        double[] factors(double[][] products, TaskStep step) {
            return conflictAverse(products);
        }
    },
    /** Each divided by its task's loss: the gradient of the sum of their logarithms, which does not depend on the scale of a loss. */
    SCALE_FREE("scaleFree") {
        @Override
        double[] factors(double[][] products, TaskStep step) {
            return Arrays.stream(step.losses())
                    .map(loss -> loss > 0 ? 1 / loss : 0)
                    .toArray();
        }
    },
    /**
     * Uncertainty weighting (Kendall et al., 2018): each task has a logarithm of a variance that learns beside the model, and counts the
     * less the larger it is.
     */
    UNCERTAINTY("uncertainty") {
        @Override
        double[] factors(double[][] products, TaskStep step) {
            double[] factors = new double[products.length];
            for (int i = 0; i < factors.length; i++) {
                factors[i] = Math.exp(-step.memory()[i]);
                step.memory()[i] -= step.rate() * (1 - factors[i] * step.losses()[i]);
            }
            return factors;
        }
    },
    /**
     * GradNorm (Chen et al., 2018): weights that learn so that the gradients of all tasks are of like length, those of tasks that lag
     * behind a little longer. Lengths are those over the whole vector.
     */
    GRAD_NORM("gradNorm") {
        @Override
        double[] factors(double[][] products, TaskStep step) {
            return balanced(products, step);
        }
    };

    /**
     * What factors may depend on beside products.
     *
     * @param losses the loss of each task over the whole batch
     * @param memory two numbers for each task that are kept from step to step; zeros at first
     * @param rate the learning rate of the step
     * @param seed what random orders follow from
     */
    public record TaskStep(double[] losses, double[] memory, double rate, long seed) {}

    private static final int ITERATIONS = 200;
    private static final double CAUTION = 0.5;
    private static final double LAG = 1.5;
    private static final double LEAST_WEIGHT = 1e-3;

    private final String label;

    GradientCombination(String label) {
        this.label = label;
    }

    abstract double[] factors(double[][] products, TaskStep step);

    /**
     * The factor of each task's gradient; the memory of the step is brought up to date.
     *
     * @param products the product of each two gradients
     */
    public double[] combine(double[][] products, TaskStep step) {
        return factors(products, step);
    }

    /** The same for a first step, for ways that look at products alone. */
    public double[] factors(double[][] products, long seed) {
        double[] ones = new double[products.length];
        Arrays.fill(ones, 1);
        return factors(products, new TaskStep(ones, new double[2 * ones.length], 0, seed));
    }

    /** The share of pairs of tasks whose gradients point against each other. */
    public static double conflicts(double[][] products) {
        int pairs = 0;
        int against = 0;
        for (int i = 0; i < products.length; i++) {
            for (int j = 0; j < i; j++) {
                pairs++;
                against += products[i][j] < 0 ? 1 : 0;
            }
        }
        return pairs == 0 ? 0 : against / (double) pairs;
    }

    private static int[] order(int count, SplittableRandom random) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            int at = random.nextInt(i + 1);
            order[i] = order[at];
            order[at] = i;
        }
        return order;
    }

    /** The product of a combination with one of the gradients. */
    private static double product(double[] factors, double[][] products, int with) {
        double sum = 0;
        for (int k = 0; k < factors.length; k++) {
            sum += factors[k] * products[k][with];
        }
        return sum;
    }

    private static double squaredLength(double[] factors, double[][] products) {
        double sum = 0;
        for (int k = 0; k < factors.length; k++) {
            sum += factors[k] * product(factors, products, k);
        }
        return Math.max(0, sum);
    }

    /** The weights of the shortest weighted mean, by Frank and Wolfe. */
    private static double[] shortest(double[][] products) {
        int tasks = products.length;
        double[] weights = new double[tasks];
        Arrays.fill(weights, 1.0 / tasks);
        for (int i = 0; i < ITERATIONS; i++) {
            int least = 0;
            for (int k = 1; k < tasks; k++) {
                least = product(weights, products, k) < product(weights, products, least) ? k : least;
            }
            double length = squaredLength(weights, products);
            double towards = product(weights, products, least);
            double bend = length - 2 * towards + products[least][least];
            double step = bend <= 0 ? 0 : Math.min(1, Math.max(0, (length - towards) / bend));
            if (step < 1e-9) {
                break;
            }
            for (int k = 0; k < tasks; k++) {
                weights[k] *= 1 - step;
            }
            weights[least] += step;
        }
        return weights;
    }

    private static double[] balanced(double[][] products, TaskStep step) {
        int tasks = products.length;
        double[] memory = step.memory(); // weights less 1, then the first losses
        double[] lengths = new double[tasks];
        double[] behind = new double[tasks];
        double mean = 0;
        double meanBehind = 0;
        for (int i = 0; i < tasks; i++) {
            memory[tasks + i] = memory[tasks + i] == 0 ? step.losses()[i] : memory[tasks + i];
            lengths[i] = Math.sqrt(Math.max(0, products[i][i]));
            behind[i] = memory[tasks + i] > 0 ? step.losses()[i] / memory[tasks + i] : 1;
            mean += (1 + memory[i]) * lengths[i] / tasks;
            meanBehind += behind[i] / tasks;
        }
        double[] factors = new double[tasks];
        double sum = 0;
        for (int i = 0; i < tasks; i++) {
            factors[i] = 1 + memory[i];
            double wanted = mean * Math.pow(meanBehind > 0 ? behind[i] / meanBehind : 1, LAG);
            double slope = Math.signum(factors[i] * lengths[i] - wanted) * lengths[i];
            memory[i] = Math.max(LEAST_WEIGHT, factors[i] - step.rate() * slope);
            sum += memory[i];
        }
        for (int i = 0; i < tasks; i++) {
            memory[i] = memory[i] * tasks / sum - 1;
        }
        return factors;
    }

    private static double[] conflictAverse(double[][] products) {
        int tasks = products.length;
        double[] mean = new double[tasks];
        Arrays.fill(mean, 1.0 / tasks);
        double radius = CAUTION * Math.sqrt(squaredLength(mean, products));
        double[] weights = mean.clone();
        double scale = Arrays.stream(products)
                .flatMapToDouble(Arrays::stream)
                .map(Math::abs)
                .max()
                .orElse(0);
        for (int i = 0; i < ITERATIONS && scale > 0; i++) { // exponentiated gradient keeps the weights on the simplex
            double length = Math.sqrt(squaredLength(weights, products)) + 1e-12;
            double[] moved = new double[tasks];
            double sum = 0;
            for (int k = 0; k < tasks; k++) {
                double slope = product(mean, products, k) + radius * product(weights, products, k) / length;
                moved[k] = weights[k] * Math.exp(-slope / scale);
                sum += moved[k];
            }
            for (int k = 0; k < tasks; k++) {
                weights[k] = moved[k] / sum;
            }
        }
        double length = Math.sqrt(squaredLength(weights, products));
        double[] factors = new double[tasks];
        for (int k = 0; k < tasks; k++) {
            factors[k] = tasks * (mean[k] + (length > 0 ? radius / length * weights[k] : 0));
        }
        return factors;
    }

    @JsonCreator
    static GradientCombination named(String name) {
        return Arrays.stream(values())
                .filter(each -> each.label.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown way '" + name
                        + "' to combine gradients: expected one of " + Arrays.toString(values())));
    }

    @JsonValue
    @Override
    public String toString() {
        return label;
    }
}
