package dev.tutti.strategy.mapreduce;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Limited-memory BFGS: directions from the last few steps and changes of the gradient. The caller evaluates the function; each evaluation
 * is a round.
 */
final class Lbfgs {
    private static final int MEMORY = 10;
    private static final int MOST_TRIALS = 12;
    private static final double SUFFICIENT = 1e-4;

    private final Deque<double[][]> pairs = new ArrayDeque<>(); // step, change of the gradient; the newest first

    /** A point with its value and gradient. */
    @SuppressWarnings("ArrayRecordComponent") // points are not compared
    record Point(double[] at, double value, double[] gradient) {}

    /** The function that is minimised. */
    interface Function {
        Point at(double[] parameters);
    }

    /** One iteration; the same point where no step in the direction makes the value smaller. */
    Point step(Point from, Function function) {
        double[] direction = direction(from.gradient);
        double slope = dot(direction, from.gradient);
        if (slope >= 0) { // of no use as a direction: what was remembered does not fit here
            pairs.clear();
            direction = scaled(from.gradient, -1);
            slope = -dot(from.gradient, from.gradient);
        }
        double length = pairs.isEmpty() ? Math.min(1, 1 / Math.sqrt(-slope)) : 1;
        for (int trial = 0; trial < MOST_TRIALS; trial++) {
            Point to = function.at(plus(from.at, direction, length));
            if (to.value <= from.value + SUFFICIENT * length * slope) {
                remember(from, to);
                return to;
            }
            length /= 2;
        }
        return from;
    }

    private void remember(Point from, Point to) {
        double[] step = plus(to.at, from.at, -1);
        double[] change = plus(to.gradient, from.gradient, -1);
        if (dot(step, change) > 1e-10 * dot(change, change)) {
            pairs.addFirst(new double[][] {step, change});
            if (pairs.size() > MEMORY) {
                pairs.removeLast();
            }
        }
    }

    /** The two loops over what is remembered. */
    private double[] direction(double[] gradient) {
        double[] q = scaled(gradient, -1);
        double[] weights = new double[pairs.size()];
        int i = 0;
        for (double[][] pair : pairs) {
            weights[i] = dot(pair[0], q) / dot(pair[0], pair[1]);
            add(q, pair[1], -weights[i++]);
        }
        if (!pairs.isEmpty()) {
            double[][] newest = pairs.getFirst();
            double scale = dot(newest[0], newest[1]) / dot(newest[1], newest[1]);
            for (int k = 0; k < q.length; k++) {
                q[k] *= scale;
            }
        }
        Iterator<double[][]> oldestFirst = pairs.descendingIterator();
        while (oldestFirst.hasNext()) {
            double[][] pair = oldestFirst.next();
            double back = dot(pair[1], q) / dot(pair[0], pair[1]);
            add(q, pair[0], weights[--i] - back);
        }
        return q;
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    private static void add(double[] into, double[] what, double factor) {
        for (int i = 0; i < into.length; i++) {
            into[i] += factor * what[i];
        }
    }

    private static double[] plus(double[] a, double[] b, double factor) {
        double[] sum = a.clone();
        add(sum, b, factor);
        return sum;
    }

    private static double[] scaled(double[] a, double factor) {
        double[] scaled = new double[a.length];
        add(scaled, a, factor);
        return scaled;
    }
}
