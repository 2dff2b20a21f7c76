package dev.tutti.keras;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Sample;
import dev.tutti.data.transform.Transform;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Gives each row the weight of its class as a second label, for a loss that is weighted; a row that has a weight keeps it as a factor.
 *
 * <p>The label is the id of a class, or one number for each class, of which the greatest tells the class.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class RowWeights implements Transform {
    private Map<Integer, Double> classes = Map.of();

    private RowWeights() {}

    /**
     * Weights by class; 1 for classes that are not in the map.
     *
     * @throws KerasException if a class or a weight is negative
     */
    public static RowWeights of(Map<Integer, Double> classes) {
        classes.forEach((id, weight) -> {
            if (id < 0 || !(weight >= 0) || Double.isInfinite(weight)) {
                throw new KerasException(
                        "classWeight: expected classes and weights of 0 or more, received " + new TreeMap<>(classes));
            }
        });
        RowWeights weights = new RowWeights();
        weights.classes = new TreeMap<>(classes);
        return weights;
    }

    @Override
    public Sample apply(Sample sample) {
        if (sample.labels().isEmpty() || sample.labels().size() > 2) {
            throw new KerasException("weights of rows: expected one label, and perhaps a weight, received "
                    + sample.labels().size() + " labels");
        }
        NdArray label = sample.labels().get(0);
        double own = sample.labels().size() == 2 ? sample.labels().get(1).at(0) : 1;
        double weight = own * (classes.isEmpty() ? 1 : classes.getOrDefault(classOf(label), 1.0));
        List<NdArray> labels = new ArrayList<>(List.of(label));
        labels.add(NdArray.wrap(DType.FLOAT32, Shape.scalar(), new float[] {(float) weight}));
        return new Sample(sample.features(), labels);
    }

    private static int classOf(NdArray label) {
        int best = 0;
        for (int i = 1; i < label.size(); i++) {
            best = label.at(i) > label.at(best) ? i : best;
        }
        return label.size() == 1 ? (int) label.at(0) : best;
    }

    @Override
    public String toString() {
        return "rowWeights" + classes;
    }
}
