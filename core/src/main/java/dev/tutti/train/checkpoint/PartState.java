package dev.tutti.train.checkpoint;

import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.Slice;
import dev.tutti.optim.Target;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.replica.HeldState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Vectors as long as that of a part of a model, such as an optimizer's state, told as slices of vectors as long as the whole model's: so
 * they are saved, redistributed and resumed on any division of the model. Single numbers are held by all members.
 *
 * @param range what of the part's vector the tensors belong to
 * @param tensors each as long as the range, or a single number
 * @param updates how many updates the tensors have seen
 */
public record PartState(Model model, Range range, Map<String, Tensor> tensors, LongSupplier updates)
        implements HeldState {
    /** Tensors as long as all of the part's vector. */
    public PartState(Model model, Map<String, Tensor> tensors, LongSupplier updates) {
        this(model, model.vector().all(), tensors, updates);
    }

    /** A range of the part's vector, and where it lies in the vector of the whole model. */
    private record Place(long own, Range whole) {}

    /** What an optimizer works on: the vector of a part, whose parameters have the names of the whole model's. */
    public static Target target(Model model) {
        List<Slice> slices = model.plan().held();
        List<Parameter> parameters = model.parameters();
        List<NamedRange> names = new ArrayList<>();
        for (int i = 0; i < parameters.size(); i++) {
            names.add(
                    new NamedRange(slices.get(i).parameter(), parameters.get(i).range()));
        }
        return new Target(model.vector(), model.vector().all(), names, model::trainable);
    }

    private static List<Place> places(Model model, Range wanted) {
        ModelPlan plan = model.plan();
        List<Slice> slices = plan.held();
        List<Parameter> parameters = plan.parameters();
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < parameters.size(); i++) {
            long own = parameters.get(i).range().from();
            for (Range each : plan.rangesOf(slices.get(i))) {
                Range common = new Range(own, each.length()).intersect(wanted);
                Range range = new Range(each.from() + Math.max(0, common.from() - own), common.length());
                long next = own + each.length();
                own = common.from();
                if (common.isEmpty()) {
                    own = next;
                    continue;
                }
                Place last = places.isEmpty() ? null : places.get(places.size() - 1);
                if (last != null && last.whole.to() == range.from() && last.own + last.whole.length() == own) {
                    places.set(places.size() - 1, new Place(last.own, Range.between(last.whole.from(), range.to())));
                } else {
                    places.add(new Place(own, range));
                }
                own = next;
            }
        }
        return places;
    }

    @Override
    public boolean isDivided() {
        return true;
    }

    @Override
    public Map<Slice, Tensor> held() {
        List<Parameter> all = model.plan().whole().parameters();
        Shape whole =
                Shape.of(all.isEmpty() ? 0 : all.get(all.size() - 1).range().to());
        List<Place> places = places(model, range);
        Map<Slice, Tensor> held = new LinkedHashMap<>();
        tensors.forEach((name, tensor) -> {
            if (tensor.rank() == 0) {
                held.put(Slice.all(name, Shape.scalar()), tensor);
                return;
            }
            places.forEach(place -> held.put(
                    new Slice(name, whole, 0, place.whole),
                    tensor.narrow(0, place.own - range.from(), place.whole.length())));
        });
        return held;
    }

    @Override
    public long version() {
        return updates.getAsLong();
    }

    @Override
    public long agreed() {
        return updates.getAsLong();
    }

    @Override
    public List<Slice> needed() {
        return List.copyOf(held().keySet());
    }

    @Override
    public Map<Slice, Tensor> makeRoom() {
        return held();
    }

    @Override
    public void adopt(long version) {}
}
