package dev.tutti.loss;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Reduction;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * One of several classes: outputs are logits, that is before the softmax, with the classes as last axis.
 *
 * <p>Targets are class ids, {@code [batch]} for outputs {@code [batch, classes]} and {@code [batch, time]} for
 * {@code [batch, time, classes]}; or one number for each class, of the outputs' shape: one-hot or probabilities.
 */
public final class SoftmaxCrossEntropy extends Loss {
    private static final long NOTHING = -100;

    private double labelSmoothing;
    private List<Double> classWeights = List.of();
    private Long ignoredLabel;

    SoftmaxCrossEntropy() {}

    /** Spreads this share of each target over all classes, so that the model does not become too sure. */
    public SoftmaxCrossEntropy labelSmoothing(double share) {
        return copy(c -> c.labelSmoothing = share);
    }

    /** Weighs samples by their class, one weight for each; the mean is over the weights. */
    public SoftmaxCrossEntropy classWeights(double... weights) {
        return copy(c -> c.classWeights = DoubleStream.of(weights).boxed().toList());
    }

    /** Leaves out what has this label, for instance the padding of sequences. */
    public SoftmaxCrossEntropy ignoring(long label) {
        return copy(c -> c.ignoredLabel = label);
    }

    @Override
    public void validate() {
        if (!(labelSmoothing >= 0 && labelSmoothing < 1)) {
            throw new TuttiException(
                    kind() + ": labelSmoothing must be at least 0 and below 1, received " + labelSmoothing);
        }
        if (classWeights.stream().anyMatch(weight -> weight == null || !(weight >= 0) || Double.isInfinite(weight))) {
            throw new TuttiException(kind() + ": classWeights must not be negative, received " + classWeights);
        }
    }

    @Override
    public Tensor compute(Tensor output, Tensor target) {
        return losses(output, target, Reduction.MEAN);
    }

    /** Of a sequence the mean over its places. */
    @Override
    protected Tensor ofEach(Tensor output, Tensor target) {
        Tensor all = losses(output, target, Reduction.NONE);
        return output.rank() == 2 ? all : all.reshape(output.dim(0), -1).mean(1);
    }

    private Tensor losses(Tensor output, Tensor target, Reduction reduction) {
        int rank = output.rank();
        if (rank < 2) {
            throw new TargetException(kind() + ": expected outputs [batch, classes], received " + output.shape());
        }
        long classes = output.dim(-1);
        Tensor logits = rank == 2 ? output : output.reshape(-1, classes);
        Tensor wanted = areIds(output.shape(), target.shape())
                ? cast(rank == 2 && target.rank() == 1 ? target : target.reshape(-1), DType.INT64)
                : cast(rank == 2 ? target : target.reshape(-1, classes), output.type());
        return Functions.crossEntropy(logits, wanted, weights(output, classes), ignored(), labelSmoothing, reduction);
    }

    private static Tensor cast(Tensor tensor, DType type) {
        return tensor.type() == type ? tensor : tensor.to(type);
    }

    private long ignored() {
        return ignoredLabel == null ? NOTHING : ignoredLabel;
    }

    private Tensor weights(Tensor output, long classes) {
        if (classWeights.isEmpty()) {
            return null;
        }
        requireWeights(classes);
        double[] weights =
                classWeights.stream().mapToDouble(Double::doubleValue).toArray();
        return Tensor.of(NdArray.of(weights, weights.length).to(output.type()), output.device());
    }

    /** True for class ids, false for one number per class; shapes have the batch as first axis. */
    private boolean areIds(Shape output, Shape target) {
        if (output.matches(target)) {
            return false;
        }
        Shape ids = output.first(output.rank() - 1);
        if (ids.matches(target) || ids.append(1).matches(target)) {
            return true;
        }
        throw new TargetException(kind() + ": the model gives " + output + ", but the data gives targets " + target
                + ": expected class ids " + ids + " or one number for each class " + output);
    }

    // ---- checking

    @Override
    public void check(NdArray target, Shape output) {
        if (output.rank() < 1 || target.shape().rank() < 1) {
            throw new TargetException(
                    kind() + ": expected outputs [classes] for each sample and targets with the batch as "
                            + "first axis, received " + output + " and " + target.shape());
        }
        long classes = output.dim(-1);
        if (classes < 2) {
            throw new TargetException(kind() + ": the model gives " + classes
                    + " class, of which the softmax is always sure: give it one output for each class, or use "
                    + "binaryCrossEntropy");
        }
        requireWeights(classes);
        if (areIds(output.prepend(target.shape().dim(0)), target.shape())) {
            checkIds(target, classes);
        } else {
            checkShares(target, Math.toIntExact(classes));
        }
    }

    private void requireWeights(long classes) {
        if (!classWeights.isEmpty() && classWeights.size() != classes) {
            throw new TargetException(kind() + ": " + classWeights.size()
                    + " class weights were given, but the model gives " + classes + " classes");
        }
    }

    private void checkIds(NdArray target, long classes) {
        for (int i = 0; i < target.size(); i++) {
            double value = target.at(i);
            boolean whole = value == Math.rint(value);
            if (whole && value >= 0 && value < classes || ignoredLabel != null && value == ignoredLabel) {
                continue;
            }
            String label = whole && Math.abs(value) < 1e15 ? Long.toString((long) value) : Double.toString(value);
            throw new TargetException(kind() + ": label " + label + place(target, i)
                    + (whole ? " is out of range" : " is not a whole number") + ": the model gives " + classes
                    + " classes, so labels are 0 to " + (classes - 1)
                    + (value == NOTHING ? " (ignoring(-100) leaves such labels out)" : ""));
        }
    }

    private void checkShares(NdArray target, int classes) {
        for (int row = 0; row < target.size() / classes; row++) {
            double sum = 0;
            boolean valid = true;
            for (int i = row * classes; i < (row + 1) * classes; i++) {
                valid &= target.at(i) >= 0;
                sum += target.at(i);
            }
            if (!valid || !(Math.abs(sum - 1) < 1e-3)) {
                throw new TargetException(kind() + ": the targets" + place(target, row * classes)
                        + " are not shares of the classes: they must not be negative and must add up to 1, their sum"
                        + " is "
                        + sum);
            }
        }
    }

    private static String place(NdArray target, int index) {
        int row = target.size() / (int) target.shape().dim(0);
        return " in row " + index / row + " of the batch";
    }
}
