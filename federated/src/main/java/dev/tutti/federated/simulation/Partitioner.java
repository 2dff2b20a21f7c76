package dev.tutti.federated.simulation;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import java.util.List;

/** Divides the rows of a data set among simulated clients; the same for the same seed. */
public interface Partitioner {
    /**
     * The rows of each client.
     *
     * @param labels the class of each row; asked by those that go by it
     * @param clients how many clients; a natural partition has its own number and ignores it
     */
    List<int[]> divide(Columns labels, int rows, int clients, long seed);

    /** A column that only says whose a row is, and that the model does not see. */
    default String ownerColumn() {
        return "";
    }

    /** The columns of the data set. */
    interface Columns {
        /** A column of whole numbers by its name. */
        long[] values(String name);
    }

    List<String> NAMES = List.of("iid", "label", "dirichlet", "quantity", "column");

    /**
     * Reads how people write it: {@code iid}, {@code label:2} (classes per client), {@code dirichlet:0.5}, {@code quantity:0.5}, {@code
     * column:label1}.
     *
     * @throws TuttiException if it is none of them
     */
    static Partitioner parse(String text) {
        String[] words = text.split(":", 2);
        try {
            return switch (words[0]) {
                case "iid" -> new EvenPartition();
                case "label" -> new LabelPartition(words.length > 1 ? Integer.parseInt(words[1]) : 2);
                case "dirichlet" -> new DirichletPartition(words.length > 1 ? Double.parseDouble(words[1]) : 0.5);
                case "quantity" -> new QuantityPartition(words.length > 1 ? Double.parseDouble(words[1]) : 0.5);
                case "column" -> new ColumnPartition(words.length > 1 ? words[1] : "label1");
                default ->
                    throw new TuttiException("unknown partition '" + words[0] + "'" + DidYouMean.hint(words[0], NAMES));
            };
        } catch (NumberFormatException e) {
            throw new TuttiException(
                    "partition '" + text + "': expected a number after the colon, such as dirichlet:0.5", e);
        }
    }
}
