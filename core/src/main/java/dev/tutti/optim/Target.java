package dev.tutti.optim;

import dev.tutti.DidYouMean;
import dev.tutti.NamePattern;
import dev.tutti.TuttiException;
import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.tensor.vector.FusedUpdate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * What an optimizer updates: a range of a vector.
 *
 * <p>The range is the whole vector on one machine; where the work is divided each member updates a part. Of the range
 * only what is trainable at the moment is touched.
 *
 * @param parameters all named ranges of the vector, also those outside of the range: they matter to settings that
 *     go by name, such as no decay for biases
 * @param trainable asked at every step, so that freezing works while training
 * @param rateFactors what scales the learning rate, by pattern of names
 * @param consolidation what holds parameters near to earlier values; may be null
 */
public record Target(
        FlatVector vector,
        Range range,
        List<NamedRange> parameters,
        Supplier<List<Range>> trainable,
        Map<String, Double> rateFactors,
        Consolidation consolidation) {
    public Target(FlatVector vector, Range range, List<NamedRange> parameters, Supplier<List<Range>> trainable) {
        this(vector, range, parameters, trainable, Map.of(), null);
    }

    public Target {
        Objects.requireNonNull(vector, "vector");
        Objects.requireNonNull(trainable, "trainable");
        parameters = List.copyOf(parameters);
        rateFactors = new LinkedHashMap<>(rateFactors);
        if (!vector.all().contains(range)) {
            throw new IllegalArgumentException(
                    "the range " + range + " does not lie within the vector " + vector.all());
        }
    }

    /** The whole vector, all of it learning. */
    public static Target all(FlatVector vector, List<NamedRange> parameters) {
        return new Target(vector, vector.all(), parameters, () -> List.of(vector.all()));
    }

    /** The same for a part of the range. */
    public Target part(Range part) {
        return new Target(vector, part, parameters, trainable, rateFactors, consolidation);
    }

    /**
     * The same with learning rates by group.
     *
     * @throws TuttiException if a pattern matches no parameter
     */
    Target rateFactors(Map<String, Double> factors) {
        for (String pattern : factors.keySet()) {
            NamePattern names = new NamePattern(pattern);
            if (parameters.stream().noneMatch(parameter -> names.matches(parameter.name()))) {
                throw new TuttiException("rateFactors: no parameter matches '" + pattern + "'"
                        + DidYouMean.hint(
                                pattern.replace("*", ""),
                                parameters.stream()
                                        .map(parameter -> parameter.name().split("\\.")[0])
                                        .distinct()
                                        .toList()));
            }
        }
        return new Target(vector, range, parameters, trainable, factors, consolidation);
    }

    /** The same with parameters that are held near to earlier values. */
    Target consolidated(Consolidation choice) {
        return new Target(vector, range, parameters, trainable, rateFactors, choice);
    }

    /** Stretches to update now by the factor of their learning rate. */
    Map<Double, List<Range>> groups(List<Range> now) {
        Map<Double, List<Range>> groups = new LinkedHashMap<>();
        if (rateFactors.isEmpty()) {
            groups.put(1.0, within(now));
            return groups;
        }
        for (NamedRange parameter : parameters) {
            double factor = 1;
            for (Map.Entry<String, Double> each : rateFactors.entrySet()) {
                factor = new NamePattern(each.getKey()).matches(parameter.name()) ? each.getValue() : factor;
            }
            for (Range segment : within(now)) {
                Range own = segment.intersect(parameter.range());
                if (!own.isEmpty()) {
                    groups.computeIfAbsent(factor, any -> new ArrayList<>()).add(own);
                }
            }
        }
        return groups;
    }

    /**
     * The range in parts of nearly equal length. They are cut where the update comes out the same, bit for bit, as
     * that of the whole: at multiples of {@link FusedUpdate#BLOCK}. Where there are more parts than blocks some are
     * empty.
     */
    public List<Range> parts(int count) {
        return parts(range, count);
    }

    private static List<Range> parts(Range range, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> Range.between(cut(range, i, count), cut(range, i + 1, count)))
                .toList();
    }

    private static long cut(Range range, int index, int parts) {
        if (index == 0 || index == parts) {
            return index == 0 ? range.from() : range.to();
        }
        long exact = range.from() + range.length() / parts * index + range.length() % parts * index / parts;
        return Math.max(
                range.from(), FusedUpdate.blocksWithin(new Range(0, exact)).to());
    }

    /**
     * The range in parts of no more than about a given length, cut as those of {@link #parts(int)} and round every parameter that is
     * longer: such a one does not share a part with others.
     */
    public List<Range> partsUpTo(long length) {
        List<Range> out = new ArrayList<>();
        long from = range.from();
        for (Range parameter : parameterRanges()) {
            Range own = FusedUpdate.blocksWithin(range.intersect(parameter));
            if (own.length() >= length && own.from() >= from) {
                addParts(Range.between(from, own.from()), length, out);
                addParts(own, length, out);
                from = own.to();
            }
        }
        addParts(Range.between(from, range.to()), length, out);
        return out;
    }

    /** In the order of the vector; where parameters have elements in common, those that begin first come first. */
    private List<Range> parameterRanges() {
        return parameters.stream()
                .map(NamedRange::range)
                .sorted(Comparator.comparing(Range::from))
                .toList();
    }

    private static void addParts(Range stretch, long length, List<Range> out) {
        out.addAll(parts(stretch, Math.toIntExact((stretch.length() + length - 1) / length)));
    }

    /** The stretches to update now, as ranges of the vector. */
    public List<Range> segments() {
        return within(trainable.get());
    }

    /** What of the given ranges lies within the target's. */
    List<Range> within(List<Range> ranges) {
        return ranges.stream()
                .map(range::intersect)
                .filter(segment -> !segment.isEmpty())
                .toList();
    }
}
