package dev.tutti.plan;

import dev.tutti.TuttiException;
import java.util.List;

/**
 * Seconds by the number of rows, measured at some numbers: between them the times lie on a line, beyond the last one the line goes on.
 *
 * @param points by rising rows
 */
public record RowCurve(List<Point> points) {
    /** So many rows took so many seconds. */
    public record Point(double rows, double seconds) {}

    public RowCurve {
        points = List.copyOf(points);
        if (points.isEmpty()) {
            throw new TuttiException("a curve of times needs at least one measured point, received none");
        }
    }

    /** Seconds that rise with the rows, from a first amount on. */
    public static RowCurve line(double fixed, double perRow) {
        return new RowCurve(List.of(new Point(0, fixed), new Point(1, fixed + perRow)));
    }

    /** The same with all times multiplied. */
    public RowCurve slower(double times) {
        return new RowCurve(points.stream()
                .map(point -> new Point(point.rows, point.seconds * times))
                .toList());
    }

    public double seconds(double rows) {
        if (rows <= 0) {
            return 0;
        }
        Point first = points.get(0);
        if (points.size() == 1 || rows <= first.rows) {
            return points.size() == 1 ? first.seconds * rows / Math.max(1, first.rows) : first.seconds;
        }
        int next = 1;
        while (next < points.size() - 1 && points.get(next).rows < rows) {
            next++;
        }
        Point from = points.get(next - 1);
        Point to = points.get(next);
        double slope = Math.max(0, to.seconds - from.seconds) / (to.rows - from.rows);
        return Math.max(0, from.seconds + slope * (rows - from.rows));
    }
}
