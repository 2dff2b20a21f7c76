package dev.tutti.strategy.mapreduce;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Sums partials of the same range, in the order of the parts: the same bits wherever and however they arrive. */
public final class SumReduce {
    private SumReduce() {}

    /** One sum for each range, by rising number. */
    public static List<RangePartial> reduce(Iterator<RangePartial> partials) {
        Map<Integer, List<RangePartial>> byRange = new TreeMap<>();
        partials.forEachRemaining(each ->
                byRange.computeIfAbsent(each.key(), key -> new ArrayList<>()).add(each));
        List<RangePartial> sums = new ArrayList<>();
        for (List<RangePartial> same : byRange.values()) {
            same.sort(Comparator.comparingInt(RangePartial::part));
            sums.add(same.stream().reduce(RangePartial::plus).orElseThrow());
        }
        return sums;
    }
}
