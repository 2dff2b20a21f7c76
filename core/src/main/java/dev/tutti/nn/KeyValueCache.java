package dev.tutti.nn;

import dev.tutti.TuttiException;
import dev.tutti.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The keys and values that the causal attention layers of a model have computed for the steps so far, so that each further step costs one
 * step instead of all of them.
 *
 * <pre>{@code
 * try (KeyValueCache cache = KeyValueCache.of(model)) {
 *     NdArray scores = model.predict(ids, cache);          // [1, 12]: the beginning of a text
 *     scores = model.predict(NdArray.of(next, 1, 1), cache); // one more token at a time
 * }
 * }</pre>
 *
 * <p>A cache belongs to one model and one batch of sequences, and to one thread at a time.
 */
public final class KeyValueCache implements AutoCloseable {
    /** Layers that compute each step by itself; attention is looked at on its own. */
    private static final Set<Class<? extends Layer>> STEP_BY_STEP = Set.of(
            Sequential.class,
            Residual.class,
            Graph.class,
            Embedding.class,
            SplitEmbedding.class,
            TiedEmbedding.class,
            TiedDense.class,
            TokenEmbedding.class,
            PositionalEncoding.class,
            Dense.class,
            SplitDense.class,
            LayerNorm.class,
            RmsNorm.class,
            SwiGlu.class,
            TransformerEncoder.class,
            Dropout.class,
            SplitDropout.class,
            ActivationLayer.class,
            Add.class,
            Multiply.class);

    private record Seen(Tensor keys, Tensor values) {
        void close() {
            keys.close();
            values.close();
        }
    }

    private final Map<String, Seen> layers = new HashMap<>();
    private long steps;

    private KeyValueCache() {}

    /**
     * An empty cache.
     *
     * @throws TuttiException if a layer of the model computes a step from later ones, or from earlier ones in another way than attention
     */
    public static KeyValueCache of(Model model) {
        return of(model.plan());
    }

    /** The same for a model that is not built, or of which others hold parts. */
    public static KeyValueCache of(ModelPlan plan) {
        check(plan.blueprint().root);
        return new KeyValueCache();
    }

    private static void check(Blueprint.Node node) {
        boolean attends = node.layer instanceof Attention attention && attention.isStepwise()
                || node.layer instanceof SplitAttention split && split.isStepwise();
        if (!attends && !STEP_BY_STEP.contains(node.layer.getClass())) {
            throw new TuttiException("layer " + (node.path.isEmpty() ? node.layer.kind() : node.path) + " ("
                    + node.layer.kind()
                    + ") cannot go on step by step: expected layers that compute each step by itself,"
                    + " and attention that is causal and has no mask");
        }
        node.children.values().forEach(KeyValueCache::check);
    }

    /** Steps that the model has seen. */
    public long steps() {
        return steps;
    }

    void advance(long more) {
        steps += more;
    }

    /** Appends what a layer has computed for the steps of this pass; each {@code [batch, heads, time, width]}. */
    List<Tensor> append(String layer, Tensor keys, Tensor values) {
        Seen before = layers.get(layer);
        Seen all = before == null
                ? new Seen(keys.contiguous().retain(), values.contiguous().retain())
                : new Seen(
                        Tensor.concat(List.of(before.keys, keys), 2).retain(),
                        Tensor.concat(List.of(before.values, values), 2).retain());
        if (before != null) {
            before.close();
        }
        layers.put(layer, all);
        return List.of(all.keys, all.values);
    }

    /** Forgets all steps. */
    public void clear() {
        layers.values().forEach(Seen::close);
        layers.clear();
        steps = 0;
    }

    @Override
    public void close() {
        clear();
    }
}
