package dev.tutti.data.source;

import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Rows that the place a member runs in supplies, by a name: {@code Dataset.of(new SuppliedSource("orders", 8))}. The definition says
 * how many parts there are over all members; each member has some of them.
 */
public final class SuppliedSource implements Source {
    private String name;
    private int parts = 1;

    private SuppliedSource() {}

    /** @param parts over all members */
    public SuppliedSource(String name, int parts) {
        this.name = Objects.requireNonNull(name, "a supplied source needs a name");
        this.parts = parts;
        check();
    }

    private void check() {
        if (name == null || name.isBlank()) {
            throw new DataException("supplied: expected the 'name' of the source, received none");
        }
        if (parts < 1) {
            throw new DataException("supplied('" + name + "'): expected 1 part or more, received " + parts);
        }
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.empty();
    }

    @Override
    public boolean suppliedByPlace() {
        return true;
    }

    @Override
    public Optional<Sample> example() {
        return RowSupplies.current(name).example(name);
    }

    @Override
    public Rows open() {
        check();
        return new SuppliedRows(name, parts, RowSupplies.current(name));
    }

    /** The supply is that of the thread that opened the rows, whichever thread reads them. */
    private record SuppliedRows(String name, int parts, RowSupply supply) implements SequentialRows {
        @Override
        public Cursor read(int part, long skip) {
            return supply.rows(name, part, skip)
                    .orElseThrow(() -> new DataException("part " + part + " of " + parts + " of the supplied source '"
                            + name + "' is not here: it can be read only by the member whose place supplies it"));
        }

        @Override
        public boolean isHere(int part) {
            return supply.has(name, part);
        }

        @Override
        public boolean isNear(int part) {
            return supply.isNear(name, part);
        }
    }

    @Override
    public String toString() {
        return "supplied(\"" + name + "\", " + parts + ")";
    }
}
