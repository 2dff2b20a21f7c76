package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Several copies of a layer, each with parameters of its own, beside each other: {@code [features]} becomes {@code [experts, width]}.
 * With {@link ExpertGate} they are the multi-gate mixture of experts (Ma et al., 2018); with some shared and some for each task the
 * progressive layered extraction (Tang et al., 2020).
 */
public final class Experts extends FluentLayer<Experts> {
    private int count;
    private Layer expert;

    private Experts() {}

    Experts(int count, Layer expert) {
        this.count = count;
        this.expert = expert;
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        build.require(count > 0 && expert != null, "needs at least 1 expert and what each is, received " + count);
        Shape width = null;
        for (int i = 1; i <= count; i++) {
            width = build.child("expert" + i, expert, input);
        }
        if (width.rank() != 1) {
            throw build.expected("experts that give [width]", width);
        }
        return width.prepend(count);
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        List<Tensor> all = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            all.add(pass.child("expert" + i, x));
        }
        return Tensor.stack(all, 1);
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            all.add(s.child("expert" + i, in.get(0)) + ".unsqueeze(1)");
        }
        return s.let("torch.cat([" + String.join(", ", all) + "], 1)");
    }
}
