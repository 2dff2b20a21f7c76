package dev.tutti.tensor.onednn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.GradientSink;
import java.util.Deque;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.global.torch;

/** Sets negative values to zero, in place. The engine does that in any layout; oneDNN would make zero of what is not a number. */
record BlockedRectifier(Output output) implements BlockedLayer {
    @Override
    public Tensor forward(Tensor x, Deque<Tensor> saved) {
        Functions.relu_(x);
        saved.push(x);
        return x;
    }

    @Override
    public Tensor backward(Tensor above, Deque<Tensor> saved, boolean wanted, GradientSink sink) {
        Tensor result = saved.pop();
        NativeConversions.run(
                "backward",
                () -> torch.threshold_backward_out(above.handle(), above.handle(), result.handle(), new Scalar(0)));
        return wanted ? above : null;
    }
}
