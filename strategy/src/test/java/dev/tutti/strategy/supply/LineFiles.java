package dev.tutti.strategy.supply;

import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import dev.tutti.data.source.Source;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/** Rows as lines of text files, one file for each part, which can only be read from front to back; counts what is parsed. */
final class LineFiles implements Source {
    private final List<Path> files;
    private final Map<Integer, Integer> parsed = new ConcurrentHashMap<>();

    /** Writes files with so many rows each, numbered through: the number of the row, and a feature of it. */
    LineFiles(Path folder, int... rows) {
        files = new ArrayList<>();
        int id = 0;
        for (int part = 0; part < rows.length; part++) {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < rows[part]; i++, id++) {
                lines.add(id + "," + Math.sin(id));
            }
            Path file = folder.resolve("part-" + part + ".csv");
            try {
                files.add(Files.write(file, lines));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** How often each row was parsed. */
    Map<Integer, Integer> parsed() {
        return parsed;
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.empty();
    }

    @Override
    public Rows open() {
        return new SequentialRows() {
            @Override
            public int parts() {
                return files.size();
            }

            @Override
            public Cursor read(int part, long skip) {
                return cursor(part, skip);
            }
        };
    }

    /** The rows of a part. */
    Cursor cursor(int part, long skip) {
        try {
            BufferedReader lines = Files.newBufferedReader(files.get(part));
            for (long i = 0; i < skip; i++) {
                lines.readLine();
            }
            return new LineCursor(lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class LineCursor implements Cursor {
        private final BufferedReader lines;

        LineCursor(BufferedReader lines) {
            this.lines = lines;
        }

        @Override
        public Optional<Sample> next() {
            try {
                return Optional.ofNullable(lines.readLine()).map(LineFiles.this::parse);
            } catch (IOException e) {
                throw new DataException("a line cannot be read: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() {
            try {
                lines.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Sample parse(String line) {
        String[] fields = line.split(",");
        int id = Integer.parseInt(fields[0]);
        parsed.merge(id, 1, Integer::sum);
        float feature = Float.parseFloat(fields[1]);
        return Sample.of(NdArray.of(new float[] {feature, 1}, 2), NdArray.of(new float[] {id}, 1));
    }

    @Override
    public String toString() {
        return "lines of " + files.size() + " files";
    }
}
