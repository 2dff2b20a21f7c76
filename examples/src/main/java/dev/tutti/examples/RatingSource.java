package dev.tutti.examples;

import dev.tutti.array.NdArray;
import dev.tutti.data.source.ArraySource;
import dev.tutti.data.source.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** Ratings as rows: the id of a user, the id of an item, and the rating. Every process reads or makes them by itself. */
public final class RatingSource implements Source {
    private String path = "";
    private long seed;
    private boolean test;
    private transient ArraySource arrays;

    private RatingSource() {}

    /** @param path empty for ratings that are made by a seed */
    RatingSource(String path, long seed, boolean test) {
        this.path = path;
        this.seed = seed;
        this.test = test;
    }

    private synchronized ArraySource arrays() {
        if (arrays == null) {
            RatingTable table = table();
            List<RatingTable.Rating> rows = test ? table.test() : table.training();
            long[] users = rows.stream().mapToLong(RatingTable.Rating::user).toArray();
            long[] items = rows.stream().mapToLong(RatingTable.Rating::item).toArray();
            float[] stars = new float[users.length];
            for (int i = 0; i < stars.length; i++) {
                stars[i] = rows.get(i).stars();
            }
            int count = stars.length;
            arrays = new ArraySource(
                    List.of(NdArray.of(users, count, 1), NdArray.of(items, count, 1)),
                    List.of(NdArray.of(stars, count, 1)));
        }
        return arrays;
    }

    private RatingTable table() {
        try {
            return path.isEmpty() ? RatingTable.made(seed) : RatingTable.read(Path.of(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public OptionalLong size() {
        return arrays().size();
    }

    @Override
    public Rows open() {
        return arrays().open();
    }

    @Override
    public String toString() {
        return "ratings(" + (path.isEmpty() ? "seed " + seed : path) + (test ? ", test" : "") + ")";
    }
}
