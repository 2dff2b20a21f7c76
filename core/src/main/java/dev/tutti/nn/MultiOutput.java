package dev.tutti.nn;

import dev.tutti.tensor.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** A layer that may give several outputs, as a {@link Graph} does. */
interface MultiOutput {
    List<Shape> buildAll(List<Shape> inputs, Build build);

    List<Tensor> forwardAll(List<Tensor> inputs, Pass pass);

    List<String> scriptAll(List<String> inputs, ScriptWriter script);
}
