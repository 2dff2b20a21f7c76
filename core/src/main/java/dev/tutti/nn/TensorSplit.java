package dev.tutti.nn;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Slices the layers of a model for members that compute each layer together. By rule: two dense layers with nothing but functions of single
 * elements between them are a pair of columns and rows, which costs one sum forward and one backward; attention is sliced by heads,
 * embeddings by vocabulary, convolutions by filters; a dense layer on its own by columns or rows, whichever is longer. All else, such as
 * layer norm and recurrent layers, is whole on every member, and its values are the same bits on all of them.
 *
 * <p>The rule is overridden by patterns of names: {@code dense*} or {@code block?.linear1}, with {@code columns}, {@code rows} or {@code
 * whole}.
 */
public final class TensorSplit {
    /** The ways in which a layer can be sliced where that is said by name. */
    public static final List<String> WAYS = List.of("columns", "rows", "whole");

    private final int slice;
    private final int slices;
    private final Map<String, String> patterns;
    private final Map<String, Slice> held = new LinkedHashMap<>();
    private final Set<String> seen = new LinkedHashSet<>();
    private final Set<String> used = new LinkedHashSet<>();

    private TensorSplit(int slice, int slices, Map<String, String> patterns) {
        this.slice = slice;
        this.slices = slices;
        this.patterns = patterns;
    }

    /**
     * A member's slice of a part of a model.
     *
     * @param part what is sliced: the whole model, or a part of its layers
     * @param patterns ways by pattern of the layers' names, instead of the rule
     * @throws TuttiException if a way is unknown
     */
    public static ModelPlan of(ModelPlan part, int slice, int slices, Map<String, String> patterns) {
        patterns.values().forEach(way -> {
            if (!WAYS.contains(way)) {
                throw new TuttiException(
                        "split: expected one of " + WAYS + ", received '" + way + "'" + DidYouMean.hint(way, WAYS));
            }
        });
        TensorSplit split = new TensorSplit(slice, slices, patterns);
        Layer definition = split.sliced(part.definition(), part.blueprint().root);
        return part.whole().sliced(definition, part.inputs(), split.held);
    }

    /**
     * Checks that every pattern names a layer that can be sliced.
     *
     * @throws TuttiException if one does not
     */
    public static void requireUsed(ModelPlan whole, Map<String, String> patterns) {
        TensorSplit split = new TensorSplit(0, 1, patterns);
        split.sliced(whole.definition(), whole.blueprint().root);
        for (String pattern : patterns.keySet()) {
            if (!split.used.contains(pattern)) {
                throw new TuttiException("split: no layer that can be sliced is named '" + pattern + "'"
                        + DidYouMean.hint(pattern, List.copyOf(split.seen)));
            }
        }
    }

    private Range range(long length) {
        return new Range(0, length).part(slice, slices);
    }

    /** The way that was said for a layer; null: by rule. */
    private String said(Blueprint.Node node) {
        return said(node.path);
    }

    private String said(String path) {
        seen.add(path);
        for (Map.Entry<String, String> each : patterns.entrySet()) {
            String regex = each.getKey().replace(".", "\\.").replace("*", ".*").replace("?", ".");
            if (path.matches(regex)) {
                used.add(each.getKey());
                return each.getValue();
            }
        }
        return null;
    }

    private void hold(Blueprint.Node node, String name, int axis, Range rows) {
        Parameter p = node.parameters.get(name);
        if (p != null) {
            held.put(p.name(), new Slice(p.name(), p.shape(), axis, rows));
        }
    }

