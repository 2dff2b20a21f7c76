package dev.tutti.train.transfer;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.loss.Loss;
import dev.tutti.loss.TargetException;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import java.util.List;

/**
 * Distillation (Hinton et al., 2015): a share of the loss is how far the output is from what an earlier model answers, which is the second
 * label of each row. Scores of classes are compared as softened probabilities, other outputs by their squared distance. Rows without a
 * second label, as those to measure by, have the plain loss.
 */
public final class DistilledLoss extends Loss {
    private Loss loss;
    private double share = 0.5;
    private double temperature = 2;

    private DistilledLoss() {}

    /**
     * @param loss what the labels are compared by
     * @param share of the earlier model, from 0 to 1
     * @param temperature what scores of classes are divided by; outputs of other losses are compared as they are
     */
    public static DistilledLoss of(Loss loss, double share, double temperature) {
        DistilledLoss distilled = new DistilledLoss();
        distilled.loss = loss;
        distilled.share = share;
        distilled.temperature = temperature;
        distilled.validate();
        return distilled;
    }

    @Override
    public void validate() {
        if (loss == null || !(share >= 0 && share <= 1) || !(temperature > 0)) {
            throw new TuttiException(
                    "distilled: expected a loss, a share from 0 to 1 and a temperature above 0, received " + loss + ", "
                            + share + " and " + temperature);
        }
        loss.validate();
    }

    @Override
    public Tensor compute(Tensor output, Tensor target) {
        return loss.compute(output, target);
    }

    @Override
    public Tensor compute(List<Tensor> outputs, List<Tensor> targets) {
        if (targets.size() < 2) {
            return loss.compute(outputs, targets);
        }
        if (outputs.size() != 1) {
            throw new TargetException("distilled is the loss of one output, but the model has " + outputs.size());
        }
        Tensor own = loss.compute(outputs, targets.subList(0, targets.size() - 1));
        Tensor earlier = distance(outputs.get(0), targets.get(targets.size() - 1));
        return own.mul(1 - share).add(earlier.mul(share));
    }

    private Tensor distance(Tensor output, Tensor answers) {
        Tensor known = answers.type() == output.type() ? answers : answers.to(output.type());
        if (!loss.kind().equals("softmaxCrossEntropy")) {
            return output.sub(known).square().mean();
        }
        int axis = output.rank() - 1;
        double softening = 1 / temperature;
        Tensor expected = Functions.softmax(known.mul(softening), axis);
        Tensor cross = expected.mul(Functions.logSoftmax(known.mul(softening), axis)
                .sub(Functions.logSoftmax(output.mul(softening), axis)));
        return cross.sum().mul(temperature * temperature / rows(output)); // gradients keep their scale
    }

    private static double rows(Tensor output) {
        double rows = 1;
        for (int axis = 0; axis < output.rank() - 1; axis++) {
            rows *= output.dim(axis);
        }
        return rows;
    }

    @Override
    public void check(NdArray target, Shape output) {
        loss.check(target, output);
    }

    @Override
    public void check(List<NdArray> targets, List<Shape> outputs) {
        loss.check(targets.size() < 2 ? targets : targets.subList(0, targets.size() - 1), outputs);
        if (targets.size() > 1
                && !targets.get(targets.size() - 1).shape().from(1).equals(outputs.get(0))) {
            throw new TargetException("distilled: the earlier model answers with "
                    + targets.get(targets.size() - 1).shape().from(1) + ", the model that learns with "
                    + outputs.get(0));
        }
    }
}
