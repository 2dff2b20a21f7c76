package dev.tutti.data.source;

import dev.tutti.array.NdArray;
import dev.tutti.data.Sample;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Rows that can only be read from front to back, in parts of different lengths, as of files; counts what is still
 * open.
 */
public final class TestingSequentialSource implements Source {
    private final int[] parts;
    private int open;

    public TestingSequentialSource(int... parts) {
        this.parts = parts;
    }

    public int stillOpen() {
        return open;
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.empty();
    }

    @Override
    public Rows open() {
        open++;
        return new SequentialRows() {
            @Override
            public int parts() {
                return parts.length;
            }

            @Override
            public Cursor read(int part, long skip) {
                return new PartCursor(part, skip);
            }

            @Override
            public void close() {
                open--;
            }
        };
    }

    private final class PartCursor implements Cursor {
        private final int end;
        private int next;

        PartCursor(int part, long skip) {
            int start = 0;
            for (int i = 0; i < part; i++) {
                start += parts[i];
            }
            this.next = start + (int) skip;
            this.end = start + parts[part];
            open++;
        }

        @Override
        public Optional<Sample> next() {
            if (next >= end) {
                return Optional.empty();
            }
            int id = next++;
            return Optional.of(Sample.of(NdArray.of(new float[] {id, 2 * id}, 2), NdArray.of(new long[] {id})));
        }

        @Override
        public void close() {
            open--;
        }
    }

    @Override
    public String toString() {
        return "testingSequential";
    }
}