    private Layer sliced(Layer layer, Blueprint.Node node) {
        Layer result;
        if (layer instanceof Sequential sequential) {
            return sequential.withLayers(chain(sequential.layers(), node));
        } else if (layer instanceof Residual residual) {
            return residual.withLayers(
                    chain(residual.layers(), node), inner -> sliced(inner, node.children.get("shortcut")));
        } else if (layer instanceof Graph graph) {
            return graph.withLayers((name, inner) -> sliced(inner, node.children.get(name)));
        } else if (layer instanceof TransformerEncoder block) {
            result = transformer(block, node);
        } else if (layer instanceof SwiGlu gated) {
            result = gated(gated, node);
        } else if (layer instanceof Attention attention) {
            result = attention(attention, node);
        } else if (layer instanceof Embedding embedding) {
            result = embedding(embedding, node);
        } else if (layer instanceof TiedDense tied) {
            result = tied(tied, node);
        } else if (layer instanceof Convolution<?> convolution && !(layer instanceof TransposedConvolution)) {
            result = convolution(convolution, node);
        } else if (layer instanceof Dense dense) {
            result = dense(dense, node, wayAlone(node), false);
        } else {
            return layer;
        }
        return settings(layer, result);
    }

    /** The same name and activation. */
    private static Layer settings(Layer from, Layer to) {
        if (from == to) {
            return to;
        }
        Layer named = from.name().isPresent() ? to.named(from.name().get()) : to;
        return named.activation(from.activation());
    }

    // ---- layers one after the other

    private List<Layer> chain(List<Layer> layers, Blueprint.Node node) {
        List<String> names = Chain.of(layers).names();
        List<Layer> out = new ArrayList<>();
        int i = 0;
        while (i < layers.size()) {
            int partner = partner(layers, names, i, node);
            if (partner < 0) {
                out.add(sliced(layers.get(i), node.children.get(names.get(i))).named(names.get(i)));
                i++;
                continue;
            }
            Blueprint.Node first = node.children.get(names.get(i));
            long width = first.parameters.get("weight").shape().dim(0);
            for (int at = i; at <= partner; at++) {
                Blueprint.Node inner = node.children.get(names.get(at));
                Layer layer = layers.get(at);
                Layer result = layer;
                if (layer instanceof Dense dense) {
                    result = dense(dense, inner, at == i ? "columns" : "rows", true);
                } else if (layer instanceof Dropout dropout) {
                    result = new SplitDropout(dropout.rate(), range(width), width);
                }
                out.add(settings(layer, result).named(names.get(at)));
            }
            i = partner + 1;
        }
        return out;
    }

    /** The second layer of a pair that begins here; -1 where none does. */
    private int partner(List<Layer> layers, List<String> names, int from, Blueprint.Node node) {
        if (!(layers.get(from) instanceof Dense)
                || !isElementwise(layers.get(from).activation())
                || !may(node.children.get(names.get(from)), "columns", 0)) {
            return -1;
        }
        for (int i = from + 1; i < layers.size(); i++) {
            Layer layer = layers.get(i);
            if (layer instanceof Dense) {
                return may(node.children.get(names.get(i)), "rows", 1) ? i : -1;
            }
            boolean passes =
                    (layer instanceof Dropout || layer instanceof ActivationLayer) && isElementwise(layer.activation());
            if (!passes) {
                return -1;
            }
        }
        return -1;
    }

    private static boolean isElementwise(Activation activation) {
        return activation != Activation.SOFTMAX && activation != Activation.LOG_SOFTMAX;
    }

    private boolean may(Blueprint.Node node, String way, int axis) {
        String said = said(node);
        return (said == null || said.equals(way))
                && node.parameters.get("weight").shape().dim(axis) >= slices;
    }

    // ---- single layers

    private String wayAlone(Blueprint.Node node) {
        Shape weight = node.parameters.get("weight").shape();
        String said = said(node);
        String way = said != null ? said : weight.dim(0) > weight.dim(1) ? "columns" : "rows";
        return way.equals("whole") || weight.dim(way.equals("columns") ? 0 : 1) < slices ? "whole" : way;
    }

