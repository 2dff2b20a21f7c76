package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.journal.Journal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Where the members listen for messages of other members. */
final class AddressBook implements JournaledState {
    private final Map<String, String> addresses = new TreeMap<>();

    /** Says whether an address is written down; empty if it is already. */
    Optional<Fact.Announced> announce(Event.Announce asked) {
        TextLimits.requireShort("the address of " + asked.member(), asked.address());
        return asked.address().equals(addresses.get(asked.member()))
                ? Optional.empty()
                : Optional.of(new Fact.Announced(asked.member(), asked.address()));
    }

    Optional<String> of(String member) {
        return Optional.ofNullable(addresses.get(member));
    }

    @Override
    public void enter(Fact fact, long at) {
        if (fact instanceof Fact.Announced announced) {
            addresses.put(announced.member(), announced.address());
        } else if (fact instanceof Fact.Lost lost) {
            addresses.remove(lost.member());
        }
    }

    @Override
    public List<Journal.Entry> summary(long now) {
        return addresses.entrySet().stream()
                .map(each -> new Fact.Announced(each.getKey(), each.getValue()))
                .map(fact -> new Journal.Entry(now, List.of(fact)))
                .toList();
    }

    @Override
    public String toString() {
        return addresses.toString();
    }
}
