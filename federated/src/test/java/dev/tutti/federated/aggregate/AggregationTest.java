package dev.tutti.federated.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.TuttiException;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.json.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each aggregation beside numbers worked out by hand and beside a plain twin. */
class AggregationTest {
    private static final double RATE = 0.5;

    private static float[] run(Aggregation aggregation, float[] model, ClientUpdate... updates) {
        Aggregator aggregator = aggregation.open(model.length, RATE);
        return round(aggregator, model, updates);
    }

    private static float[] round(Aggregator aggregator, float[] model, ClientUpdate... updates) {
        aggregator.begin(model);
        for (ClientUpdate update : updates) {
            aggregator.add(update);
        }
        return aggregator.finish();
    }

    private static ClientUpdate update(String client, long samples, float... delta) {
        return ClientUpdate.of(client, 1, samples, delta);
    }

    @Test
    void fedAvgWeighsBySamples() {
        // (1*4 + 3*0) / 4 = 1; (1*0 + 3*8) / 4 = 6
        assertThat(run(new FedAvg(), new float[] {10, 10}, update("a", 1, 4, 0), update("b", 3, 0, 8)))
                .containsExactly(11, 16);
        assertThat(run(new FedAvg().weighted(false), new float[] {0}, update("a", 1, 4), update("b", 3, 0)))
                .containsExactly(2);
    }

    @Test
    void fedProxAveragesAndHoldsClients() {
        assertThat(run(new FedProx().mu(0.1), new float[] {0}, update("a", 1, 4), update("b", 3, 0)))
                .containsExactly(1);
        assertThat(new FedProx().mu(0.1).local().proximal()).isEqualTo(0.1);
    }

    @Test
    void fedAvgMKeepsItsSpeed() {
        Aggregator aggregator = new FedAvgM().momentum(0.5).open(1, RATE);
        float[] first = round(aggregator, new float[] {0}, update("a", 1, 2)); // v = 2
        float[] second = round(aggregator, first, update("a", 1, 2)); // v = 1 + 2 = 3
        assertThat(first).containsExactly(2);
        assertThat(second).containsExactly(5);
    }

    @Test
    void fedAdamByHand() {
        // m = 0.1*2 = 0.2, v = 0.01*4 = 0.04, sqrt(v) = 0.2; rate 0.1 * sqrt(1 - 0.99^2) / (1 - 0.9^2)
        double rate = 0.1 * Math.sqrt(1 - 0.99 * 0.99) / (1 - 0.81);
        float[] next = run(new FedAdam(), new float[] {1}, update("a", 5, 2));
        assertThat((double) next[0]).isCloseTo(1 + rate * 0.2 / (0.2 + 1e-3), within(1e-6));
    }

    @Test
    void fedAdagradByHand() {
        // v = 4 then 8: 0.1 * 2 / 2.001, then 0.1 * 2 / (sqrt(8) + 0.001)
        Aggregator aggregator = new FedAdagrad().open(1, RATE);
        float[] first = round(aggregator, new float[] {0}, update("a", 1, 2));
        float[] second = round(aggregator, first, update("a", 1, 2));
        assertThat((double) first[0]).isCloseTo(0.2 / 2.001, within(1e-7));
        assertThat((double) second[0] - first[0]).isCloseTo(0.2 / (Math.sqrt(8) + 1e-3), within(1e-7));
    }

    @Test
    void fedYogiByHand() {
        // v = 0 - 0.01*4*sign(0 - 4) = 0.04; m = 0.2
        float[] next = run(new FedYogi(), new float[] {0}, update("a", 1, 2));
        assertThat((double) next[0]).isCloseTo(0.01 * 0.2 / (0.2 + 1e-3), within(1e-7));
    }

    @Test
    void scaffoldMovesItsControlByThePartThatAnswered() {
        Aggregator aggregator = new Scaffold().clients(4).open(1, RATE);
        ClientUpdate a = new ClientUpdate("a", 1, 1, new float[] {2}, Optional.of(new float[] {8}), 1, 0, 0);
        ClientUpdate b = new ClientUpdate("b", 1, 9, new float[] {4}, Optional.of(new float[] {0}), 1, 0, 0);
        assertThat(round(aggregator, new float[] {0}, a, b)).containsExactly(3); // clients count alike
        assertThat(aggregator.control().orElseThrow()).containsExactly(2); // half of the mean of 8 and 0
        assertThatThrownBy(() -> round(aggregator, new float[] {0}, update("c", 1, 1)))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("control variate");
    }

    @Test
    void qFedAvgByHand() {
        // L = 2; losses 1 and 4, q = 1: weights 1 and 4; gradients 2*1 = 2 and 2*3 = 6
        // sum = 1*2 + 4*6 = 26; h = (1*4 + 2*1) + (1*36 + 2*4) = 50
        ClientUpdate a = new ClientUpdate("a", 1, 1, new float[] {1}, Optional.empty(), 1, 0, 1);
        ClientUpdate b = new ClientUpdate("b", 1, 1, new float[] {3}, Optional.empty(), 1, 0, 4);
        assertThat((double) run(new QFedAvg().q(1), new float[] {0}, a, b)[0]).isCloseTo(26.0 / 50, within(1e-6));
        // q = 0 is the even mean
        assertThat((double) run(new QFedAvg().q(0), new float[] {0}, a, b)[0]).isCloseTo(2, within(1e-6));
    }

