package dev.tutti.transfer.onnx;

import static dev.tutti.transfer.onnx.OnnxNodes.attribute;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** The functions and methods of torch that lay elements out anew, as nodes. */
final class OnnxShapes {
    private static final double HIDDEN = -1e9;

    private final OnnxNodes nodes;

    OnnxShapes(OnnxNodes nodes) {
        this.nodes = nodes;
    }

    OnnxValue call(String function, OnnxFunctions.Arguments a) {
        OnnxValue x = a.has(0) && a.all().get(0) instanceof OnnxValue value ? value : null;
        return switch (function) {
            case "flatten" -> flatten(x, (int) a.whole(1));
            case "reshape" -> reshape(x, a.list(1));
            case "unflatten" -> unflatten(x, x.axis(a.whole(1)), a.longs(2));
            case "permute" -> permute(x, a.longs(1));
            case "transpose" -> transpose(x, x.axis(a.whole(1)), x.axis(a.whole(2)));
            case "unsqueeze" -> unsqueeze(x, a.whole(1));
            case "select" ->
                nodes.add(
                        "Gather",
                        without(x.dims(), x.axis(a.whole(1))),
                        List.of(x, nodes.whole(a.whole(2))),
                        attribute("axis", (long) x.axis(a.whole(1))));
            case "narrow" -> narrow(x, x.axis(a.whole(1)), a.whole(2), a.all().get(3));
            case "cat" -> cat(a.list(0), a.whole(1));
            default -> throw new IllegalArgumentException("torch." + function);
        };
    }

    private OnnxValue flatten(OnnxValue x, int from) {
        long rest = 1;
        for (int i = from; i < x.rank(); i++) {
            rest = x.dims()[i] < 0 || rest < 0 ? -1 : rest * x.dims()[i];
        }
        long[] dims = Arrays.copyOf(x.dims(), from + 1);
        dims[from] = rest;
        long[] shape = new long[from + 1]; // 0 keeps an extent
        shape[from] = -1;
        return nodes.add("Reshape", dims, List.of(x, nodes.longs(shape)));
    }

    private OnnxValue reshape(OnnxValue x, List<?> shape) {
        long[] target = new long[shape.size()];
        long[] dims = new long[shape.size()];
        for (int i = 0; i < target.length; i++) {
            if (shape.get(i) instanceof Number number) {
                target[i] = number.longValue();
                dims[i] = target[i];
            } else if (shape.get(i) instanceof OnnxTranslation.DynamicSize size
                    && size.axis() == i
                    && size.of().equals(x)) {
                target[i] = 0;
                dims[i] = -1;
            } else {
                throw new IllegalArgumentException("a reshape by an extent of another axis");
            }
        }
        return nodes.add("Reshape", dims, List.of(x, nodes.longs(target)));
    }

    private OnnxValue unflatten(OnnxValue x, int axis, long[] sizes) {
        long[] target = new long[x.rank() - 1 + sizes.length];
        long[] dims = new long[target.length];
        long known = Arrays.stream(sizes).filter(size -> size > 0).reduce(1, (p, q) -> p * q);
        for (int i = 0; i < target.length; i++) {
            boolean inside = i >= axis && i < axis + sizes.length;
            if (inside) {
                target[i] = sizes[i - axis];
                dims[i] = target[i] > 0 ? target[i] : x.dims()[axis] < 0 ? -1 : x.dims()[axis] / known;
                target[i] = dims[i];
            } else if (i < axis) {
                dims[i] = x.dims()[i];
                target[i] = 0;
            } else {
                throw new IllegalArgumentException("an unflatten of an axis before the last");
            }
        }
        return nodes.add("Reshape", dims, List.of(x, nodes.longs(target)));
    }

    private OnnxValue permute(OnnxValue x, long[] axes) {
        long[] dims = Arrays.stream(axes).map(axis -> x.dims()[x.axis(axis)]).toArray();
        return nodes.add("Transpose", dims, List.of(x), attribute("perm", axes));
    }

    OnnxValue transpose(OnnxValue x, int a, int b) {
        long[] axes = LongStream.range(0, x.rank()).toArray();
        axes[a] = b;
        axes[b] = a;
        return permute(x, axes);
    }

    private OnnxValue unsqueeze(OnnxValue x, long axis) {
        int place = (int) (axis < 0 ? axis + x.rank() + 1 : axis);
        List<Long> dims = new ArrayList<>(Arrays.stream(x.dims()).boxed().toList());
        dims.add(place, 1L);
        return nodes.add(
                "Unsqueeze", dims.stream().mapToLong(Long::longValue).toArray(), List.of(x, nodes.longs(place)));
    }

    private static long[] without(long[] dims, int axis) {
        return LongStream.range(0, dims.length)
                .filter(i -> i != axis)
                .map(i -> dims[(int) i])
                .toArray();
    }

    private OnnxValue narrow(OnnxValue x, int axis, long from, Object length) {
        long[] dims = x.dims().clone();
        OnnxValue end;
        if (length instanceof Number number) {
            dims[axis] = number.longValue();
            end = nodes.longs(from + number.longValue());
        } else if (length instanceof OnnxTranslation.DynamicSize size && from == 0) {
            dims[axis] = -1;
            end = extent(size.of(), size.axis());
        } else {
            throw new IllegalArgumentException("a narrow by " + length);
        }
        return nodes.add("Slice", dims, List.of(x, nodes.longs(from), end, nodes.longs(axis)));
    }

    /** An extent as a tensor with one whole number. */
    private OnnxValue extent(OnnxValue of, int axis) {
        return nodes.add(
                "Shape", new long[] {1}, List.of(of), attribute("start", (long) axis), attribute("end", axis + 1L));
    }

    private OnnxValue cat(List<?> parts, long axis) {
        List<OnnxValue> tensors = parts.stream().map(OnnxValue.class::cast).toList();
        OnnxValue first = tensors.get(0);
        int place = first.axis(axis);
        long[] dims = first.dims().clone();
        dims[place] = tensors.stream().anyMatch(each -> each.dims()[place] < 0)
                ? -1
                : tensors.stream().mapToLong(each -> each.dims()[place]).sum();
        return nodes.add("Concat", dims, tensors, attribute("axis", (long) place));
    }

    /** A large negative number above the diagonal of the last two axes, zero elsewhere. */
    OnnxValue causalBias(OnnxValue scores) {
        OnnxValue square = nodes.add(
                "Shape",
                new long[] {2},
                List.of(scores),
                attribute("start", scores.rank() - 2L),
                attribute("end", (long) scores.rank()));
        long[] dims = {scores.dims()[scores.rank() - 2], scores.dims()[scores.rank() - 1]};
        OnnxValue hidden = nodes.add("Expand", dims, List.of(nodes.number(HIDDEN), square));
        return nodes.add("Trilu", dims, List.of(hidden, nodes.whole(1)), attribute("upper", 1L));
    }
}
