package dev.tutti.federated;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.BoundedNumber;
import dev.tutti.data.RowRandom;
import dev.tutti.json.Definition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Who takes part in a round: a fraction of the clients that are there and fit, at least some of them, and a few more than are needed
 * where slow ones are not waited for.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class Selection extends Definition {
    private double fraction = 1;
    private int minimum = 1;
    private int available;
    private double over = 1;
    private boolean poisson;
    private Map<String, String> labels = Map.of();
    private Map<String, Double> resources = Map.of();

    /** The part of the clients that are there; 1 by default. */
    public Selection fraction(double part) {
        return this.<Selection>copy(c -> c.fraction = part);
    }

    /** The fewest clients that a round asks; 1 by default. */
    public Selection minimum(int clients) {
        return this.<Selection>copy(c -> c.minimum = clients);
    }

    /** The fewest clients that must be there before a round begins; as many as it asks by default. */
    public Selection available(int clients) {
        return this.<Selection>copy(c -> c.available = clients);
    }

    /** How many times as many clients are asked as answers are needed: the first ones count. 1 by default. */
    public Selection over(double factor) {
        return this.<Selection>copy(c -> c.over = factor);
    }

    /** Chooses each client independently with the fraction as its chance, as accounting of privacy wants it. */
    public Selection poisson(boolean on) {
        return this.<Selection>copy(c -> c.poisson = on);
    }

    /** Only clients that have said these labels, such as {@code site: hospital}. */
    public Selection labels(Map<String, String> wanted) {
        return this.<Selection>copy(c -> c.labels = Map.copyOf(wanted));
    }

    /** Only clients that have reported at least so much of these, such as {@code cores: 2}. */
    public Selection resources(Map<String, Double> least) {
        return this.<Selection>copy(c -> c.resources = Map.copyOf(least));
    }

    public double fraction() {
        return fraction;
    }

    /** Clients that must be there before a round begins. */
    public int needed() {
        return Math.max(minimum, available);
    }

    @Override
    public void validate() {
        new BoundedNumber("selection", "fraction", fraction).above(0).atMost(1);
        new BoundedNumber("selection", "minimum", minimum).atLeast(1);
        new BoundedNumber("selection", "available", available).atLeast(0);
        new BoundedNumber("selection", "over", over).atLeast(1).atMost(10);
    }

    /**
     * Those who are asked.
     *
     * @param clients who is asked, in a fixed order
     * @param answers how many answers complete the round
     */
    public record Choice(List<ClientDescription> clients, int answers) {
        public Choice {
            clients = List.copyOf(clients);
        }
    }

    /** Whether a client may take part at all. */
    public boolean fits(ClientDescription client) {
        return labels.entrySet().stream()
                        .allMatch(
                                label -> label.getValue().equals(client.labels().get(label.getKey())))
                && resources.entrySet().stream()
                        .allMatch(least -> client.resources().getOrDefault(least.getKey(), 0.0) >= least.getValue());
    }

    /** Chooses among those who are there; none when there are too few. The same for the same seed and the same clients. */
    public Choice choose(List<ClientDescription> present, long seed) {
        List<ClientDescription> fitting =
                new ArrayList<>(present.stream().filter(this::fits).toList());
        fitting.sort(Comparator.comparing(ClientDescription::id));
        if (fitting.size() < needed()) {
            return new Choice(List.of(), 0);
        }
        RowRandom random = new RowRandom(seed);
        if (poisson) {
            List<ClientDescription> chosen = fitting.stream()
                    .filter(client -> random.nextDouble() < fraction)
                    .toList();
            return new Choice(chosen, chosen.size());
        }
        int answers = Math.max(minimum, (int) Math.round(fraction * fitting.size()));
        int asked = Math.min(fitting.size(), (int) Math.ceil(answers * over));
        for (int i = 0; i < asked; i++) {
            int other = i + random.nextInt(fitting.size() - i);
            ClientDescription swapped = fitting.get(i);
            fitting.set(i, fitting.get(other));
            fitting.set(other, swapped);
        }
        return new Choice(fitting.subList(0, asked), answers);
    }
}
