package dev.tutti.strategy.compression;

import dev.tutti.array.Range;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * How gradients lie in two messages, those of the parameters that learn one after the other: matrices as a left and a right factor, everything else whole, behind the left
 * factors.
 */
final class Factors {
    private final List<Matrix> matrices = new ArrayList<>();
    private final List<Whole> wholes = new ArrayList<>();
    private long left;
    private long right;

    /**
     * A parameter that is worth its factors, as rows and columns of what lies in memory.
     *
     * @param range its gradients among those of the parameters that learn
     * @param rank columns of each factor
     * @param left where its left factor, rows by rank, lies in the first message
     * @param right where its right factor, columns by rank, lies in the second
     */
    record Matrix(Range range, long rows, long columns, long rank, Range left, Range right) {
        Tensor of(Tensor vector) {
            return vector.narrow(0, range.from(), range.length()).view(rows, columns);
        }

        Tensor left(Tensor message) {
            return message.narrow(0, left.from(), left.length()).view(rows, rank);
        }

        Tensor right(Tensor message) {
            return message.narrow(0, right.from(), right.length()).view(columns, rank);
        }
    }

    /** Gradients that travel as they are. */
    record Whole(Range range, Range left) {
        Tensor of(Tensor vector) {
            return vector.narrow(0, range.from(), range.length());
        }

        Tensor in(Tensor message) {
            return message.narrow(0, left.from(), left.length());
        }
    }

    Factors(Model model, int rank) {
        List<Range> rest = new ArrayList<>();
        long at = 0;
        for (Parameter parameter : model.parameters()) {
            if (model.isFrozen(parameter)) {
                continue;
            }
            Range range = new Range(at, parameter.range().length());
            at = range.to();
            long rows = parameter.shape().rank() < 2 ? 1 : parameter.shape().dim(0);
            long columns = rows == 0 ? 0 : range.length() / rows;
            if (rank * (rows + columns) < range.length()) {
                matrices.add(new Matrix(
                        range, rows, columns, rank, new Range(left, rows * rank), new Range(right, columns * rank)));
                left += rows * rank;
                right += columns * rank;
            } else {
                rest.add(range);
            }
        }
        for (Range range : rest) {
            wholes.add(new Whole(range, new Range(left, range.length())));
            left += range.length();
        }
    }

    List<Matrix> matrices() {
        return matrices;
    }

    List<Whole> wholes() {
        return wholes;
    }

    /** Elements of the first message. */
    long left() {
        return left;
    }

    /** Elements of the second message. */
    long right() {
        return right;
    }
}
