package dev.tutti.optim;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.TreeSet;

/**
 * Weight decay: pulls values towards zero, either as part of the gradient or, decoupled from it, straight from the
 * values.
 *
 * @param exempt patterns of parameters that do not decay, see {@link Optimizer#noDecay(String...)}
 */
public record Decay(double amount, boolean decoupled, List<String> exempt) {
    public static final Decay NONE = new Decay(0, false, List.of());

    public Decay {
        exempt = List.copyOf(exempt);
    }

    boolean isOn() {
        return amount != 0;
    }

    /** One where values decay and zero where they do not, as long as the target's range; null when all decay alike. */
    Tensor mask(Target target) {
        if (!isOn() || exempt.isEmpty()) {
            return null;
        }
        exempt.forEach(pattern -> requireMatch(pattern, target.parameters()));
        Range range = target.range();
        Tensor mask = Tensor.zeros(
                        Shape.of(range.length()),
                        target.vector().type(),
                        target.vector().device())
                .retain();
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            mask.fill_(1);
            for (NamedRange parameter : target.parameters()) {
                Range common = range.intersect(parameter.range());
                if (!common.isEmpty() && exempt.stream().anyMatch(pattern -> matches(parameter.name(), pattern))) {
                    mask.narrow(0, common.from() - range.from(), common.length())
                            .zero_();
                }
            }
        }
        return mask;
    }

    /** True for a dotted beginning of the name, or one of its parts, with or without the number at the part's end. */
    static boolean matches(String name, String pattern) {
        if (name.equals(pattern) || name.startsWith(pattern + ".")) {
            return true;
        }
        for (String part : name.split("\\.")) {
            if (part.equals(pattern) || withoutNumber(part).equals(pattern)) {
                return true;
            }
        }
        return false;
    }

    private static void requireMatch(String pattern, List<NamedRange> parameters) {
        if (parameters.stream().anyMatch(parameter -> matches(parameter.name(), pattern))) {
            return;
        }
        TreeSet<String> known = new TreeSet<>();
        for (NamedRange parameter : parameters) {
            for (String part : parameter.name().split("\\.")) {
                known.add(withoutNumber(part));
            }
        }
        throw new TuttiException("noDecay: no parameter matches '" + pattern + "'" + DidYouMean.hint(pattern, known));
    }

    private static String withoutNumber(String part) {
        return part.replaceFirst("\\d+$", "");
    }
}
