package dev.tutti.federated.aggregate;

import dev.tutti.federated.ClientUpdate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How far each update is from its nearest others: the sum of the squared distances to the {@code n - f - 2} nearest ones. */
final class KrumScores {
    private final double[][] distances;
    private final int malicious;

    KrumScores(List<ClientUpdate> updates, int malicious) {
        this.malicious = malicious;
        int n = updates.size();
        distances = new double[n][n];
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < a; b++) {
                double sum = 0;
                float[] x = updates.get(a).delta();
                float[] y = updates.get(b).delta();
                for (int i = 0; i < x.length; i++) {
                    double d = (double) x[i] - y[i];
                    sum += d * d;
                }
                distances[a][b] = sum;
                distances[b][a] = sum;
            }
        }
    }

    /** The places of the updates with the lowest scores among some, lowest first; the earlier one where scores are equal. */
    List<Integer> lowest(List<Integer> among, int count) {
        double[] scores = new double[distances.length];
        among.forEach(a -> scores[a] = score(a, among));
        List<Integer> order = new ArrayList<>(among);
        order.sort((a, b) -> Double.compare(scores[a], scores[b]));
        return order.subList(0, Math.min(count, order.size()));
    }

    private double score(int a, List<Integer> among) {
        double[] others = among.stream()
                .filter(b -> b != a)
                .mapToDouble(b -> distances[a][b])
                .toArray();
        Arrays.sort(others);
        int nearest = Math.max(1, among.size() - malicious - 2);
        double sum = 0;
        for (int i = 0; i < Math.min(nearest, others.length); i++) {
            sum += others[i];
        }
        return sum;
    }
}
