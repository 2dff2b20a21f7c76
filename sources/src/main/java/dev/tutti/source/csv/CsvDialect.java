package dev.tutti.source.csv;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * How a file of comma-separated values is written, where its first lines leave no doubt about it: simple names on the first line, the
 * same number of values on every line, no quotes among the first lines.
 *
 * @param delimiter what stands between values
 * @param names the columns in the order of the file
 */
public record CsvDialect(byte delimiter, List<String> names) {
    private static final int LOOKED_AT = 1 << 16;
    private static final List<String> DELIMITERS = List.of(",", ";", "\t", "|");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*");
    private static final Pattern NUMBER = Pattern.compile(" *-?\\d+(\\.\\d+)? *");

    public CsvDialect {
        names = List.copyOf(names);
    }

    /**
     * Looks at the beginning of a file; empty if there is a doubt.
     *
     * @param delimiter what is known to stand between values; null if that is not known
     */
    public static Optional<CsvDialect> of(Path file, String delimiter) throws IOException {
        byte[] beginning;
        try (InputStream in = Files.newInputStream(file)) {
            beginning = in.readNBytes(LOOKED_AT);
        }
        String text = new String(beginning, StandardCharsets.ISO_8859_1).replace("\r\n", "\n");
        int end = text.lastIndexOf('\n');
        if (end < 0 || text.indexOf('"') >= 0 || text.indexOf('\r') >= 0 || text.indexOf('\'') >= 0) {
            return Optional.empty();
        }
        List<String> lines = List.of(text.substring(0, end).split("\n", -1));
        List<CsvDialect> possible = new ArrayList<>();
        for (String candidate : DELIMITERS) {
            if (lines.stream()
                                    .mapToLong(line -> count(line, candidate))
                                    .distinct()
                                    .count()
                            == 1
                    && count(lines.get(0), candidate) > 0) {
                possible.add(new CsvDialect((byte) candidate.charAt(0), List.of(split(lines.get(0), candidate))));
            }
        }
        return possible.size() == 1 && possible.get(0).isCertain(lines, delimiter)
                ? Optional.of(possible.get(0))
                : Optional.empty();
    }

    private static long count(String line, String delimiter) {
        long count = 0;
        for (int at = line.indexOf(delimiter); at >= 0; at = line.indexOf(delimiter, at + 1)) {
            count++;
        }
        return count;
    }

    private static String[] split(String line, String delimiter) {
        return line.split(Pattern.quote(delimiter), -1);
    }

    /** The first line holds names if they look like names, and some column holds numbers below its name. */
    private boolean isCertain(List<String> lines, String known) {
        String between = String.valueOf((char) delimiter);
        List<String[]> rows =
                lines.stream().skip(1).map(line -> split(line, between)).toList();
        return (known == null || known.equals(between))
                && !rows.isEmpty()
                && names.stream().allMatch(name -> NAME.matcher(name).matches())
                && names.stream()
                                .map(name -> name.toLowerCase(Locale.ROOT))
                                .distinct()
                                .count()
                        == names.size()
                && lines.stream().noneMatch(line -> line.startsWith("#"))
                && IntStream.range(0, names.size())
                        .anyMatch(i -> rows.stream()
                                .allMatch(row -> NUMBER.matcher(row[i]).matches()));
    }
}
