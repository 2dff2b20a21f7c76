package dev.tutti.data.source;

import dev.tutti.data.DataException;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Images and labels in two IDX files. */
public final class IdxSource implements Source {
    private String images;
    private String labels;

    private IdxSource() {}

    public IdxSource(Path images, Path labels) {
        this.images = images.toString();
        this.labels = labels.toString();
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(open().size());
    }

    @Override
    public RandomRows open() {
        if (images == null || labels == null) {
            throw new DataException("an idx source needs two files, 'images' and 'labels'");
        }
        return new IdxRows(IdxFile.open(Path.of(images)), IdxFile.open(Path.of(labels)));
    }

    @Override
    public String toString() {
        return "idx(" + images + ", " + labels + ")";
    }
}
