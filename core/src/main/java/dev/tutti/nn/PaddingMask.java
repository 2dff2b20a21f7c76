package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** 1 for every token and 0 for those that fill a short sequence, found by their id: {@code [time]} stays {@code [time]}. */
public final class PaddingMask extends FluentLayer<PaddingMask> {
    private int paddingId;

    private PaddingMask() {}

    PaddingMask(int paddingId) {
        this.paddingId = paddingId;
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        if (input.rank() != 1) {
            throw build.expected("ids [time]", input);
        }
        return input;
    }

    @Override
    protected Tensor forward(Tensor ids, ForwardContext pass) {
        return Functions.differs(ids, paddingId, pass.type());
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let("torch.ne(" + in.get(0) + ", " + paddingId + ") * 1.0");
    }
}
