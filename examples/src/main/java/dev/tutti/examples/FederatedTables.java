package dev.tutti.examples;

import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.sgd;

import dev.tutti.TuttiException;
import dev.tutti.data.Mnist;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.FederatedJobs;
import dev.tutti.federated.Selection;
import dev.tutti.federated.aggregate.Aggregation;
import dev.tutti.federated.aggregate.Bulyan;
import dev.tutti.federated.aggregate.CoordinateMedian;
import dev.tutti.federated.aggregate.FedAvg;
import dev.tutti.federated.aggregate.FedProx;
import dev.tutti.federated.aggregate.Krum;
import dev.tutti.federated.aggregate.Scaffold;
import dev.tutti.federated.aggregate.TrimmedMean;
import dev.tutti.federated.simulation.Partitioner;
import dev.tutti.federated.simulation.Simulation;
import dev.tutti.federated.simulation.SimulationResult;
import dev.tutti.nn.Sequential;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Makes tables of federated learning that are known from papers, on MNIST, as Markdown.
 *
 * <p>Arguments: a table ({@code 2nn}, {@code cnn}, {@code skew} or {@code poison}; all by default) and the most rounds of a run.
 */
public final class FederatedTables {
    private static final List<String> TABLES = List.of("2nn", "cnn", "skew", "poison");

    private final PrintStream out;
    private final int mostRounds;

    private FederatedTables(PrintStream out, int mostRounds) {
        this.out = out;
        this.mostRounds = mostRounds;
    }

    static void run(PrintStream out, Path home, List<String> arguments) {
        List<String> wanted = arguments.isEmpty() ? TABLES : List.of(arguments.get(0));
        if (!TABLES.containsAll(wanted)) {
            throw new TuttiException("expected a table, one of " + TABLES + ": received " + wanted.get(0));
        }
        int rounds = arguments.size() > 1 ? Integer.parseInt(arguments.get(1)) : 150;
        FederatedTables tables = new FederatedTables(out, rounds);
        for (String table : wanted) {
            switch (table) {
                case "2nn" -> tables.fedAvg("2NN", "mnist", 1, 0.97, 87);
                case "cnn" -> tables.fedAvg("CNN", "mnist-cnn", 5, 0.99, 20);
                case "skew" -> tables.skew();
                default -> tables.poison();
            }
            out.println();
        }
    }

    private static double accuracy(SimulationResult result) {
        return result.last().orElseThrow().get("accuracy");
    }

    /** Rounds until an accuracy is reached, beside those of McMahan et al. 2017. */
    private void fedAvg(String network, String job, int epochs, double goal, int published) {
        FederatedJob learning = FederatedJobs.find(job)
                .rounds(mostRounds)
                .epochs(epochs)
                .batch(10)
                .selection(new Selection().fraction(0.1));
        SimulationResult result = Simulation.of(learning, Mnist.train(), 100)
                .evaluateOn(Mnist.test())
                .until(round -> round.evaluation().get("accuracy") >= goal)
                .run();
        boolean reached = accuracy(result) >= goal;
        out.println("| network | clients | C | E | B | goal | rounds | published | last accuracy | seconds |");
        out.println("|---|---|---|---|---|---|---|---|---|---|");
        out.printf(
                Locale.ROOT,
                "| %s | 100, iid | 0.1 | %d | 10 | %.2f | %s%d | %d | %.4f | %.0f |%n",
                network,
                epochs,
                goal,
                reached ? "" : "over ",
                result.rounds().size(),
                published,
                accuracy(result),
                result.seconds());
    }

    /**
     * FedAvg, FedProx and SCAFFOLD where clients have other labels: a softmax regression as in the experiments of SCAFFOLD's paper, 20 of
     * 100 clients, 5 epochs in batches of a fifth of the rows.
     */
    private void skew() {
        FederatedJob job = FederatedJobs.find("mnist")
                .model(Sequential.of(flatten(), dense(10)))
                .optimizer(sgd(0.5))
                .rounds(mostRounds)
                .epochs(5)
                .batch(120)
                .selection(new Selection().fraction(0.2));
        Map<String, Aggregation> all = new LinkedHashMap<>();
        all.put("FedAvg", new FedAvg());
        all.put("FedProx, mu 0.1", new FedProx().mu(0.1));
        all.put("SCAFFOLD", new Scaffold().clients(100));
        out.println(
                "| clients | aggregation | rounds to 0.85 | rounds to 0.88 | mean accuracy of the last 10 rounds | least of them |");
        out.println("|---|---|---|---|---|---|");
        for (String partition : List.of("label:2", "dirichlet:0.5")) {
            all.forEach((name, aggregation) -> {
                SimulationResult result = Simulation.of(job.aggregation(aggregation), Mnist.train(), 100)
                        .partition(Partitioner.parse(partition))
                        .evaluateOn(Mnist.test())
                        .run();
                double[] accuracies = result.rounds().stream()
                        .mapToDouble(round -> round.evaluation().get("accuracy"))
                        .toArray();
                double sum = 0;
                double least = 1;
                int from = Math.max(0, accuracies.length - 10);
                for (int i = from; i < accuracies.length; i++) {
                    sum += accuracies[i];
                    least = Math.min(least, accuracies[i]);
                }
                out.printf(
                        Locale.ROOT,
                        "| %s | %s | %s | %s | %.4f | %.4f |%n",
                        partition,
                        name,
                        first(accuracies, 0.85),
                        first(accuracies, 0.88),
                        sum / (accuracies.length - from),
                        least);
            });
        }
    }

    private static String first(double[] accuracies, double goal) {
        for (int i = 0; i < accuracies.length; i++) {
            if (accuracies[i] >= goal) {
                return Integer.toString(i + 1);
            }
        }
        return "over " + accuracies.length;
    }

    /** The 2NN at 20 clients, of which none or a fifth send their updates backwards and ten times as long. */
    private void poison() {
        int rounds = Math.min(mostRounds, 5);
        FederatedJob job = FederatedJobs.find("mnist").rounds(rounds).batch(50).selection(new Selection());
        Map<String, Aggregation> all = new LinkedHashMap<>();
        all.put("mean (FedAvg)", new FedAvg());
        all.put("median", new CoordinateMedian());
        all.put("trimmed mean, beta 0.25", new TrimmedMean().beta(0.25));
        all.put("Krum", new Krum().malicious(4));
        all.put("multi-Krum, 10 kept", new Krum().malicious(4).keep(10));
        all.put("Bulyan", new Bulyan().malicious(4));
        out.println("| aggregation | accuracy, all honest | accuracy, 4 of 20 poisoned |");
        out.println("|---|---|---|");
        all.forEach((name, aggregation) -> out.printf(
                Locale.ROOT,
                "| %s | %.4f | %.4f |%n",
                name,
                poisoned(job.aggregation(aggregation), 0),
                poisoned(job.aggregation(aggregation), 0.2)));
    }

    private static double poisoned(FederatedJob job, double part) {
        return accuracy(Simulation.of(job, Mnist.train(), 20)
                .poison(part)
                .evaluateOn(Mnist.test())
                .run());
    }
}
