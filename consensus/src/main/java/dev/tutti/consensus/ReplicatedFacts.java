package dev.tutti.consensus;

import dev.tutti.cluster.journal.Journal;
import java.util.ArrayList;
import java.util.List;

/**
 * The facts that all peers hold: a function of the changes and their order, without clock or randomness. Callers take turns.
 */
final class ReplicatedFacts {
    private String writer = "";
    private List<Journal.Entry> entries = new ArrayList<>();

    /** All of it, for a snapshot. */
    record Image(String writer, List<Journal.Entry> entries) {}

    /**
     * Carries out a change.
     *
     * @return whether it counts: changes of a writer that another one has replaced do not
     */
    boolean apply(FactChange change) {
        if (change.kind() == FactChange.Kind.OPEN) {
            writer = change.writer();
            return true;
        }
        if (!change.writer().equals(writer)) {
            return false;
        }
        if (change.kind() == FactChange.Kind.SUMMARY) {
            entries = new ArrayList<>();
        }
        entries.addAll(change.entries());
        return true;
    }

    List<Journal.Entry> entries() {
        return List.copyOf(entries);
    }

    Image image() {
        return new Image(writer, List.copyOf(entries));
    }

    void restore(Image image) {
        writer = image.writer();
        entries = new ArrayList<>(image.entries());
    }
}
