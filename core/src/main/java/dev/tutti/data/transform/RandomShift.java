package dev.tutti.data.transform;

import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import dev.tutti.data.RowRandom;
import dev.tutti.data.Sample;
import java.util.List;

/** Moves images about; the last two axes of each feature are height and width. */
public final class RandomShift implements RandomTransform {
    private int pixels = 1;

    private RandomShift() {}

    RandomShift(int pixels) {
        if (pixels < 0) {
            throw new DataException("randomShift(" + pixels + "): expected 0 pixels or more");
        }
        this.pixels = pixels;
    }

    @Override
    public Sample apply(Sample sample, RowRandom random) {
        int down = random.nextInt(2 * pixels + 1) - pixels;
        int right = random.nextInt(2 * pixels + 1) - pixels;
        List<NdArray> moved = sample.features().stream()
                .map(image -> shift(image, down, right))
                .toList();
        return new Sample(moved, sample.labels());
    }

    private static NdArray shift(NdArray image, int down, int right) {
        if (image.shape().rank() < 2) {
            throw new DataException("randomShift needs images of height and width, received " + image);
        }
        int height = (int) image.shape().dim(-2);
        int width = (int) image.shape().dim(-1);
        NdArray out = NdArray.zeros(image.type(), image.shape());
        int length = width - Math.abs(right);
        for (int line = 0; length > 0 && line < image.size() / width; line++) {
            int row = line % height;
            if (row + down >= 0 && row + down < height) {
                int from = line * width + Math.max(0, -right);
                int to = (line + down) * width + Math.max(0, right);
                System.arraycopy(image.data(), from, out.data(), to, length);
            }
        }
        return out;
    }

    @Override
    public String toString() {
        return "randomShift(" + pixels + ")";
    }
}
