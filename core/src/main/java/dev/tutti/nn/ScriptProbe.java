package dev.tutti.nn;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.script.ScriptException;
import dev.tutti.tensor.script.ScriptModule;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds out what shapes come out of a TorchScript module, which does not say, by sending zeros through it. */
final class ScriptProbe {
    private static final long BATCH = 2;
    private static final long SHORT = 32;
    private static final long LONG = 64;

    private final ScriptModule module;
    private final BuildContext build;
    private final DType floating;

    ScriptProbe(ScriptModule module, BuildContext build) {
        this.module = module;
        this.build = build;
        floating = module.parameters().values().stream()
                .map(Tensor::type)
                .filter(DType::isFloating)
                .findFirst()
                .orElse(DType.FLOAT32);
    }

    /** Extents that change with an unknown extent of an input are unknown too. */
    List<Shape> outputs(List<Shape> inputs) {
        List<Shape> first = run(inputs, SHORT);
        if (inputs.stream().allMatch(Shape::isKnown)) {
            return first;
        }
        List<Shape> second = run(inputs, LONG);
        List<Shape> out = new ArrayList<>();
        for (int i = 0; i < first.size(); i++) {
            Shape shape = first.get(i);
            for (int axis = 0; axis < shape.rank(); axis++) {
                shape = shape.dim(axis) == second.get(i).dim(axis) ? shape : shape.with(axis, Shape.ANY);
            }
            out.add(shape);
        }
        return out;
    }

    /** Which inputs are whole numbers is not written anywhere either; where the model takes some, all choices are tried. */
    private List<Shape> run(List<Shape> inputs, long unknown) {
        Set<String> reasons = new LinkedHashSet<>();
        int choices = build.modelTakesIds() ? 1 << inputs.size() : 1;
        for (int ids = 0; ids < choices; ids++) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                List<Tensor> zeros = new ArrayList<>();
                for (int i = 0; i < inputs.size(); i++) {
                    zeros.add(zeros(inputs.get(i), unknown, (ids >> i & 1) == 1 ? DType.INT64 : floating));
                }
                return module.forward(zeros).stream().map(this::withoutBatch).toList();
            } catch (ScriptException e) {
                reasons.add(e.getMessage());
            }
        }
        throw build.failure("cannot run on " + inputs + " from " + String.join(" and ", build.sources()) + ": "
                + String.join("; or with whole numbers: ", reasons));
    }

    private static Tensor zeros(Shape shape, long unknown, DType type) {
        Shape known = shape;
        for (int axis = 0; axis < shape.rank(); axis++) {
            known = shape.dim(axis) == Shape.ANY ? known.with(axis, unknown) : known;
        }
        return Tensor.zeros(known.prepend(BATCH), type);
    }

    private Shape withoutBatch(Tensor output) {
        Shape shape = output.shape();
        build.require(
                shape.rank() > 0 && shape.dim(0) == BATCH,
                "must give an output for each sample: for a batch of " + BATCH + " it gave " + shape);
        return shape.from(1);
    }
}
