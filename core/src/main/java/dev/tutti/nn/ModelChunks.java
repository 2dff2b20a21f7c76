package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Parts of a model that lie in one vector and run one by one; their layers have the names they have in the whole model. */
final class ModelChunks extends MultiOutput<ModelChunks> {
    private final transient List<Layer> chunks;
    private final transient List<Integer> inputCounts;

    ModelChunks(List<Layer> chunks, List<Integer> inputCounts) {
        this.chunks = List.copyOf(chunks);
        this.inputCounts = List.copyOf(inputCounts);
    }

    static String name(int chunk) {
        return "chunk" + chunk;
    }

    int count() {
        return chunks.size();
    }

    /** Which of all inputs are those of a chunk. */
    <T> List<T> inputsOf(int chunk, List<T> all) {
        int from = inputCounts.subList(0, chunk).stream().mapToInt(each -> each).sum();
        return all.subList(from, from + inputCounts.get(chunk));
    }

    @Override
    List<Shape> buildAll(List<Shape> inputs, BuildContext build) {
        List<Shape> outputs = new ArrayList<>();
        for (int i = 0; i < chunks.size(); i++) {
            outputs.addAll(build.chunk(name(i), chunks.get(i), inputsOf(i, inputs)));
        }
        return outputs;
    }

    @Override
    List<Tensor> forwardAll(List<Tensor> inputs, ForwardContext pass) {
        throw new IllegalStateException("the chunks of a model run one by one: say which one");
    }

    @Override
    List<String> scriptAll(List<String> inputs, ScriptWriter script) {
        throw new UnsupportedLayerException(script.path(), this);
    }
}
