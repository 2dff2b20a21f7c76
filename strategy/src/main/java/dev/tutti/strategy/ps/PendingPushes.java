package dev.tutti.strategy.ps;

import dev.tutti.comm.Message;
import dev.tutti.strategy.ps.ShardRequests.Contents;
import dev.tutti.table.RowGradients;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** Pushes that were accepted for an update which waits for more of them, in the order of acceptance, by their names. */
final class PendingPushes implements AutoCloseable {
    private final List<String> names = new ArrayList<>();
    private final List<Tensor> gradients = new ArrayList<>();
    private final List<RowGradients> rows = new ArrayList<>();

    void add(String name, Tensor gradient, RowGradients touched) {
        names.add(name);
        gradients.add(gradient.copy().retain());
        rows.add(touched);
    }

    int size() {
        return gradients.size();
    }

    List<String> names() {
        return List.copyOf(names);
    }

    /** The mean gradient of some, in their order; it belongs to the open scope. */
    Tensor mean(List<String> chosen) {
        Tensor sum = gradients.get(names.indexOf(chosen.get(0))).copy();
        chosen.stream().skip(1).forEach(name -> sum.add_(gradients.get(names.indexOf(name))));
        return sum.mul_(1.0 / chosen.size());
    }

    RowGradients meanOfRows(List<String> chosen) {
        RowGradients sum = new RowGradients();
        chosen.forEach(name -> sum.add(rows.get(names.indexOf(name))));
        sum.scale(1.0 / chosen.size());
        return sum;
    }

    void clear() {
        names.clear();
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
            List<String> called,
            List<Contents> contents,
            Message message,
            int from,
            BiFunction<Contents, Message, RowGradients> reader) {
        int at = from;
        for (int i = 0; i < contents.size(); i++) {
            Contents each = contents.get(i);
            int count = each.dense() + 2 * each.tables().size();
            Message part = new Message(0, 0, new byte[0], message.body().subList(at, at + count));
            add(called.get(i), part.body().get(0), reader.apply(each, part));
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
