package dev.tutti.source.column;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.source.combined.RowNumbers;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.ColumnValues;
import dev.tutti.source.table.TableSource;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Fits columns in one pass over the training part, on several threads of several members whose results merge exactly: what is
 * learned does not depend on their number.
 */
final class ColumnsFit {
    private final Columns columns;
    private final boolean growing;
    private final ColumnStore store;

    /** @param growing whether only vocabularies learn, and keep what they have */
    ColumnsFit(Columns columns, TableSource table, boolean growing) {
        this.columns = columns;
        this.growing = growing;
        TableSource reading = EncodedSource.reading(table, columns);
        columns.label().ifPresent(label -> {
            if (!reading.schema().has(label.column())) {
                throw new DataException(table + " has no column '" + label.column() + "', which is the label; it has "
                        + String.join(", ", table.schema().names()));
            }
        });
        this.store = reading.load().store();
    }

    /** The columns with what the rows of the dataset show. */
    Columns over(Dataset training) {
        return part(training, 0, 1).fitted();
    }

    /** The same, each member of a group with its share of the rows; all call it with the same dataset and get the same. */
    Columns over(Dataset training, Collectives members) {
        int rank = members.group().rank();
        byte[] mine = written(() -> part(training, rank, members.group().size()));
        long[][] lengths = members.gatherLongs("columns: lengths", mine.length);
        Part all = new Part();
        for (int from = 0; from < lengths.length; from++) {
            try (Scope scope = Scope.open()) {
                Tensor bytes = from == rank
                        ? Tensor.of(NdArray.of(mine, mine.length))
                        : Tensor.zeros(Shape.of(lengths[from][0]), DType.UINT8);
                members.broadcast("columns: statistics of " + from, bytes, from);
                all.merge(from == rank ? mine : bytes.toArray().bytes(), from);
            }
        }
        return all.fitted();
    }

    /** What a part has shown, or why it could not be read: then all members fail alike, and none waits for this one. */
    private static byte[] written(Supplier<Part> part) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            try {
                Part read = part.get();
                out.writeBoolean(true);
                read.write(out);
            } catch (TuttiException e) {
                bytes.reset();
                out.writeBoolean(false);
                out.write(String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8));
            }
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What every so-manieth block of rows shows. */
    private Part part(Dataset training, int number, int parts) {
        AtomicLong block = new AtomicLong();
        int threads = Math.max(1, Math.min(8, Runtime.getRuntime().availableProcessors()));
        ExecutorService pool = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "tutti-fit");
            thread.setDaemon(true);
            return thread;
        });
        try (BatchReader reader = RowNumbers.open(training, store.rows())) {
            List<Future<Part>> threadParts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                threadParts.add(pool.submit(() -> work(reader, block, number, parts)));
            }
            Part all = new Part();
            for (Future<Part> part : threadParts) {
                all.merge(part.get());
            }
            return all;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DataException("interrupted while the columns were being fitted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private Part work(BatchReader reader, AtomicLong block, int number, int parts) {
        Part part = new Part();
        while (true) {
            long[] rows;
            boolean mine;
            synchronized (reader) {
                rows = RowNumbers.next(reader);
                mine = block.getAndIncrement() % parts == number;
            }
            if (rows.length == 0) {
                return part;
            }
            if (mine) {
                part.add(rows);
            }
        }
    }

    /** What some of the rows have shown. */
    private final class Part {
        private final List<ColumnFit> fits = columns.inputs().stream()
                .map(input -> growing && !input.grows() ? ColumnFit.nothing(input) : input.newFit())
                .toList();
        private final LabelColumn.LabelFit label = columns.label()
                .filter(known -> !known.isFitted())
                .map(LabelColumn::newFit)
                .orElse(null);

        void add(long[] rows) {
            for (int i = 0; i < fits.size(); i++) {
                ColumnValues[] values = columns.inputs().get(i).reads().keySet().stream()
                        .map(name -> store.gather(store.schema().indexOf(name), rows))
                        .toArray(ColumnValues[]::new);
                fits.get(i).add(values, rows);
            }
            if (label != null) {
                String name = columns.label().orElseThrow().column();
                label.add(store.gather(store.schema().indexOf(name), rows), rows.length);
            }
        }

        void merge(Part other) {
            for (int i = 0; i < fits.size(); i++) {
                fits.get(i).merge(other.fits.get(i));
            }
            if (label != null) {
                label.merge(other.label);
            }
        }

        void write(DataOutputStream out) throws IOException {
            for (ColumnFit fit : fits) {
                fit.write(out);
            }
            if (label != null) {
                label.write(out);
            }
        }

        void merge(byte[] written, int member) {
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(written))) {
                if (!in.readBoolean()) {
                    throw new DataException("member " + member + " cannot fit the columns to its part of the rows: "
                            + new String(in.readAllBytes(), StandardCharsets.UTF_8));
                }
                for (ColumnFit fit : fits) {
                    fit.merge(in);
                }
                if (label != null) {
                    label.merge(in);
                }
            } catch (IOException e) {
                throw new DataException(
                        "member " + member + " has sent statistics of other columns: all members must fit the same", e);
            }
        }

        Columns fitted() {
            return columns.with(
                    fits.stream().map(ColumnFit::fitted).toList(),
                    label == null ? columns.label().orElse(null) : label.fitted());
        }
    }
}
