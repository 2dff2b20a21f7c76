package dev.tutti.comm;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The things of a member that is alone. */
final class LocalOwnership implements Ownership {
    private final String self;
    private final Map<String, Holding> things = new TreeMap<>();

    LocalOwnership(String self) {
        this.self = self;
    }

    @Override
    public synchronized Holding claim(String thing) {
        Holding now = things.get(thing);
        if (now == null || now.holders().isEmpty()) {
            now = new Holding(thing, now == null ? 1 : now.term() + 1, List.of(self));
            things.put(thing, now);
        }
        return now;
    }

    @Override
    public synchronized Holding assign(Holding held, List<String> holders) {
        Holding now = things.get(held.thing());
        if (now == null || now.term() != held.term() || !now.isFirst(self)) {
            throw new FencedException(self + " does not hold '" + held.thing() + "' under term " + held.term());
        }
        if (!holders.isEmpty() && !holders.equals(List.of(self))) {
            throw new FencedException("expected " + self + ", the only member, received " + holders);
        }
        Holding next = new Holding(held.thing(), holders.isEmpty() ? now.term() + 1 : now.term(), holders);
        things.put(next.thing(), next);
        return next;
    }

    @Override
    public synchronized Optional<Holding> of(String thing) {
        return Optional.ofNullable(things.get(thing));
    }

    @Override
    public synchronized List<Holding> all(String prefix) {
        return things.values().stream()
                .filter(holding -> holding.thing().startsWith(prefix))
                .toList();
    }
}
