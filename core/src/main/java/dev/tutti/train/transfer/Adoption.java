package dev.tutti.train.transfer;

import dev.tutti.NamePattern;
import dev.tutti.TuttiException;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.nn.Model;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes over weights by name from a saved model, a safetensors file or a TorchScript module.
 *
 * <pre>{@code
 * AdoptionReport report = Adoption.from(Path.of("runs/digits")).rename("conv2d", "encoder.conv2d").into(model);
 * }</pre>
 *
 * <p>Nothing is silent: the report has a row for everything that was taken, does not fit, is new, or was left. Immutable: every method
 * that changes a setting returns a copy.
 */
public final class Adoption {
    private final Path source;
    private final String prefix;
    private final Map<String, String> renames;
    private final NamePattern only;

    private Adoption(Path source, String prefix, Map<String, String> renames, NamePattern only) {
        this.source = source;
        this.prefix = prefix;
        this.renames = renames;
        this.only = only;
    }

    /** @param source the folder of a saved model or of the run that made it, a {@code .safetensors} file, or a TorchScript file */
    public static Adoption from(Path source) {
        return new Adoption(source, "", Map.of(), null);
    }

    /** The source's names stand below this one in the model: {@code encoder} makes {@code encoder.dense1.weight} of {@code dense1.weight}. */
    public Adoption under(String layer) {
        return new Adoption(source, layer.isEmpty() ? "" : layer + ".", renames, only);
    }

    /** A beginning of the source's names that is another one in the model; of several that fit the longest counts. */
    public Adoption rename(String from, String to) {
        Map<String, String> more = new LinkedHashMap<>(renames);
        more.put(from, to);
        return new Adoption(source, prefix, more, only);
    }

    /** Takes only what has such a name in the model, such as {@code encoder*}. */
    public Adoption only(String pattern) {
        return new Adoption(source, prefix, renames, new NamePattern(pattern));
    }

    /**
     * Writes the values into a model.
     *
     * @throws TuttiException if the source has nothing that fits the model, or cannot be read
     */
    public AdoptionReport into(Model model) {
        List<AdoptionReport.Row> rows = new ArrayList<>();
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin();
                WeightSource weights = WeightSource.open(source)) {
            Map<String, String> bySource = new LinkedHashMap<>();
            weights.names().forEach(name -> bySource.put(renamed(name), name));
            Set<String> used = new LinkedHashSet<>();
            model.held().forEach((slice, target) -> {
                String from = only != null && !only.matches(slice.parameter()) ? null : bySource.get(slice.parameter());
                if (from != null) {
                    used.add(from);
                }
                rows.add(row(weights, slice, from, target));
            });
            weights.names().stream()
                    .filter(name -> !used.contains(name))
                    .forEach(name -> rows.add(
                            new AdoptionReport.Row(name, AdoptionReport.Fate.LEFT, name, null, weights.shape(name))));
        }
        AdoptionReport report = new AdoptionReport(source.toString(), rows);
        if (report.count(AdoptionReport.Fate.TAKEN) == 0) {
            throw new TuttiException(
                    "nothing of " + source + " fits the model by name and shape:\n" + report.table()
                            + "say where its names stand in the model, such as under: encoder or rename: {conv1: encoder.conv1}");
        }
        return report;
    }

    private static AdoptionReport.Row row(WeightSource weights, Slice slice, String from, Tensor target) {
        Shape shape = slice.whole();
        if (from == null) {
            return new AdoptionReport.Row(slice.parameter(), AdoptionReport.Fate.NEW, null, shape, null);
        }
        Shape found = weights.shape(from);
        boolean fits = found.equals(shape);
        if (fits) {
            Range rows = slice.rows();
            weights.read(from, slice.axis(), rows, target);
        }
        return new AdoptionReport.Row(
                slice.parameter(),
                fits ? AdoptionReport.Fate.TAKEN : AdoptionReport.Fate.MISMATCHED,
                from,
                shape,
                found);
    }

    private String renamed(String name) {
        String best = "";
        for (String from : renames.keySet()) {
            best = name.startsWith(from) && from.length() > best.length() ? from : best;
        }
        return best.isEmpty() ? prefix + name : renames.get(best) + name.substring(best.length());
    }
}
