package dev.tutti.serve.batch;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import java.util.ArrayList;
import java.util.List;

/** Requests that are computed together: joins their rows, and gives each its own rows of the outputs. */
final class RowBatch {
    private final List<QueuedRequest> requests;
    private final int rows;

    RowBatch(List<QueuedRequest> requests) {
        this.requests = List.copyOf(requests);
        this.rows = requests.stream().mapToInt(QueuedRequest::rows).sum();
    }

    int rows() {
        return rows;
    }

    int requests() {
        return requests.size();
    }

    void compute(BatchFunction function, int maxRows) {
        try {
            List<NdArray> outputs = rows <= maxRows ? function.apply(joined()) : inPieces(function, maxRows);
            int from = 0;
            for (QueuedRequest request : requests) {
                int begin = from;
                int end = from + request.rows();
                request.answer()
                        .complete(
                                requests.size() == 1
                                        ? outputs
                                        : outputs.stream()
                                                .map(output -> output.rows(begin, end))
                                                .toList());
                from = end;
            }
        } catch (RuntimeException | Error e) {
            if (requests.size() == 1) {
                requests.get(0).answer().completeExceptionally(e);
            } else { // one of them may be at fault: the others get their answers
                requests.forEach(request -> new RowBatch(List.of(request)).compute(function, maxRows));
            }
        }
    }

    private List<NdArray> joined() {
        List<NdArray> first = requests.get(0).inputs();
        if (requests.size() == 1) {
            return first;
        }
        List<NdArray> joined = new ArrayList<>();
        for (int i = 0; i < first.size(); i++) {
            Shape row = first.get(i).shape().from(1);
            NdArray all = NdArray.zeros(first.get(i).type(), row.prepend(rows));
            int at = 0;
            for (QueuedRequest request : requests) {
                NdArray part = request.inputs().get(i);
                System.arraycopy(part.data(), 0, all.data(), at, part.size());
                at += part.size();
            }
            joined.add(all);
        }
        return joined;
    }

    /** One request that is larger than a batch: in pieces, so that it takes no more memory than others. */
    private List<NdArray> inPieces(BatchFunction function, int maxRows) {
        List<NdArray> inputs = joined();
        List<NdArray> outputs = new ArrayList<>();
        for (int from = 0; from < rows; from += maxRows) {
            int begin = from;
            int end = Math.min(rows, from + maxRows);
            List<NdArray> piece = function.apply(
                    inputs.stream().map(input -> input.rows(begin, end)).toList());
            for (int i = 0; i < piece.size(); i++) {
                NdArray part = piece.get(i);
                if (from == 0) {
                    outputs.add(NdArray.zeros(part.type(), part.shape().with(0, rows)));
                }
                int row = Math.toIntExact(part.shape().from(1).size());
                System.arraycopy(part.data(), 0, outputs.get(i).data(), from * row, part.size());
            }
        }
        return outputs;
    }
}
