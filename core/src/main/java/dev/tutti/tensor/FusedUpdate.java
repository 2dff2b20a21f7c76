package dev.tutti.tensor;

import org.bytedeco.pytorch.Dispatcher;
import org.bytedeco.pytorch.GenericList;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.OperatorHandle;
import org.bytedeco.pytorch.TensorType;
import org.bytedeco.pytorch.Type;

/**
 * The engine's fused optimizer kernels: one pass over parameters, gradients and state instead of one for every operation.
 *
 * <p>They have no Java wrapper of their own and are called through the dispatcher, arguments in the order of their schema.
 */
public final class FusedUpdate {
    private final OperatorHandle operator;

    private FusedUpdate(String name) {
        Engine.load();
        operator = Dispatcher.singleton().findSchemaOrThrow(name, "");
        operator.retainReference();
    }

    /** The settings of one Adam step; {@code step} counts from 1 and is a tensor of one number. */
    public record AdamStep(
            double learningRate, double beta1, double beta2, double epsilon, double weightDecay, boolean decoupled) {}

    public static void adam(Tensor values, Tensor gradients, Tensor mean, Tensor square, Tensor step, AdamStep settings) {
        FusedUpdate kernel = settings.decoupled ? Kernels.ADAMW : Kernels.ADAM;
        kernel.call(
                list(values),
                list(gradients),
                list(mean),
                list(square),
                list(),
                list(step),
                new IValue(settings.learningRate),
                new IValue(settings.beta1),
                new IValue(settings.beta2),
                new IValue(settings.weightDecay),
                new IValue(settings.epsilon),
                new IValue(false), // amsgrad
                new IValue(false), // maximize
                new IValue(),
                new IValue());
    }

    /** The settings of one step of gradient descent; at the first one the momentum begins as the gradient itself. */
    public record SgdStep(double learningRate, double momentum, double weightDecay, boolean nesterov, boolean first) {}

    /** A null {@code velocity} means no momentum. */
    public static void sgd(Tensor values, Tensor gradients, Tensor velocity, SgdStep settings) {
        Kernels.SGD.call(
                list(values),
                list(gradients),
                velocity == null ? list() : list(velocity),
                new IValue(settings.weightDecay),
                new IValue(settings.momentum),
                new IValue(settings.learningRate),
                new IValue(0.0), // dampening
                new IValue(settings.nesterov),
                new IValue(false), // maximize
                new IValue(settings.first),
                new IValue(),
                new IValue());
    }

    /** {@code step} counts from 1 and is a tensor of one number. */
    public static void adagrad(
            Tensor values, Tensor gradients, Tensor sum, Tensor step, double learningRate, double weightDecay, double epsilon) {
        Kernels.ADAGRAD.call(
                list(values),
                list(gradients),
                list(sum),
                list(step),
                new IValue(learningRate),
                new IValue(0.0), // decay of the learning rate
                new IValue(weightDecay),
                new IValue(epsilon),
                new IValue(false), // maximize
                new IValue(),
                new IValue());
    }

    private void call(IValue... arguments) {
        Native.run("fused update", () -> {
            IValueVector stack = new IValueVector(arguments);
            operator.callBoxed(stack);
        });
    }

    private static IValue list(Tensor... tensors) {
        GenericList list = new GenericList(new Type.TypePtr(TensorType.get()));
        for (Tensor tensor : tensors) {
            list.push_back(new IValue(tensor.handle()));
        }
        return new IValue(list);
    }

    /** Looked up when first used. */
    private static final class Kernels {
        private static final FusedUpdate ADAM = new FusedUpdate("aten::_fused_adam_");
        private static final FusedUpdate ADAMW = new FusedUpdate("aten::_fused_adamw_");
        private static final FusedUpdate SGD = new FusedUpdate("aten::_fused_sgd_");
        private static final FusedUpdate ADAGRAD = new FusedUpdate("aten::_fused_adagrad_");
    }
}
