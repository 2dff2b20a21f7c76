package dev.tutti.data.transform;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import dev.tutti.data.RowRandom;
import dev.tutti.data.Sample;
import java.util.List;

/** Mirrors images along their last axis, one time in two. */
public final class RandomFlip implements RandomTransform {
    RandomFlip() {}

    @Override
    public Sample apply(Sample sample, RowRandom random) {
        if (random.nextBoolean()) {
            return sample;
        }
        List<NdArray> flipped = sample.features().stream().map(RandomFlip::flip).toList();
        return new Sample(flipped, sample.labels());
    }

    private static NdArray flip(NdArray image) {
        if (image.shape().rank() < 2) {
            throw new DataException("randomFlip needs images of height and width, received " + image);
        }
        int width = (int) image.shape().dim(-1);
        NdArray out = NdArray.zeros(image.type(), image.shape());
        for (int line = 0; line < image.size(); line += width) {
            int last = line + width - 1;
            if (image.type() == DType.FLOAT32) {
                float[] in = image.floats();
                float[] mirrored = out.floats();
                for (int i = 0; i < width; i++) {
                    mirrored[line + i] = in[last - i];
                }
            } else {
                for (int i = 0; i < width; i++) {
                    System.arraycopy(image.data(), last - i, out.data(), line + i, 1);
                }
            }
        }
        return out;
    }

    @Override
    public String toString() {
        return "randomFlip";
    }
}
