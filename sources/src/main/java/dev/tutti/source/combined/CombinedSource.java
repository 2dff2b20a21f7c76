package dev.tutti.source.combined;

import dev.tutti.data.DataException;
import dev.tutti.data.source.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Several sources as one. Each needs random access; the result has it too. */
public abstract class CombinedSource implements Source {
    private List<Source> sources = List.of();

    CombinedSource() {}

    CombinedSource(List<Source> sources) {
        this.sources = List.copyOf(sources);
    }

    /** The sources it is made of. */
    public List<Source> sources() {
        if (sources.isEmpty()) {
            throw new DataException("the source needs 'sources', a list of the sources it is made of");
        }
        return sources;
    }

    /** The same combination of other sources. */
    public abstract CombinedSource over(List<Source> others);

    /** Opens all of them; when one fails, those before it are closed. */
    final List<RandomRows> openAll() {
        List<RandomRows> opened = new ArrayList<>();
        try {
            for (Source source : sources()) {
                Rows rows = source.open();
                if (!(rows instanceof RandomRows random)) {
                    rows.close();
                    throw new DataException(
                            source + " cannot be combined with others: its rows can only be read in order");
                }
                opened.add(random);
            }
            return opened;
        } catch (RuntimeException e) {
            opened.forEach(RandomRows::close);
            throw e;
        }
    }

    @Override
    public final String fingerprint() {
        List<String> all = sources().stream().map(Source::fingerprint).toList();
        return all.stream().anyMatch(String::isEmpty) ? "" : String.join(" and ", all);
    }

    @Override
    public final List<String> notices() {
        return sources().stream().flatMap(source -> source.notices().stream()).toList();
    }

    final String names() {
        return sources().stream().map(Source::toString).collect(Collectors.joining(", "));
    }
}
