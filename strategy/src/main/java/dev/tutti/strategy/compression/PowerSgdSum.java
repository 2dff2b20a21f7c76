package dev.tutti.strategy.compression;

import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.nn.Model;
import dev.tutti.strategy.compression.Factors.Matrix;
import dev.tutti.strategy.compression.Factors.Whole;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * One step of the power method for the sum of the members' matrices, begun where the last one ended.
 *
 * <p>The right factors must be the same on all members. They begin the same way on each, and begin anew when the members change,
 * since newcomers do not know them, and when other parameters learn.
 */
final class PowerSgdSum extends ErrorFeedback {
    private final int rank;
    private Factors factors; // of the parameters that learn; with the right factors
    private Set<String> frozen;
    private Tensor right;
    private long drawn;

    PowerSgdSum(Model model, int rank) {
        super(model);
        this.rank = rank;
    }

    @Override
    void exchange(Collectives collectives, Tensor owed, Tensor gradients) {
        if (right == null || !model().frozen().equals(frozen)) {
            regrouped();
            begin(gradients);
        }
        Tensor left = Tensor.zeros(Shape.of(factors.left()), gradients.type());
        for (Matrix matrix : factors.matrices()) {
            matrix.left(left).copy_(matrix.of(owed).matmul(matrix.right(right)));
        }
        for (Whole whole : factors.wholes()) {
            whole.in(left).copy_(whole.of(owed));
            whole.of(owed).zero_();
        }
        collectives.allReduce("left factors of the gradients", left);
        List<boolean[]> sound = new ArrayList<>();
        for (Matrix matrix : factors.matrices()) {
            Tensor basis = matrix.left(left);
            sound.add(GramSchmidt.of(basis));
            Tensor own = matrix.of(owed).transpose(0, 1).matmul(basis);
            matrix.right(right).copy_(own);
            matrix.of(owed).add_(basis.matmul(own.transpose(0, 1)), -1);
        }
        collectives.allReduce("right factors of the gradients", right);
        for (int i = 0; i < sound.size(); i++) {
            Matrix matrix = factors.matrices().get(i);
            matrix.of(gradients)
                    .copy_(matrix.left(left).matmul(matrix.right(right).transpose(0, 1)));
            drawAnew(matrix, sound.get(i));
        }
        for (Whole whole : factors.wholes()) {
            whole.of(gradients).copy_(whole.in(left));
        }
    }

    /** A column that came to nothing would stay so for ever. */
    private void drawAnew(Matrix matrix, boolean[] sound) {
        for (int column = 0; column < sound.length; column++) {
            if (!sound[column]) {
                draw(matrix.right(right).select(1, column));
            }
        }
    }

    private void begin(Tensor gradients) {
        drawn = 0;
        frozen = model().frozen();
        factors = new Factors(model(), rank);
        right = Tensor.zeros(Shape.of(factors.right()), gradients.type()).retain();
        draw(right);
    }

    /** The same numbers on every member. */
    private void draw(Tensor target) {
        Random random = new Random(drawn++);
        double[] numbers = new double[Math.toIntExact(target.size())];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = random.nextGaussian();
        }
        target.copy_(Tensor.of(numbers, numbers.length));
    }

    @Override
    public void regrouped() {
        if (right != null) {
            right.close();
            right = null;
        }
    }

    @Override
    public void close() {
        super.close();
        regrouped();
    }
}
