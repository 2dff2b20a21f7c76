package dev.tutti.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.io.TestingEventReader.Event;
import dev.tutti.io.TestingEventReader.Value;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventWriterTest {
    private static final Clock NOON = Clock.fixed(Instant.ofEpochMilli(1_700_000_000_250L), ZoneOffset.UTC);

    @TempDir
    Path folder;

    @Test
    void whatIsWrittenCanBeReadAtOnce() throws IOException {
        try (EventWriter writer = EventWriter.open(folder.resolve("logs/run"), NOON)) {
            assertThat(writer.file().getFileName().toString()).startsWith("events.out.tfevents.1700000000.");
            writer.scalar("train/loss", 1, 0.5);
            writer.scalar("größe", 5_000_000_000L, Double.NaN);
            writer.text("notes", 3, "*warm*");
            List<Event> events = TestingEventReader.read(writer.file());
            assertThat(events)
                    .containsExactly(
                            new Event(1_700_000_000.25, 0, "brain.Event:2", List.of()),
                            event(1, new Value("train/loss", 0.5f, null, null)),
                            event(5_000_000_000L, new Value("größe", Float.NaN, null, null)),
                            event(3, new Value("notes", null, null, "*warm*")));
        }
    }

    @Test
    void aHistogramCountsEveryFiniteNumberOnce() throws IOException {
        float[] values = new float[10_000];
        Random random = new Random(2);
        double sum = 0;
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
            sum += values[i];
        }
        float[] withBroken = Arrays.copyOf(values, values.length + 2);
        withBroken[values.length] = Float.NaN;
        withBroken[values.length + 1] = Float.POSITIVE_INFINITY;
        Histogram histogram = written(NdArray.of(withBroken, withBroken.length)).get(0);
        assertThat(histogram.count()).isEqualTo(values.length);
        assertThat(histogram.sum()).isEqualTo(sum);
        assertThat(histogram.limits()).hasSize(30).isSorted();
        assertThat(histogram.limits()[29]).isEqualTo(histogram.max());
        assertThat(Arrays.stream(histogram.counts()).sum()).isEqualTo(values.length);
        double width = (histogram.max() - histogram.min()) / 30;
        for (int bucket = 0; bucket < 30; bucket++) {
            double from = histogram.min() + bucket * width;
            int expected = 0;
            for (float value : values) {
                expected += value >= from && (value < from + width || bucket == 29) ? 1 : 0;
            }
            assertThat(histogram.counts()[bucket]).isEqualTo(expected);
        }
    }

    @Test
    void oddHistogramsAreWrittenToo() throws IOException {
        Histogram equal = written(NdArray.of(new double[] {3, 3, 3}, 3)).get(0);
        assertThat(equal.limits()).containsExactly(3);
        assertThat(equal.counts()).containsExactly(3);
        assertThat(written(NdArray.of(new float[] {Float.NaN}, 1))).isEmpty();
        assertThat(written(NdArray.of(new long[0], 0))).isEmpty();
        assertThat(written(NdArray.of(new byte[] {0, -1}, 2)).get(0).max()).isEqualTo(255);
    }

    @Test
    void threadsDoNotCutIntoEachOther() throws Exception {
        int threads = 4;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (EventWriter writer = EventWriter.open(folder)) {
            List<Future<?>> done = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                String tag = "thread" + t;
                done.add(pool.submit(() -> {
                    for (int step = 0; step < 500; step++) {
                        writer.scalar(tag, step, step);
                    }
                }));
            }
            for (Future<?> one : done) {
                one.get();
            }
            List<Event> events = TestingEventReader.read(writer.file());
            assertThat(events).hasSize(1 + threads * 500);
            for (int t = 0; t < threads; t++) {
                String tag = "thread" + t;
                assertThat(events.stream()
                                .filter(e -> !e.values().isEmpty()
                                        && e.values().get(0).tag().equals(tag)))
                        .extracting(Event::step)
                        .isSorted()
                        .hasSize(500);
            }
        } finally {
            pool.shutdown();
        }
    }

    @Test
    void eachWriterHasItsOwnFileAndClosesForGood() {
        EventWriter first = EventWriter.open(folder, NOON);
        EventWriter second = EventWriter.open(folder, NOON);
        assertThat(first.file()).isNotEqualTo(second.file());
        second.flush();
        second.close();
        first.close();
        first.close();
        assertThatThrownBy(() -> first.scalar("loss", 1, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void aFolderThatCannotBeMadeIsNamed() {
        AtomicFile.write(folder.resolve("file"), "");
        assertThatThrownBy(() -> EventWriter.open(folder.resolve("file")))
                .isInstanceOf(FileException.class)
                .hasMessageStartingWith(folder.resolve("file").toString())
                .hasMessageContaining("cannot be written");
    }

    /** Made by src/test/golden/events_golden.py: what reads our files reads those of others too. */
    @Test
    void theReaderOfThisTestReadsWhatPythonWrote() throws IOException {
        List<Event> events;
        try (InputStream in = EventWriterTest.class.getResourceAsStream("python.tfevents")) {
            events = TestingEventReader.read(in.readAllBytes());
        }
        assertThat(events.get(0).fileVersion()).isEqualTo("brain.Event:2");
        assertThat(events.subList(1, 4))
                .containsExactly(
                        new Event(1000.5, 0, null, List.of(new Value("train/loss", 1f, null, null))),
                        new Event(1001.5, 1, null, List.of(new Value("train/loss", 0.5f, null, null))),
                        new Event(1002.5, 2, null, List.of(new Value("train/loss", 1 / 3f, null, null))));
        Histogram histogram = events.get(4).values().get(0).histogram();
        assertThat(histogram.count()).isEqualTo(100);
        assertThat(histogram.max()).isEqualTo(0.99f);
        assertThat(Arrays.stream(histogram.counts()).sum()).isEqualTo(100);
    }

    private List<Histogram> written(NdArray values) throws IOException {
        try (EventWriter writer = EventWriter.open(folder)) {
            writer.histogram("weights", 7, values);
            return TestingEventReader.read(writer.file()).stream()
                    .flatMap(event -> event.values().stream())
                    .map(Value::histogram)
                    .toList();
        }
    }

    private static Event event(long step, Value value) {
        return new Event(1_700_000_000.25, step, null, List.of(value));
    }
}
