package dev.tutti.optim;

/** An optimizer as its paper states it, one value at a time in plain doubles: slow, obvious, to be equal to. */
@FunctionalInterface
interface Twin {
    /** Moves the values of one step, counted from 1. */
    void step(int step, double[] w, double[] g, double rate);

    static Twin sgd(double momentum, boolean nesterov, double decay) {
        double[] velocity = new double[1000];
        return (step, w, g, rate) -> {
            for (int i = 0; i < w.length; i++) {
                double d = g[i] + decay * w[i];
                velocity[i] = momentum * velocity[i] + d;
                w[i] -= rate * (nesterov ? d + momentum * velocity[i] : velocity[i]);
            }
        };
    }

    static Twin adam(double beta1, double beta2, double epsilon, double decay, boolean decoupled) {
        double[] mean = new double[1000];
        double[] square = new double[1000];
        return (step, w, g, rate) -> {
            for (int i = 0; i < w.length; i++) {
                double d = g[i] + (decoupled ? 0 : decay * w[i]);
                mean[i] = beta1 * mean[i] + (1 - beta1) * d;
                square[i] = beta2 * square[i] + (1 - beta2) * d * d;
                double m = mean[i] / (1 - Math.pow(beta1, step));
                double v = square[i] / (1 - Math.pow(beta2, step));
                w[i] -= (decoupled ? rate * decay * w[i] : 0) + rate * m / (Math.sqrt(v) + epsilon);
            }
        };
    }

    static Twin adagrad(double decay) {
        double[] sum = new double[1000];
        return (step, w, g, rate) -> {
            for (int i = 0; i < w.length; i++) {
                double d = g[i] + decay * w[i];
                sum[i] += d * d;
                w[i] -= rate * d / (Math.sqrt(sum[i]) + 1e-10);
            }
        };
    }

    static Twin rmsprop(double alpha, double momentum, boolean centred, double decay) {
        double[] mean = new double[1000];
        double[] square = new double[1000];
        double[] velocity = new double[1000];
        return (step, w, g, rate) -> {
            for (int i = 0; i < w.length; i++) {
                double d = g[i] + decay * w[i];
                square[i] = alpha * square[i] + (1 - alpha) * d * d;
                mean[i] = alpha * mean[i] + (1 - alpha) * d;
                double spread = square[i] - (centred ? mean[i] * mean[i] : 0);
                velocity[i] = momentum * velocity[i] + d / (Math.sqrt(spread) + 1e-8);
                w[i] -= rate * velocity[i];
            }
        };
    }

    static Twin lion(double decay) {
        double[] momentum = new double[1000];
        return (step, w, g, rate) -> {
            for (int i = 0; i < w.length; i++) {
                double direction = Math.signum(0.9 * momentum[i] + 0.1 * g[i]);
                w[i] -= rate * (direction + decay * w[i]);
                momentum[i] = 0.99 * momentum[i] + 0.01 * g[i];
            }
        };
    }
}
