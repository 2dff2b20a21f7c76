package dev.tutti.train.worker;

import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.DType;
import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.Target;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.vector.FlatVector;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DividedUpdateTest {
    private static final Range SMALL = new Range(0, 160);
    private static final Range LARGE = new Range(160, 1 << 18);
    private static final DividedUpdate.Move MOVE = new DividedUpdate.Move(0.5, 1);

    private final WorkerPool pool = new WorkerPool(2, "worker");
    private final FlatVector first = new FlatVector(LARGE.to(), DType.FLOAT32, Device.CPU);
    private final FlatVector second = first.sharingValues();

    @AfterEach
    void close() {
        pool.close();
        second.close();
        first.close();
    }

    @Test
    void whoIsDoneFirstMovesWhatAllHaveLeft() {
        try (DividedUpdate update = update(sgd(1))) {
            update.begin(MOVE, 2);
            giveGradients();
            Consumer<Range> ofFirst = update.leaver();
            Consumer<Range> ofSecond = update.leaver();
            ofFirst.accept(first.all());
            ofSecond.accept(LARGE);
            update.passed(); // the first one; the second is still at the small layers before
            assertThat(first.values(LARGE).toArray().floats()).containsOnly(-1.5f);
            assertThat(first.values(SMALL).toArray().floats()).containsOnly(0);
            ofSecond.accept(first.all());
            update.passed();
            assertThat(first.values().toArray().floats()).as("each once").containsOnly(-1.5f);
        }
    }

    @Test
    void whereAPassFailsNothingMovesThatItUses() {
        try (DividedUpdate update = update(sgd(1))) {
            update.begin(MOVE, 2);
            giveGradients();
            update.leaver().accept(first.all());
            update.passed();
            update.passed(); // the second one, which has left nothing
            update.end();
            assertThat(first.values().toArray().floats())
                    .as("gradients of one are not moved by")
                    .containsOnly(0);
            update.apply(MOVE, 2, squares -> squares);
            assertThat(first.values().toArray().floats()).containsOnly(-1.5f);
        }
    }

    @Test
    void limitsOfLengthNeedAllGradients() {
        try (DividedUpdate update = update(sgd(1))) {
            assertThat(update.canBegin()).isTrue();
            update.sumWith((range, sum) -> {});
            assertThat(update.canBegin()).as("sums come from elsewhere").isFalse();
        }
        try (DividedUpdate update = update(sgd(1).clipValue(1))) {
            assertThat(update.canBegin()).isTrue();
        }
        try (DividedUpdate update = update(sgd(1).clipNorm(1))) {
            assertThat(update.canBegin()).isFalse();
        }
    }

    private DividedUpdate update(Optimizer optimizer) {
        Target target = Target.all(first, List.of(new NamedRange("small", SMALL), new NamedRange("large", LARGE)));
        return new DividedUpdate(List.of(first, second), target, optimizer, pool, first.all());
    }

    private void giveGradients() {
        first.gradients().fill_(1);
        second.gradients().fill_(2);
    }
}
