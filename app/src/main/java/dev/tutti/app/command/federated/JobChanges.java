package dev.tutti.app.command.federated;

import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.Selection;
import dev.tutti.federated.aggregate.Aggregation;
import dev.tutti.json.Json;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What the command line changes of a federated job. */
final class JobChanges {
    @Option(names = "--rounds", paramLabel = "N", description = "Rounds.")
    private Integer rounds;

    @Option(names = "--fraction", paramLabel = "PART", description = "The part of the clients that a round asks.")
    private Double fraction;

    @Option(names = "--minimum", paramLabel = "N", description = "The fewest clients that a round begins with.")
    private Integer minimum;

    @Option(names = "--epochs", paramLabel = "N", description = "Passes of a client over its data in a round.")
    private Integer epochs;

    @Option(names = "--batch", paramLabel = "ROWS", description = "Rows to a batch; 0 for all rows of a client.")
    private Integer batch;

    @Option(
            names = "--aggregation",
            paramLabel = "NAME",
            description = "fedAvg, fedProx, scaffold, krum ...; settings as YAML: '{type: fedProx, mu: 0.1}'.")
    private String aggregation;

    @Option(names = "--seed", paramLabel = "N", description = "What all that is random follows from.")
    private Long seed;

    @Option(names = "--output", paramLabel = "FOLDER", description = "Where the results go.")
    private Path output;

    FederatedJob in(FederatedJob job) {
        FederatedJob changed = job;
        if (rounds != null) {
            changed = changed.rounds(rounds);
        }
        if (epochs != null) {
            changed = changed.epochs(epochs);
        }
        if (batch != null) {
            changed = changed.batch(batch);
        }
        if (seed != null) {
            changed = changed.seed(seed);
        }
        if (aggregation != null) {
            changed = changed.aggregation(Json.readYaml(aggregation, Aggregation.class, "--aggregation"));
        }
        if (output != null) {
            changed = changed.output(output);
        }
        Selection selection = changed.selection();
        selection = fraction == null ? selection : selection.fraction(fraction);
        selection = minimum == null ? selection : selection.minimum(minimum);
        return changed.selection(selection);
    }

    Optional<Path> output() {
        return Optional.ofNullable(output);
    }
}
