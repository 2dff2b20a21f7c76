package dev.tutti.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Chunk;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.data.Sample;
import dev.tutti.data.source.Source;
import dev.tutti.json.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every source promises; a new one is listed once in {@link SourceCases}. */
class SourceContractTest {
    private static final List<Long> ALL =
            LongStream.range(0, SourceCase.ROWS).boxed().toList();

    @TempDir
    Path folder;

    static Stream<SourceCase> cases() {
        return SourceCases.all();
    }

    private Dataset dataset(SourceCase source) {
        return Dataset.of(source.make().apply(folder)).batch(64);
    }

    private static List<Long> ids(SourceCase source, Batch batch) {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            ids.add(source.id().applyAsLong(batch.feature().row(i)));
        }
        return ids;
    }

    private static List<Long> rest(SourceCase source, BatchReader reader) {
        List<Long> ids = new ArrayList<>();
        for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
            Batch batch = next.get();
            ids.addAll(ids(source, batch));
        }
        return ids;
    }

    private static List<Long> epoch(SourceCase source, Dataset data, int epoch) {
        try (BatchReader reader = data.open(epoch)) {
            return rest(source, reader);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyRowComesOnceAndInTheSameOrderForTheSameSeed(SourceCase source) {
        Dataset data = dataset(source);
        assertThat(data.size()).hasValue(SourceCase.ROWS);
        List<Long> plain = epoch(source, data, 0);
        assertThat(plain).containsExactlyInAnyOrderElementsOf(ALL);
        assertThat(epoch(source, data, 1)).isEqualTo(plain);
        Dataset shuffled = data.shuffle(7);
        List<Long> mixed = epoch(source, shuffled, 0);
        assertThat(mixed).containsExactlyInAnyOrderElementsOf(ALL).isNotEqualTo(plain);
        assertThat(epoch(source, dataset(source).shuffle(7), 0)).isEqualTo(mixed);
        assertThat(epoch(source, shuffled, 1)).isNotEqualTo(mixed).containsExactlyInAnyOrderElementsOf(ALL);
        assertThat(epoch(source, data.shuffle(8), 0)).isNotEqualTo(mixed);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void chunksAreOfEqualSizeAndReadBySeveralWorkersGiveEachRowOnce(SourceCase source) throws InterruptedException {
        Dataset data = dataset(source).shuffle(3);
        List<Chunk> chunks = data.chunks(0, 100);
        assertThat(chunks).hasSize((SourceCase.ROWS + 99) / 100);
        assertThat(chunks.subList(0, chunks.size() - 1)).allMatch(chunk -> chunk.to() - chunk.from() == 100);
        ConcurrentLinkedQueue<Chunk> open = new ConcurrentLinkedQueue<>(chunks);
        ConcurrentLinkedQueue<Long> seen = new ConcurrentLinkedQueue<>();
        var workers = Executors.newFixedThreadPool(3);
        for (int i = 0; i < 3; i++) {
            workers.execute(() -> {
                for (Chunk chunk = open.poll(); chunk != null; chunk = open.poll()) {
                    try (BatchReader reader = data.open(0, chunk)) {
                        seen.addAll(rest(source, reader));
                    }
                }
            });
        }
        workers.shutdown();
        assertThat(workers.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(seen).containsExactlyInAnyOrderElementsOf(ALL);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void readingGoesOnInTheMiddleOfAnEpoch(SourceCase source) {
        Dataset data = dataset(source).shuffle(5);
        List<Long> whole = epoch(source, data, 2);
        List<Long> ids = new ArrayList<>();
        Position position;
        try (BatchReader reader = data.open(2)) {
            for (int i = 0; i < 7; i++) {
                ids.addAll(ids(source, reader.next().orElseThrow()));
            }
            position = Json.read(Json.write(reader.position()), Position.class, "position");
        }
        try (BatchReader reader = dataset(source).shuffle(5).open(2, position)) {
            ids.addAll(rest(source, reader));
        }
        assertThat(ids).isEqualTo(whole);
        Position elsewhere =
                new Position(2, position.chunk(), position.rows(), position.counters(), "3 rows of other data");
        assertThatThrownBy(() -> data.open(2, elsewhere))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("the data has changed")
                .hasMessageContaining("3 rows of other data");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void batchesAreWhatSingleRowsStackedWouldBe(SourceCase source) {
        Source made = source.make().apply(folder);
        try (Source.Rows rows = made.open();
                BatchReader reader = Dataset.of(made).batch(10).open(0)) {
            Source.RandomRows random = (Source.RandomRows) rows;
            assertThat(random.size()).isEqualTo(SourceCase.ROWS);
            Batch batch = reader.next().orElseThrow();
            for (int i = 0; i < 10; i++) {
                Sample sample = random.row(i);
                for (int f = 0; f < batch.features().size(); f++) {
                    assertThat(batch.features(f).row(i))
                            .isEqualTo(sample.features().get(f));
                }
                for (int f = 0; f < batch.labels().size(); f++) {
                    assertThat(batch.labels(f).row(i)).isEqualTo(sample.labels().get(f));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void definitionsCanBeShipped(SourceCase source) {
        Dataset data = dataset(source).take(100);
        Dataset shipped = Json.read(Json.write(data), Dataset.class, "shipped");
        assertThat(epoch(source, shipped, 0)).isEqualTo(epoch(source, data, 0));
        assertThat(shipped.source().fingerprint())
                .isEqualTo(data.source().fingerprint())
                .isNotEmpty();
    }
}
