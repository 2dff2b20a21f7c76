package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.journal.Journal;
import java.util.List;
import java.util.stream.Collectors;

/** What a coordinator keeps through everything, also through its own death: the sum of all {@linkplain Fact facts}. */
final class CoordinatorState implements JournaledState {
    private final Roster roster = new Roster();
    private final BoardState notes = new BoardState();
    private final ConfigurationState settings = new ConfigurationState();
    private final DataLedger ledger = new DataLedger();
    private final JobSettings job = new JobSettings();
    private final HostNames hosts = new HostNames();
    private final AddressBook addresses = new AddressBook();
    private final OwnershipTable ownership = new OwnershipTable();
    /** Members and their group come first: facts of the others are about them. */
    private final List<JournaledState> books =
            List.of(roster, notes, settings, ledger, job, hosts, addresses, ownership);

    Roster roster() {
        return roster;
    }

    BoardState notes() {
        return notes;
    }

    ConfigurationState settings() {
        return settings;
    }

    DataLedger ledger() {
        return ledger;
    }

    JobSettings job() {
        return job;
    }

    HostNames hosts() {
        return hosts;
    }

    AddressBook addresses() {
        return addresses;
    }

    OwnershipTable ownership() {
        return ownership;
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
        return books.stream().map(JournaledState::toString).collect(Collectors.joining("\n"));
    }
}