    private Layer dense(Dense dense, Blueprint.Node node, String way, boolean paired) {
        if (way.equals("whole") || slices == 1) {
            return dense;
        }
        Shape weight = node.parameters.get("weight").shape();
        boolean columns = way.equals("columns");
        Range range = range(weight.dim(columns ? 0 : 1));
        hold(node, "weight", columns ? 0 : 1, range);
        if (columns) {
            hold(node, "bias", 0, range);
        }
        return new SplitDense(dense, columns, paired, range, weight.dim(0), weight.dim(1));
    }

    private Layer attention(Attention attention, Blueprint.Node node) {
        if (attention.heads() < slices || attention.sharesKeys() || "whole".equals(said(node)) || slices == 1) {
            return attention;
        }
        long width = node.parameters.get("out_proj.weight").shape().dim(0);
        Range heads = range(attention.heads());
        SplitAttention.addSlices(node.path.isEmpty() ? "" : node.path + ".", attention, heads, width, held);
        return new SplitAttention(attention, heads, width);
    }

    private Layer transformer(TransformerEncoder block, Blueprint.Node node) {
        Blueprint.Node linear1 = node.children.get("linear1");
        long inner = linear1.parameters.get("weight").shape().dim(0);
        boolean whole = "whole".equals(said(node));
        whole |= isWhole(node.children.get("self_attn"), "heads");
        whole |= isWhole(linear1, "columns");
        whole |= isWhole(node.children.get("linear2"), "rows");
        if (block.heads() < slices || inner < slices || whole || slices == 1) {
            return block;
        }
        Range wide = range(inner);
        attention(block.attention(), node.children.get("self_attn"));
        hold(linear1, "weight", 0, wide);
        hold(linear1, "bias", 0, wide);
        hold(node.children.get("linear2"), "weight", 1, wide);
        return block.sliced(range(block.heads()), wide);
    }

    /** Inner layers of a block have one way in which they are sliced; where one of them is whole, the block is. */
    private boolean isWhole(Blueprint.Node inner, String way) {
        String said = said(inner);
        if (said == null || said.equals(way) || said.equals("whole")) {
            return "whole".equals(said);
        }
        throw new TuttiException(
                "split: " + inner.path + " is sliced by " + way + " or stays whole, received '" + said + "'");
    }

    private Layer gated(SwiGlu gated, Blueprint.Node node) {
        if (gated.inner() < slices || "whole".equals(said(node)) || slices == 1) {
            return gated;
        }
        Range some = range(gated.inner());
        hold(node.children.get("gate"), "weight", 0, some);
        hold(node.children.get("up"), "weight", 0, some);
        hold(node.children.get("down"), "weight", 1, some);
        return gated.sliced(some);
    }

    private Layer embedding(Embedding embedding, Blueprint.Node node) {
        if (embedding.vocabulary() < slices || "whole".equals(said(node)) || slices == 1) {
            return embedding;
        }
        Range ids = range(embedding.vocabulary());
        hold(node, "weight", 0, ids);
        return new SplitEmbedding(embedding, ids);
    }

    /** Sliced as its embedding is. */
    private Layer tied(TiedDense tied, Blueprint.Node node) {
        if (tied.vocabulary() < slices || "whole".equals(said(tied.embedding())) || slices == 1) {
            return tied;
        }
        Range ids = range(tied.vocabulary());
        hold(node, "weight", 0, ids);
        return tied.sliced(ids);
    }

    private Layer convolution(Convolution<?> convolution, Blueprint.Node node) {
        boolean whole = "whole".equals(said(node));
        if (whole || convolution.groups() > 1 || convolution.filters() < slices || slices == 1) {
            return convolution;
        }
        Range filters = range(convolution.filters());
        hold(node, "weight", 0, filters);
        hold(node, "bias", 0, filters);
        Convolution<?> own = convolution.filters(Math.toIntExact(filters.length()));
        return new SplitConvolution((Convolution<?>) own.activation(Activation.NONE), filters, convolution.filters());
    }
}
