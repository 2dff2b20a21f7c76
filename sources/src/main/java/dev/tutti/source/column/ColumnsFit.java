package dev.tutti.source.column;

import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.source.combined.RowNumbers;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.ColumnValues;
import dev.tutti.source.table.TableSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Fits columns in one pass over the training part, on several threads whose results merge exactly: what is learned does not depend
 * on their number.
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
        int threads = Math.max(1, Math.min(8, Runtime.getRuntime().availableProcessors()));
        ExecutorService pool = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "tutti-fit");
            thread.setDaemon(true);
            return thread;
        });
        try (BatchReader reader = RowNumbers.open(training, store.rows())) {
            List<Future<Part>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                parts.add(pool.submit(() -> work(reader)));
            }
            Part all = new Part();
            for (Future<Part> part : parts) {
                all.merge(part.get());
            }
            return all.fitted();
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

    private Part work(BatchReader reader) {
        Part part = new Part();
        for (long[] rows = next(reader); rows.length > 0; rows = next(reader)) {
            part.add(rows);
        }
        return part;
    }

    private static long[] next(BatchReader reader) {
        synchronized (reader) {
            return RowNumbers.next(reader);
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

        Columns fitted() {
            return columns.with(
                    fits.stream().map(ColumnFit::fitted).toList(),
                    label == null ? columns.label().orElse(null) : label.fitted());
        }
    }
}
