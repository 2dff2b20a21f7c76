package dev.tutti.nn;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which layers of a model answer in eight-bit integers, by their full names: dense, attention and recurrent layers round their inputs by
 * the range of each batch, convolutions by ranges that {@link Calibration} has seen. For inference alone.
 *
 * @param layers all others compute as in float32
 */
public record Quantization(Map<String, LayerQuantization> layers) {
    /** All layers compute as they are. */
    public static final Quantization NONE = new Quantization(Map.of());

    private static final Set<Class<?>> DYNAMIC = Set.of(Dense.class, Attention.class, Lstm.class, Gru.class);
    private static final Set<Class<?>> STATIC = Set.of(Conv1d.class, Conv2d.class);

    public Quantization {
        layers = layers == null ? Map.of() : Map.copyOf(new TreeMap<>(layers));
    }

    public boolean isNone() {
        return layers.isEmpty();
    }

    /** Whether a parameter is a weight that is kept in eight bits. */
    public boolean rounds(Parameter parameter) {
        String name = parameter.name();
        return parameter.shape().rank() > 1
                && layers.keySet().stream().anyMatch(layer -> name.startsWith(layer + "."))
                && isWeight(name);
    }

    private static boolean isWeight(String name) {
        String last = name.substring(name.lastIndexOf('.') + 1);
        return last.equals("weight") || last.equals("in_proj_weight") || last.startsWith("weight_");
    }

    static boolean isDynamic(Layer layer) {
        return DYNAMIC.contains(layer.getClass());
    }

    static boolean isStatic(Layer layer) {
        return STATIC.contains(layer.getClass());
    }
}