    @Test
    void medianAndTrimmedMeanByHand() {
        ClientUpdate[] odd = {update("a", 1, 1, -5), update("b", 9, 2, 0), update("c", 1, 900, 1)};
        assertThat(run(new CoordinateMedian(), new float[] {0, 0}, odd)).containsExactly(2, 0);
        ClientUpdate[] five = {
            update("a", 1, -100), update("b", 1, 1), update("c", 1, 2), update("d", 1, 3), update("e", 1, 100)
        };
        assertThat(run(new TrimmedMean(), new float[] {0}, five)).containsExactly(2);
    }

    @Test
    void krumTakesTheOneNearestToTheOthers() {
        ClientUpdate[] updates = {
            update("a", 1, 1.0f), update("b", 1, 1.1f), update("c", 1, 1.3f), update("d", 1, 9), update("e", 1, 0.7f)
        };
        // n = 5, f = 1: two nearest. b: 0.01 + 0.04 = 0.05; a: 0.01 + 0.09 = 0.10; c: 0.04 + 0.09 = 0.13
        assertThat(run(new Krum(), new float[] {0}, updates)).containsExactly(1.1f);
        assertThat((double) run(new Krum().keep(2), new float[] {0}, updates)[0])
                .isCloseTo(1.05, within(1e-6));
        assertThatThrownBy(() -> run(new Krum(), new float[] {0}, update("a", 1, 1)))
                .hasMessageContaining("krum needs 5 updates");
    }

    @Test
    void bulyanByHand() {
        // n = 7, f = 1: five are chosen, the three nearest to their median are averaged
        ClientUpdate[] updates = {
            update("a", 1, 1),
            update("b", 1, 2),
            update("c", 1, 3),
            update("d", 1, 4),
            update("e", 1, 5),
            update("f", 1, 6),
            update("g", 1, 1000)
        };
        float next = run(new Bulyan(), new float[] {0}, updates)[0];
        assertThat(next).isBetween(2f, 5f);
        assertThatThrownBy(() -> run(new Bulyan(), new float[] {0}, update("a", 1, 1)))
                .hasMessageContaining("bulyan needs 7 updates");
    }

    @Test
    void localStatisticsLowerTheWeightOfAPoorModel() {
        ClientUpdate good = new ClientUpdate("a", 1, 1, new float[] {1}, Optional.empty(), 1, 0.0, 0);
        ClientUpdate poor = new ClientUpdate("b", 1, 1, new float[] {3}, Optional.empty(), 1, 1.0, 0);
        double e = Math.exp(-1);
        // distances are equal: they cancel
        assertThat((double) run(new LocalStatisticsMean(), new float[] {0}, good, poor)[0])
                .isCloseTo((1 + 3 * e) / (1 + e), within(1e-6));
    }

    @Test
    void fedBuffWeighsByAge() {
        Aggregator aggregator = new FedBuff().buffer(2).open(1, RATE);
        ((RoundAware) aggregator).round(4);
        ClientUpdate fresh = ClientUpdate.of("a", 4, 1, 2);
        ClientUpdate stale = ClientUpdate.of("b", 1, 1, 2); // three models old: weight a half
        assertThat(round(aggregator, new float[] {0}, fresh, stale)).containsExactly(1.5f);
    }

    // ---- twins

    /** Written as plainly as can be, over lists of doubles. */
    private interface Twin {
        double[] next(double[] model, List<ClientUpdate> updates);
    }

