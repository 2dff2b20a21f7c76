package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.journal.Journal;
import java.util.List;

/**
 * A part of what the coordinator keeps, also through its own death.
 *
 * <p>Its questions and decisions change nothing; what was decided is entered as a {@link Fact}, and that is the only way in. So the
 * facts of an earlier life, entered in their order, lead to the same book.
 */
interface JournaledState {
    /** Takes in what concerns this book; passes over the rest. */
    void enter(Fact fact, long at);

    /**
     * What leads from an empty book to this one: the fewest facts that do, not those that did.
     *
     * @param now the time of facts that have none of their own
     */
    List<Journal.Entry> summary(long now);
}
