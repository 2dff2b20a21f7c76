package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.journal.Journal;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The names of the machines that members run on. A name that several machines give themselves is made different for each but the first:
 * {@code localhost}, {@code localhost~2}. Members with the same name can share memory.
 */
final class HostNames implements JournaledState {
    /** By machine. */
    private final Map<String, Fact.HostNamed> named = new LinkedHashMap<>();

    private final Set<String> taken = new HashSet<>();

    /** The name of the machine that a member comes from, which is its own unless another machine has that. */
    String nameOf(Event.Join asked) {
        if (asked.machine().isEmpty()) {
            return asked.host();
        }
        return find(asked).map(Fact.HostNamed::host).orElseGet(() -> free(asked.host()));
    }

    private Optional<Fact.HostNamed> find(Event.Join asked) {
        return Optional.ofNullable(named.get(asked.machine()))
                .filter(known -> known.own().equals(asked.host()));
    }

    private String free(String own) {
        String name = own;
        for (int i = 2; taken.contains(name); i++) {
            name = own + "~" + i;
        }
        return name;
    }

    /** What is to be kept of a machine that is new. */
    Optional<Fact.HostNamed> name(Event.Join asked, String host) {
        boolean known = asked.machine().isEmpty() || find(asked).isPresent();
        return known ? Optional.empty() : Optional.of(new Fact.HostNamed(asked.machine(), asked.host(), host));
    }

    @Override
    public void enter(Fact fact, long at) {
        if (fact instanceof Fact.HostNamed machine) {
            Fact.HostNamed before = named.put(machine.machine(), machine);
            if (before != null) {
                taken.remove(before.host());
            }
            taken.add(machine.host());
        }
    }

    @Override
    public List<Journal.Entry> summary(long now) {
        return named.values().stream()
                .map(machine -> new Journal.Entry(now, List.<Fact>of(machine)))
                .toList();
    }

    @Override
    public String toString() {
        return named.values().toString();
    }
}
