package dev.tutti.data.source;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;

/** MNIST wherever it lies on the machine that opens it, ready to train on. */
public final class MnistSource implements Source {
    /** Which of its two sets. */
    public enum Part {
        @JsonProperty("train")
        TRAIN("train"),
        @JsonProperty("test")
        TEST("t10k");

        private final String file;

        Part(String file) {
            this.file = file;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private Part part = Part.TRAIN;

    private MnistSource() {}

    public MnistSource(Part part) {
        this.part = part;
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(open().size());
    }

    @Override
    public RandomRows open() {
        Path folder = folder(System.getProperty("tutti.datasets"), System.getenv("TUTTI_DATASETS"), Path.of(""));
        return new Digits(file(folder, "images-idx3-ubyte"), file(folder, "labels-idx1-ubyte"));
    }

    private IdxFile file(Path folder, String name) {
        Path packed = folder.resolve(part.file + "-" + name + ".gz");
        Path plain = folder.resolve(part.file + "-" + name);
        return IdxFile.open(Files.exists(plain) ? plain : packed);
    }

    /** The folder of MNIST, from the user's settings and the working directory. */
    public static Path folder(String property, String environment, Path here) {
        String said = property != null ? property : environment;
        if (said != null) {
            return Path.of(said, "mnist");
        }
        for (Path at = here.toAbsolutePath(); at != null; at = at.getParent()) {
            Path folder = at.resolve("datasets").resolve("mnist");
            if (Files.isDirectory(folder)) {
                return folder;
            }
        }
        throw new DataException("MNIST was not found: there is no folder datasets/mnist in " + here.toAbsolutePath()
                + " or above it. Set TUTTI_DATASETS to the folder that holds mnist.");
    }

    @Override
    public String toString() {
        return "mnist(" + part + ")";
    }

    /**
     * Rows converted straight out of the file's bytes: a copy of each as bytes would be made only to be thrown away.
     */
    private static final class Digits implements RandomRows {
        private static final float[] GREY = new float[256];

        static {
            for (int i = 0; i < GREY.length; i++) {
                GREY[i] = i / 255f;
            }
        }

        private static final Shape IMAGE = Shape.of(1, 28, 28);

        private final IdxRows sizes;
        private final IdxFile images;
        private final IdxFile labels;
        private byte[] pixels;
        private byte[] digits;

        Digits(IdxFile images, IdxFile labels) {
            this.sizes = new IdxRows(images, labels);
            this.images = images;
            this.labels = labels;
        }

        @Override
        public long size() {
            return sizes.size();
        }

        @Override
        public Sample row(long number) {
            if (pixels == null) {
                pixels = images.load().bytes();
                digits = labels.load().bytes();
            }
            float[] image = new float[(int) IMAGE.size()];
            int from = Math.toIntExact(number) * image.length;
            for (int i = 0; i < image.length; i++) {
                image[i] = GREY[pixels[from + i] & 0xff];
            }
            long[] label = {digits[(int) number]};
            return Sample.of(
                    NdArray.wrap(DType.FLOAT32, IMAGE, image), NdArray.wrap(DType.INT64, Shape.scalar(), label));
        }
    }
}
