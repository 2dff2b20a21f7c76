package dev.tutti.strategy.ps;

import dev.tutti.comm.Message;
import dev.tutti.strategy.ps.ShardRequests.Contents;
import dev.tutti.table.RowGradients;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** Pushes that were accepted for an update which waits for more of them, in the order of acceptance. */
final class PendingPushes implements AutoCloseable {
    private final List<Tensor> gradients = new ArrayList<>();
    private final List<RowGradients> rows = new ArrayList<>();

    void add(Tensor gradient, RowGradients touched) {
        gradients.add(gradient.copy().retain());
        rows.add(touched);
    }

    int size() {
        return gradients.size();
    }

    /** The mean gradient; it belongs to the open scope. */
    Tensor mean() {
        Tensor sum = gradients.get(0).copy();
        gradients.stream().skip(1).forEach(sum::add_);
        return sum.mul_(1.0 / size());
    }

    RowGradients meanOfRows() {
        RowGradients sum = new RowGradients();
        rows.forEach(sum::add);
        sum.scale(1.0 / size());
        return sum;
    }

    void clear() {
        gradients.forEach(Tensor::close);
        gradients.clear();
        rows.clear();
    }

    /** Adds copies to the body of a snapshot, which belong to the open scope. */
    List<Contents> snapshot(List<Tensor> body) {
        List<Contents> contents = new ArrayList<>();
        for (int i = 0; i < size(); i++) {
            PushBody part =
                    new PushBody().gradients(List.of(gradients.get(i).copy())).rows(rows.get(i));
            contents.add(part.contents());
            body.addAll(List.of(part.tensors()));
        }
        return contents;
    }

    /** Takes over what a snapshot has behind a number of other tensors. */
    void restore(
            List<Contents> contents, Message message, int from, BiFunction<Contents, Message, RowGradients> reader) {
        int at = from;
        for (Contents each : contents) {
            int count = each.dense() + 2 * each.tables().size();
            Message part = new Message(0, 0, new byte[0], message.body().subList(at, at + count));
            add(part.body().get(0), reader.apply(each, part));
            at += count;
        }
    }

    /** Tensors that a snapshot has of these. */
    static int tensors(List<Contents> contents) {
        return contents.stream()
                .mapToInt(each -> each.dense() + 2 * each.tables().size())
                .sum();
    }

    @Override
    public void close() {
        clear();
    }
}
