package dev.tutti.federated.aggregate;

import dev.tutti.federated.ClientUpdate;
import java.util.List;

/**
 * A mean weighted by local statistics, as {@code averaging} has it: a client counts by its samples, less the higher its loss and the
 * farther its model from the mean of all: {@code n * exp(-a (l - min l)) * exp(-b d^2 / mean d^2)}. Labels are not compared: their
 * distribution does not leave a client.
 */
public final class LocalStatisticsMean extends Aggregation {
    private double loss = 1;
    private double distance = 1;

    /** How steeply the weight falls with the loss; 0 switches it off. */
    public LocalStatisticsMean loss(double steepness) {
        return this.<LocalStatisticsMean>copy(c -> c.loss = steepness);
    }

    /** How steeply the weight falls with the distance; 0 switches it off. */
    public LocalStatisticsMean distance(double steepness) {
        return this.<LocalStatisticsMean>copy(c -> c.distance = steepness);
    }

    @Override
    public void validate() {
        setting("loss", loss).atLeast(0);
        setting("distance", distance).atLeast(0);
    }

    @Override
    public boolean needsSumOnly() {
        return false;
    }

    @Override
    public Aggregator open(int size, double rate) {
        return new KeepingAggregator(this) {
            @Override
            float[] combine(List<ClientUpdate> all) {
                double[] weights = weights(all);
                WeightedSum sum = new WeightedSum(size);
                for (int k = 0; k < weights.length; k++) {
                    sum.add(all.get(k).delta(), weights[k]);
                }
                sum.requireSome();
                float[] out = new float[size];
                for (int i = 0; i < size; i++) {
                    out[i] = (float) sum.mean(i);
                }
                return out;
            }
        };
    }

    private double[] weights(List<ClientUpdate> all) {
        int n = all.size();
        double[] squares = new double[n];
        double least = Double.POSITIVE_INFINITY;
        double meanSquare = 0;
        double[] mean = new double[all.get(0).delta().length];
        for (ClientUpdate update : all) {
            least = Double.isNaN(update.loss()) ? least : Math.min(least, update.loss());
            for (int i = 0; i < mean.length; i++) {
                mean[i] += update.delta()[i] / (double) n;
            }
        }
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < mean.length; i++) {
                double d = all.get(k).delta()[i] - mean[i];
                squares[k] += d * d;
            }
            meanSquare += squares[k] / n;
        }
        double[] weights = new double[n];
        for (int k = 0; k < n; k++) {
            double own = all.get(k).loss();
            weights[k] = all.get(k).samples()
                    * (Double.isNaN(own) ? 1 : Math.exp(-loss * (own - least)))
                    * (meanSquare > 0 ? Math.exp(-distance * squares[k] / meanSquare) : 1);
        }
        return weights;
    }
}
