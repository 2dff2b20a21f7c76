package dev.tutti.nn;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Layers one after the other. Those without a name are numbered by kind: {@code conv2d1}, {@code conv2d2}, {@code dense1}. */
public final class Sequential extends MergeLayer<Sequential> {
    private List<Layer> layers = List.of();
    private transient Chain chain;

    private Sequential() {}

    public static Sequential of(Layer... layers) {
        return of(List.of(layers));
    }

    public static Sequential of(List<Layer> layers) {
        Sequential sequential = new Sequential();
        sequential.layers = List.copyOf(layers);
        return sequential;
    }

    public List<Layer> layers() {
        return layers;
    }

    /** These layers and one more. */
    public Sequential add(Layer layer) {
        List<Layer> more = new ArrayList<>(layers);
        more.add(layer);
        return copy(c -> {
            c.layers = List.copyOf(more);
            c.chain = null;
        });
    }

    /** The names that the layers have here, in order. */
    public List<String> names() {
        return chain().names();
    }

    /** Other layers in the same places. */
    Sequential withLayers(List<Layer> others) {
        return copy(c -> {
            c.layers = List.copyOf(others);
            c.chain = null;
        });
    }

    /** Some of the layers, under the names they have here. */
    Sequential part(Range range) {
        List<Layer> part = new ArrayList<>();
        for (int i = (int) range.from(); i < range.to(); i++) {
            part.add(layers.get(i).named(chain().names().get(i)));
        }
        Sequential sequential = of(part);
        return range.to() == layers.size() ? sequential.activation(activation()) : sequential;
    }

    @Override
    protected Shape build(List<Shape> inputs, BuildContext build) {
        return chain().build(inputs, build);
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        return chain().forward(inputs, pass);
    }

    @Override
    protected String script(List<String> inputs, ScriptWriter script) {
        return chain().script(inputs, script);
    }

    private Chain chain() {
        if (chain == null) { // made twice by two threads at worst, and the same
            chain = Chain.of(layers);
        }
        return chain;
    }
}
