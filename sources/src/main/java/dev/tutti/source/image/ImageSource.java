package dev.tutti.source.image;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import dev.tutti.data.source.Source;
import dev.tutti.data.stage.RowWorkers;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.BadRows;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A folder of images, each in the folder of its class, or with classes in a CSV file of columns {@code file} and {@code label}.
 * Images become float32 arrays [channels, height, width] from 0 to 1, decoded and resized on all cores.
 *
 * <p>An image that cannot be decoded is a bad row. Where such images are left out, all images are decoded once before the first
 * epoch, so that the number of rows is known.
 *
 * <p>Random maps such as {@code randomFlip} behind it are made on all cores as well.
 */
public final class ImageSource implements Source {
    private String folder;
    private int height = 64;
    private int width = 64;
    private int channels = 3;
    private String labels;
    private List<String> classes = List.of();
    private BadRows badRows = BadRows.fail();

    private transient ImageFolder opened;
    private transient List<String> notices = List.of();
    private transient String fingerprint;

    private ImageSource() {}

    private ImageSource(ImageSource other) {
        folder = other.folder;
        height = other.height;
        width = other.width;
        channels = other.channels;
        labels = other.labels;
        classes = other.classes;
        badRows = other.badRows;
    }

    public static ImageSource of(String folder) {
        ImageSource source = new ImageSource();
        source.folder = folder;
        return source;
    }

    /** The size images are brought to, 64 x 64 by default. */
    public ImageSource size(int rows, int columns) {
        ImageSource copy = new ImageSource(this);
        copy.height = rows;
        copy.width = columns;
        return copy;
    }

    /** One channel of grey levels instead of red, green and blue. */
    public ImageSource grey() {
        ImageSource copy = new ImageSource(this);
        copy.channels = 1;
        return copy;
    }

    /** A CSV file that says the class of each image, by columns {@code file} and {@code label}. */
    public ImageSource labels(String csv) {
        ImageSource copy = new ImageSource(this);
        copy.labels = csv;
        return copy;
    }

    /** The classes in the order of their ids, where a folder need not have images of all of them. */
    public ImageSource classes(List<String> names) {
        ImageSource copy = new ImageSource(this);
        copy.classes = List.copyOf(names);
        return copy;
    }

    /** What is done about images that cannot be decoded. */
    public ImageSource badRows(BadRows policy) {
        ImageSource copy = new ImageSource(this);
        copy.badRows = policy;
        return copy;
    }

    /** The classes there are, in the order of their ids. */
    public List<String> classes() {
        return opened().classes();
    }

    /** How many images each class has. */
    public Map<String, Long> counts() {
        Map<String, Long> counts = new LinkedHashMap<>();
        ImageFolder images = opened();
        images.classes().forEach(name -> counts.put(name, 0L));
        for (int i = 0; i < images.size(); i++) {
            if (images.label(i) >= 0) {
                counts.merge(images.classes().get(images.label(i)), 1L, Long::sum);
            }
        }
        return counts;
    }

    private synchronized ImageFolder opened() {
        if (folder == null) {
            throw new DataException("an images source needs a 'folder'");
        }
        if (height < 1 || width < 1 || channels != 1 && channels != 3) {
            throw new DataException("an images source needs 'height' and 'width' of 1 or more and 'channels' 1 or 3,"
                    + " received " + height + ", " + width + " and " + channels);
        }
        if (opened == null) {
            ImageFolder found = ImageFolder.open(Path.of(folder), Optional.ofNullable(labels), classes);
            if (!badRows.fails()) {
                BadRowLog bad = new BadRowLog(badRows, toString());
                found = found.readable(decoder(), bad);
                notices = bad.finish();
            }
            opened = found;
            fingerprint = opened.fingerprint();
        }
        return opened;
    }

    private ImageDecoder decoder() {
        return new ImageDecoder(channels, height, width);
    }

    @Override
    public List<String> notices() {
        opened();
        return notices;
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(opened().size());
    }

    @Override
    public String fingerprint() {
        opened();
        return fingerprint;
    }

    @Override
    public Rows open() {
        return new Images(opened(), decoder(), channels, height, width, badRows.fails());
    }

    private record Images(ImageFolder images, ImageDecoder decoder, int channels, int height, int width, boolean advise)
            implements BatchRows {
        @Override
        public long size() {
            return images.size();
        }

        @Override
        public boolean isConcurrent() {
            return true;
        }

        private void decode(long number, float[] pixels, int from) {
            try {
                decoder.decode(images.file((int) number), pixels, from);
            } catch (DataException e) {
                throw advise
                        ? new DataException(
                                e.getMessage()
                                        + ". To leave such images out, set 'badRows' of the source to skip or collect.",
                                e)
                        : e;
            }
        }

        @Override
        public Sample row(long number) {
            float[] pixels = new float[decoder.size()];
            decode(number, pixels, 0);
            NdArray image = NdArray.of(pixels, channels, height, width);
            int label = images.label((int) number);
            return label < 0 ? Sample.of(image) : Sample.of(image, NdArray.of(new long[] {label}));
        }

        @Override
        public Batch rows(long[] numbers) {
            float[] pixels = new float[Math.multiplyExact(numbers.length, decoder.size())];
            long[] labels = new long[numbers.length];
            RowWorkers.make(numbers.length, i -> {
                decode(numbers[i], pixels, i * decoder.size());
                return labels[i] = images.label((int) numbers[i]);
            });
            NdArray batch = NdArray.of(pixels, numbers.length, channels, height, width);
            boolean labelled = labels.length > 0 && labels[0] >= 0;
            return new Batch(
                    List.of(batch), labelled ? List.of(NdArray.of(labels, numbers.length)) : List.of(), numbers.length);
        }
    }

    @Override
    public String toString() {
        return "images(" + folder + ")";
    }
}