    static List<Object[]> twins() {
        Map<Aggregation, Twin> twins = new LinkedHashMap<>();
        twins.put(
                new FedAvg(),
                (model, updates) -> column(model, updates, values -> {
                    double total =
                            updates.stream().mapToLong(ClientUpdate::samples).sum();
                    double mean = 0;
                    for (int k = 0; k < values.length; k++) {
                        mean += updates.get(k).samples() / total * values[k];
                    }
                    return mean;
                }));
        twins.put(
                new CoordinateMedian(),
                (model, updates) -> column(model, updates, values -> {
                    Arrays.sort(values);
                    int n = values.length;
                    return (values[(n - 1) / 2] + values[n / 2]) / 2;
                }));
        twins.put(
                new TrimmedMean().beta(0.25),
                (model, updates) -> column(model, updates, values -> {
                    Arrays.sort(values);
                    int cut = values.length / 4;
                    return Arrays.stream(values, cut, values.length - cut)
                            .average()
                            .orElseThrow();
                }));
        twins.put(new Krum().malicious(2), (model, updates) -> {
            ClientUpdate best = updates.stream()
                    .min(Comparator.comparingDouble(one -> updates.stream()
                            .filter(other -> !other.client().equals(one.client()))
                            .mapToDouble(other -> distance(one, other))
                            .sorted()
                            .limit(updates.size() - 4)
                            .sum()))
                    .orElseThrow();
            return column(model, List.of(best), values -> values[0]);
        });
        twins.put(new Bulyan().malicious(1), (model, updates) -> {
            List<ClientUpdate> rest = new ArrayList<>(updates);
            List<ClientUpdate> chosen = new ArrayList<>();
            while (chosen.size() < updates.size() - 2) {
                List<ClientUpdate> now = List.copyOf(rest);
                ClientUpdate best = now.stream()
                        .min(Comparator.comparingDouble(one -> now.stream()
                                .filter(other -> !other.client().equals(one.client()))
                                .mapToDouble(other -> distance(one, other))
                                .sorted()
                                .limit(Math.max(1, now.size() - 3))
                                .sum()))
                        .orElseThrow();
                rest.remove(best);
                chosen.add(best);
            }
            return column(model, chosen, values -> {
                Arrays.sort(values);
                int n = values.length;
                double median = (values[(n - 1) / 2] + values[n / 2]) / 2;
                return Arrays.stream(values)
                        .boxed()
                        .sorted(Comparator.comparingDouble(v -> Math.abs(v - median)))
                        .limit(n - 2)
                        .mapToDouble(v -> v)
                        .average()
                        .orElseThrow();
            });
        });
        return twins.entrySet().stream()
                .map(entry -> new Object[] {entry.getKey(), entry.getValue()})
                .toList();
    }

    private interface OfColumn {
        double of(double[] values);
    }

    private static double[] column(double[] model, List<ClientUpdate> updates, OfColumn rule) {
        return IntStream.range(0, model.length)
                .mapToDouble(i -> model[i]
                        + rule.of(
                                updates.stream().mapToDouble(u -> u.delta()[i]).toArray()))
                .toArray();
    }

    private static double distance(ClientUpdate a, ClientUpdate b) {
        return IntStream.range(0, a.delta().length)
                .mapToDouble(i -> Math.pow((double) a.delta()[i] - b.delta()[i], 2))
                .sum();
    }

    @ParameterizedTest
    @MethodSource("twins")
    void agreesWithItsTwin(Aggregation aggregation, Twin twin) {
        Random random = new Random(5);
        for (int trial = 0; trial < 20; trial++) {
            int clients = 8 + random.nextInt(6);
            float[] model = vector(random, 17);
            List<ClientUpdate> updates = new ArrayList<>();
            for (int k = 0; k < clients; k++) {
                updates.add(update("client-" + (char) ('a' + k), 1 + random.nextInt(50), vector(random, 17)));
            }
            float[] next = run(aggregation, model, updates.toArray(ClientUpdate[]::new));
            double[] expected =
                    twin.next(IntStream.range(0, 17).mapToDouble(i -> model[i]).toArray(), updates);
            for (int i = 0; i < 17; i++) {
                assertThat((double) next[i]).as("%s at %d", aggregation, i).isCloseTo(expected[i], within(1e-5));
            }
        }
    }

    private static float[] vector(Random random, int size) {
        float[] out = new float[size];
        for (int i = 0; i < size; i++) {
            out[i] = (float) random.nextGaussian();
        }
        return out;
    }

    static List<Aggregation> all() {
        return List.of(
                new FedAvg(),
                new FedAvgM(),
                new FedAdam(),
                new FedAdagrad(),
                new FedYogi(),
                new FedProx(),
                new Scaffold(),
                new QFedAvg(),
                new CoordinateMedian(),
                new TrimmedMean(),
                new Krum(),
                new Bulyan(),
                new LocalStatisticsMean(),
                new FedBuff());
    }

    @ParameterizedTest
    @MethodSource("all")
    void isReadFromItsNameAndGoesOnFromItsState(Aggregation aggregation) {
        String name = Json.name(aggregation.getClass()).orElseThrow();
        Aggregation read = Json.readYaml(name, Aggregation.class, "test");
        assertThat(read.getClass()).isEqualTo(aggregation.getClass());
        assertThat(Json.read(Json.write(aggregation), Aggregation.class, "test").getClass())
                .isEqualTo(aggregation.getClass());
        Random random = new Random(3);
        Aggregator straight = aggregation.open(5, RATE);
        float[] first = round(straight, vector(random, 5), updates(random));
        Aggregator resumed = aggregation.open(5, RATE);
        Map<String, float[]> saved = new LinkedHashMap<>();
        straight.state().forEach((key, vector) -> saved.put(key, vector.clone()));
        resumed.restore(saved);
        ClientUpdate[] more = updates(random);
        assertThat(round(resumed, first, more)).containsExactly(round(straight, first, more));
    }

    private static ClientUpdate[] updates(Random random) {
        return IntStream.range(0, 9)
                .mapToObj(k ->
                        new ClientUpdate("c" + k, 0, 1 + k, vector(random, 5), Optional.of(vector(random, 5)), 1, 1, 1))
                .toArray(ClientUpdate[]::new);
    }
}
