package dev.tutti.serve.tensor;

import dev.tutti.array.NdArray;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.TensorSpec;

/** Reads rows of numbers from CSV: one row to a line, commas between them; a first line of words is a header. */
public final class CsvRows {
    private CsvRows() {}

    /** @throws ServeException if a line has another number of columns, or holds something else than numbers */
    public static NdArray read(String text, TensorSpec input) {
        NumberBuffer numbers = new NumberBuffer();
        int columns = -1;
        int rows = 0;
        int number = 0;
        for (String line : (Iterable<String>) text.lines()::iterator) {
            number++;
            if (line.isBlank()) {
                continue;
            }
            String[] cells = line.split(",", -1);
            if (number == 1 && !isNumber(cells[0])) {
                columns = cells.length;
                continue;
            }
            if (columns >= 0 && cells.length != columns) {
                throw ServeException.invalid(
                        "line " + number + ": expected " + columns + " columns, received " + cells.length);
            }
            columns = cells.length;
            for (int i = 0; i < cells.length; i++) {
                numbers.add(number(cells[i].strip(), number, i + 1));
            }
            rows++;
        }
        if (rows == 0) {
            throw ServeException.invalid("the CSV text holds no rows: expected numbers with commas between them");
        }
        return numbers.toArray(input.type(), RowShape.ofFlat(input, rows, columns));
    }

    private static boolean isNumber(String cell) {
        try {
            Double.parseDouble(cell.strip());
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static double number(String cell, int line, int column) {
        try {
            return Double.parseDouble(cell);
        } catch (NumberFormatException e) {
            throw ServeException.invalid("line " + line + ", column " + column + ": expected a number, received '"
                    + (cell.length() > 32 ? cell.substring(0, 32) + "..." : cell) + "'");
        }
    }
}
