package dev.tutti.source.column;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A date or time in UTC: the time itself, standardised, and where it lies in the year, the month, the week and the day, each as a
 * point on a circle (two numbers), so that December is beside January. Missing values are zeros.
 */
public final class DateColumn extends ColumnEncoder {
    /** A part of a time. */
    public enum Part {
        /** How late it is, standardised: one number. */
        @JsonProperty("time")
        TIME(0),
        @JsonProperty("month")
        MONTH(12),
        @JsonProperty("day")
        DAY(31),
        @JsonProperty("weekday")
        WEEKDAY(7),
        @JsonProperty("hour")
        HOUR(24);

        private final int period;

        Part(int period) {
            this.period = period;
        }

        private double of(OffsetDateTime time) {
            return switch (this) {
                case TIME -> time.toEpochSecond();
                case MONTH -> time.getMonthValue() - 1;
                case DAY -> time.getDayOfMonth() - 1;
                case WEEKDAY -> time.getDayOfWeek().getValue() - 1;
                case HOUR -> time.getHour() + time.getMinute() / 60.0;
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private String column;
    private List<Part> parts = List.of(Part.TIME, Part.MONTH, Part.WEEKDAY);
    private Double mean;
    private Double deviation;

    private DateColumn() {}

    private DateColumn(String column) {
        this.column = column;
    }

    /** The time, the month and the day of the week. */
    public static DateColumn of(String column) {
        return new DateColumn(column);
    }

    public DateColumn parts(Part... choice) {
        DateColumn copy = copy();
        copy.parts = List.of(choice);
        return copy;
    }

    @Override
    Map<String, ColumnType> reads() {
        return Map.of(column, ColumnType.TIME);
    }

    @Override
    Form form() {
        return Form.DENSE;
    }

    @Override
    int width() {
        return parts.stream().mapToInt(part -> part == Part.TIME ? 1 : 2).sum();
    }

    @Override
    boolean isFitted() {
        return mean != null;
    }

    @Override
    void check() {
        require(column != null, "a date needs a 'column'");
        require(
                !parts.isEmpty(),
                "column '" + column + "': 'parts' is empty: expected some of " + Arrays.toString(Part.values()));
    }

    @Override
    ColumnFit newFit() {
        return new Fit();
    }

    private final class Fit implements ColumnFit {
        private final NumberStatistics seconds = new NumberStatistics();

        @Override
        public void add(ColumnValues[] columns, long[] rowNumbers) {
            for (int row = 0; row < rowNumbers.length; row++) {
                seconds.add(columns[0].number(row));
            }
        }

        @Override
        public void merge(ColumnFit other) {
            seconds.merge(((Fit) other).seconds);
        }

        @Override
        public void write(DataOutput out) throws IOException {
            seconds.write(out);
        }

        @Override
        public void merge(DataInput written) throws IOException {
            seconds.merge(written);
        }

        @Override
        public ColumnEncoder fitted() {
            DateColumn copy = copy();
            copy.mean = seconds.mean();
            copy.deviation = seconds.deviation() == 0 ? 1 : seconds.deviation();
            return copy;
        }
    }

    @Override
    Encoding bind() {
        return (columns, rows, out) -> {
            for (int row = 0; row < rows; row++) {
                double seconds = columns[0].number(row);
                if (!Double.isNaN(seconds)) {
                    write(seconds, out.numbers(), out.at(row));
                }
            }
        };
    }

    private void write(double seconds, float[] out, int from) {
        OffsetDateTime time = Instant.ofEpochSecond((long) Math.floor(seconds)).atOffset(ZoneOffset.UTC);
        int at = from;
        for (Part part : parts) {
            if (part == Part.TIME) {
                out[at++] = (float) ((seconds - mean) / deviation);
            } else {
                double angle = 2 * Math.PI * part.of(time) / part.period;
                out[at++] = (float) StrictMath.sin(angle);
                out[at++] = (float) StrictMath.cos(angle);
            }
        }
    }
}
