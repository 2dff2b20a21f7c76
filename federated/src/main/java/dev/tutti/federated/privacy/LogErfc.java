package dev.tutti.federated.privacy;

/** The logarithm of the complementary error function, also where the function itself is too small for a double. */
final class LogErfc {
    private static final double NEAR = 5;
    private static final double HALF_LOG_PI = 0.5 * Math.log(Math.PI);

    private LogErfc() {}

    static double of(double x) {
        if (x < -NEAR) {
            return Math.log1p(1 - Math.exp(of(-x)));
        }
        return x > NEAR ? asymptotic(x) : Math.log(series(x));
    }

    /** The continued fraction, evaluated from its far end. */
    private static double asymptotic(double x) {
        double fraction = 0;
        for (int k = 60; k >= 1; k--) {
            fraction = k / 2.0 / (x + fraction);
        }
        return -x * x - HALF_LOG_PI - Math.log(x + fraction);
    }

    /** 1 - erf(x); by its power series near 0, by the continued fraction where that would cancel. */
    private static double series(double x) {
        if (x > 2) {
            return Math.exp(asymptotic(x));
        }
        if (x < -2) {
            return 2 - Math.exp(asymptotic(-x));
        }
        double term = x;
        double sum = x;
        for (int n = 1; n < 100; n++) {
            term *= -x * x / n;
            sum += term / (2 * n + 1);
        }
        return 1 - 2 / Math.sqrt(Math.PI) * sum;
    }
}
