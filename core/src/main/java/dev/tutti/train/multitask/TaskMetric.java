package dev.tutti.train.multitask;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.array.NdArray;
import dev.tutti.metric.Metric;
import dev.tutti.metric.MetricState;

/**
 * A metric of one task: it sees the rows of that task alone.
 *
 * @param task the name of the task
 * @param index the place of its output
 * @param metric what is measured
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TaskMetric(String task, int index, Metric metric) implements Metric {
    @Override
    public String name() {
        return task + "." + metric.name();
    }

    @Override
    public int output() {
        return index;
    }

    @Override
    public boolean higherIsBetter() {
        return metric.higherIsBetter();
    }

    @Override
    public MetricState newState() {
        return new RowsOfTask(metric.newState());
    }

    private record RowsOfTask(MetricState state) implements MetricState {
        @Override
        public void update(NdArray predictions, NdArray targets) {
            long[] places = TaskSource.present(targets);
            if (places.length > 0) {
                state.update(TaskSource.rows(predictions, places), TaskSource.rows(targets, places));
            }
        }

        @Override
        public void merge(MetricState other) {
            if (!(other instanceof RowsOfTask rows)) {
                throw new IllegalArgumentException(
                        "a state of a task merges with another one of it: received " + other);
            }
            state.merge(rows.state);
        }

        @Override
        public double value() {
            return state.value();
        }

        @Override
        public NdArray snapshot() {
            return state.snapshot();
        }

        @Override
        public void restore(NdArray snapshot) {
            state.restore(snapshot);
        }
    }
}
