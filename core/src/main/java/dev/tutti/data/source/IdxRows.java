package dev.tutti.data.source;

import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import java.util.List;

/** Images and labels of two IDX files; the sizes are checked at once, the elements read with the first row. */
final class IdxRows implements Source.RandomRows {
    private final IdxFile images;
    private final IdxFile labels;
    private ArrayRows rows;

    IdxRows(IdxFile images, IdxFile labels) {
        this.images = images;
        this.labels = labels;
        if (images.rows() != labels.rows()) {
            throw new DataException("images and labels do not belong together: " + images.path() + " has "
                    + images.rows() + " rows, " + labels.path() + " has " + labels.rows());
        }
    }

    @Override
    public long size() {
        return images.rows();
    }

    @Override
    public Sample row(long number) {
        if (rows == null) {
            rows = new ArrayRows(List.of(images.load()), List.of(labels.load()));
        }
        return rows.row(number);
    }
}
