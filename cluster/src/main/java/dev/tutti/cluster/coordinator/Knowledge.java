package dev.tutti.cluster.coordinator;

import java.util.List;
import java.util.stream.Collectors;

/** What a coordinator keeps through everything, also through its own death: the sum of all {@linkplain Fact facts}. */
final class Knowledge implements Book {
    private final Roster roster = new Roster();
    private final Notes notes = new Notes();
    private final Settings settings = new Settings();
    private final DataLedger ledger = new DataLedger();
    /** Members and their group come first: facts of the others are about them. */
    private final List<Book> books = List.of(roster, notes, settings, ledger);

    Roster roster() {
        return roster;
    }

    Notes notes() {
        return notes;
    }

    Settings settings() {
        return settings;
    }

    DataLedger ledger() {
        return ledger;
    }

    @Override
    public void enter(Fact fact, long at) {
        books.forEach(book -> book.enter(fact, at));
    }

    @Override
    public List<Journal.Entry> summary(long now) {
        return books.stream().flatMap(book -> book.summary(now).stream()).toList();
    }

    /** All of it as text: equal texts are equal knowledge. */
    @Override
    public String toString() {
        return books.stream().map(Book::toString).collect(Collectors.joining("\n"));
    }
}
