package dev.tutti.source.combined;

import dev.tutti.data.source.Source;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/** The rows of several sources, one source after the other. */
public final class ConcatSource extends CombinedSource {
    private ConcatSource() {}

    private ConcatSource(List<Source> sources) {
        super(sources);
    }

    public static ConcatSource of(Source... sources) {
        return new ConcatSource(List.of(sources));
    }

    @Override
    public CombinedSource over(List<Source> others) {
        return new ConcatSource(others);
    }

    @Override
    public OptionalLong size() {
        long total = 0;
        for (Source source : sources()) {
            OptionalLong size = source.size();
            if (size.isEmpty()) {
                return size;
            }
            total += size.getAsLong();
        }
        return OptionalLong.of(total);
    }

    @Override
    public Rows open() {
        List<RandomRows> parts = openAll();
        long[] firsts = new long[parts.size() + 1];
        for (int i = 0; i < parts.size(); i++) {
            firsts[i + 1] = firsts[i] + parts.get(i).size();
        }
        return new ChosenRows(parts) {
            @Override
            public long size() {
                return firsts[firsts.length - 1];
            }

            @Override
            int partOf(long number) {
                int found = Arrays.binarySearch(firsts, number);
                int part = found >= 0 ? found : -found - 2;
                while (firsts[part + 1] == number) {
                    part++; // an empty part begins where the next one does
                }
                return part;
            }

            @Override
            long numberInPart(long number, int part) {
                return number - firsts[part];
            }
        };
    }

    @Override
    public String toString() {
        return "concat(" + names() + ")";
    }
}
