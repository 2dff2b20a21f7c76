package dev.tutti.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.data.source.TestingSequentialSource;
import dev.tutti.data.transform.SampleFilter;
import dev.tutti.data.transform.Transform;
import dev.tutti.json.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every source and every combination of stages promises; a new one is listed once in {@link #recipes}. */
class DatasetContractTest {
    private static final int ROWS = 53;

    @TempDir
    static Path folder;

    /** How the rows of a recipe come. */
    private enum Order {
        SAME_IN_EVERY_EPOCH,
        SHUFFLED,
        /** Shuffled without random access, so that a cache, which brings it, changes the order. */
        SHUFFLED_IN_BLOCKS
    }

    /** A recipe and the rows each of its epochs must have, or null where a shuffle decides which. */
    private record Recipe(String name, Supplier<Dataset> dataset, List<Long> rows, Order order) {
        boolean shuffled() {
            return order != Order.SAME_IN_EVERY_EPOCH;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Recipe ordered(String name, Supplier<Dataset> dataset, LongStream rows) {
        return new Recipe(name, dataset, rows.boxed().toList(), Order.SAME_IN_EVERY_EPOCH);
    }

    private static Recipe shuffled(String name, Supplier<Dataset> dataset, LongStream rows) {
        return new Recipe(name, dataset, rows == null ? null : rows.boxed().toList(), Order.SHUFFLED);
    }

    private static Recipe inBlocks(String name, Supplier<Dataset> dataset, LongStream rows) {
        return new Recipe(name, dataset, rows == null ? null : rows.boxed().toList(), Order.SHUFFLED_IN_BLOCKS);
    }

    private static LongStream all() {
        return LongStream.range(0, ROWS);
    }

    private static LongStream even() {
        return all().filter(id -> id % 2 == 0);
    }

    private static Dataset arrays() {
        return Numbered.arrays(ROWS);
    }

    private static Dataset sequential() {
        return Dataset.of(new TestingSequentialSource(10, 0, 17, 1, 25));
    }

    private static boolean isEven(Sample sample) {
        return sample.label().longAt(0) % 2 == 0;
    }

    private static Sample noisy(Sample sample, RowRandom random) {
        float[] noise = {random.nextFloat(), (float) random.nextGaussian()};
        return Sample.of(NdArray.of(noise, 2), sample.label());
    }

    private static LongStream evenFrom(int skip) {
        return even().skip(skip);
    }

    static Stream<Recipe> recipes() {
        return Stream.of(
                ordered("arrays", () -> arrays(), all()),
                ordered("idx", () -> Numbered.idxFiles(folder, ROWS, false), all()),
                ordered("idx.gz", () -> Numbered.idxFiles(folder, ROWS, true), all()),
                ordered("sequential", () -> sequential(), all()),
                ordered("map", () -> arrays().map(Transform.scale(2, 1)), all()),
                ordered("random map", () -> arrays().map(3, DatasetContractTest::noisy), all()),
                ordered("filter", () -> arrays().filter(DatasetContractTest::isEven), even()),
                ordered("take", () -> arrays().take(20), LongStream.range(0, 20)),
                ordered("take more than there is", () -> arrays().take(1000), all()),
                ordered("skip", () -> arrays().skip(20), LongStream.range(20, ROWS)),
                ordered("shard", () -> arrays().shard(1, 3), all().filter(id -> id % 3 == 1)),
                ordered("split, first", () -> arrays().split(0.6).first(), LongStream.range(0, 32)),
                ordered("split, second", () -> arrays().split(0.6).second(), LongStream.range(32, ROWS)),
                ordered("repeat", () -> arrays().repeat(2), LongStream.concat(all(), all())),
                ordered("cache", () -> arrays().map(Transform.scale(2, 1)).cache(), all()),
                ordered("cache in a file", () -> arrays().cache(0), all()),
                ordered("cache, half of it in a file", () -> arrays().cache(30 * 280), all()),
                shuffled("shuffle", () -> arrays().shuffle(7), all()),
                shuffled(
                        "idx, shuffle",
                        () -> Numbered.idxFiles(folder, ROWS, false).shuffle(7),
                        all()),
                shuffled("shuffle, map", () -> arrays().shuffle(7).map(Transform.scale(2, 1)), all()),
                shuffled("shuffle, take", () -> arrays().shuffle(7).take(30), null),
                ordered("stripe", () -> arrays().stripe(5, 1, 3), all().filter(id -> id % 5 == 1 || id % 5 == 2)),
                shuffled("shuffle, shard", () -> arrays().shuffle(7).shard(0, 2), null),
                shuffled("take, shuffle", () -> arrays().take(30).shuffle(7), LongStream.range(0, 30)),
                shuffled("shuffle, repeat", () -> arrays().shuffle(7).repeat(2), LongStream.concat(all(), all())),
                shuffled("repeat, shuffle", () -> arrays().repeat(2).shuffle(7), LongStream.concat(all(), all())),
                shuffled(
                        "filter, shuffle",
                        () -> arrays().filter(DatasetContractTest::isEven).shuffle(7),
                        even()),
                shuffled("shuffle, split", () -> arrays().shuffle(7).split(0.6).second(), null),
                shuffled("cache, shuffle", () -> arrays().cache().shuffle(7), all()),
                shuffled("shuffle, cache in a file", () -> arrays().shuffle(7).cache(0), all()),
                shuffled("filter, cache, shuffle", () -> evens().cache().shuffle(7), even()),
                shuffled(
                        "repeat, random map",
                        () -> arrays().repeat(2)
                                .map(3, DatasetContractTest::noisy)
                                .shuffle(1),
                        LongStream.concat(all(), all())),
                ordered("filter, take", () -> evens().take(10), even().limit(10)),
                ordered("filter, skip", () -> evens().skip(10), evenFrom(10)),
                ordered("filter, stripe", () -> evens().stripe(2, 1, 2), all().filter(id -> id % 4 == 2)),
                ordered("filter, shard", () -> evens().shard(1, 2), all().filter(id -> id % 4 == 2)),
                ordered(
                        "filter, repeat",
                        () -> evens().repeat(3),
                        Stream.of(even(), even(), even()).flatMapToLong(ids -> ids)),
                ordered("filter, cache in a file, take", () -> evens().cache(0).take(9), even().limit(9)),
                ordered(
                        "filter, skip, repeat, take",
                        () -> evens().skip(20).repeat(2).take(10),
                        LongStream.concat(evenFrom(20), evenFrom(20)).limit(10)),
                inBlocks("filter, take, shuffle", () -> evens().take(20).shuffle(7, 6), even().limit(20)),
                ordered(
                        "sequential, filter, map",
                        () -> sequential().filter(DatasetContractTest::isEven).map(Transform.cast(DType.FLOAT64)),
                        even()),
                ordered("sequential, shard", () -> sequential().shard(2, 4), all().filter(id -> id % 4 == 2)),
                ordered(
                        "sequential, take, repeat",
                        () -> sequential().take(30).repeat(2),
                        LongStream.concat(LongStream.range(0, 30), LongStream.range(0, 30))),
                ordered("sequential, cache", () -> sequential().cache(), all()),
                inBlocks("sequential, shuffle", () -> sequential().shuffle(7), all()),
                inBlocks(
                        "sequential, shuffle in small blocks",
                        () -> sequential().shuffle(7, 8),
                        all()),
                inBlocks(
                        "sequential, filter, shuffle, map",
                        () -> sequential()
                                .filter(DatasetContractTest::isEven)
                                .shuffle(7, 8)
                                .map(Transform.scale(2, 0)),
                        even()),
                inBlocks(
                        "sequential, shuffle, repeat",
                        () -> sequential().shuffle(7, 8).repeat(2),
                        LongStream.concat(all(), all())),
                inBlocks(
                        "sequential, shuffle, skip, take",
                        () -> sequential().shuffle(7, 8).skip(3).take(30),
                        null),
                shuffled(
                        "sequential, cache, shuffle",
                        () -> sequential().cache(0).shuffle(7),
                        all()),
                shuffled(
                        "mnist",
                        () -> Mnist.test()
                                .filter(SampleFilter.labels(3, 5))
                                .shuffle(1)
                                .take(40),
                        null));
    }

    private static Dataset evens() {
        return arrays().filter(DatasetContractTest::isEven);
    }

    private static Dataset batched(Recipe recipe) {
        return recipe.dataset().get().batch(7);
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void epochHasEachRowOnceInAnOrderOfItsOwn(Recipe recipe) {
        Dataset dataset = batched(recipe);
        List<Long> first = Numbered.ids(dataset, 0);
        List<Long> second = Numbered.ids(dataset, 1);

        assertThat(first).isNotEmpty();
        if (recipe.shuffled()) {
            assertThat(second).isNotEqualTo(first).hasSameSizeAs(first);
            if (recipe.rows() != null) {
                assertThat(first).isNotEqualTo(recipe.rows()).containsExactlyInAnyOrderElementsOf(recipe.rows());
                assertThat(second).containsExactlyInAnyOrderElementsOf(recipe.rows());
            }
        } else {
            assertThat(first).isEqualTo(recipe.rows());
            assertThat(second).isEqualTo(first);
        }
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void readingAgainGivesTheSameBatches(Recipe recipe) {
        Dataset dataset = batched(recipe);
        List<Batch> batches = Numbered.epoch(dataset, 1);

        assertThat(Numbered.epoch(dataset, 1)).isEqualTo(batches);
        assertThat(Numbered.epoch(batched(recipe), 1)).isEqualTo(batches);
        assertThat(batches.subList(0, batches.size() - 1)).allMatch(batch -> batch.size() == 7);
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void resumesAtEveryBatch(Recipe recipe) {
        Dataset dataset = batched(recipe);
        List<Batch> batches = Numbered.epoch(dataset, 1);
        try (BatchReader reader = dataset.open(1)) {
            for (int done = 0; done <= batches.size(); done++) {
                Position here = Json.read(Json.write(reader.position()), Position.class, "position");
                assertThat(here).isEqualTo(reader.position());
                assertThat(here.rows())
                        .isEqualTo(batches.subList(0, done).stream()
                                .mapToLong(Batch::size)
                                .sum());
                try (BatchReader resumed = batched(recipe).open(1, here)) {
                    assertThat(Numbered.rest(resumed))
                            .as("from batch %s", done)
                            .isEqualTo(batches.subList(done, batches.size()));
                }
                reader.next();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void chunksHoldEachRowOnce(Recipe recipe) {
        Dataset dataset = batched(recipe).prefetch(1);
        List<Long> rows = new ArrayList<>();
        for (Chunk chunk : dataset.chunks(1, 10)) {
            Chunk shipped = Json.read(Json.write(chunk), Chunk.class, "chunk");
            try (BatchReader reader = batched(recipe).open(1, shipped)) {
                Optional<Batch> first = reader.next();
                if (first.isEmpty()) {
                    continue;
                }
                rows.addAll(Numbered.ids(List.of(first.get())));
                try (BatchReader resumed = dataset.open(1, reader.position())) {
                    rows.addAll(Numbered.ids(Numbered.rest(resumed)));
                }
            }
        }
        assertThat(rows).containsExactlyInAnyOrderElementsOf(Numbered.ids(dataset, 1));
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void readersDoNotDisturbEachOther(Recipe recipe) {
        Dataset dataset = batched(recipe);
        List<Batch> expected = Numbered.epoch(batched(recipe), 0);
        List<Batch> one = new ArrayList<>();
        List<Batch> two = new ArrayList<>();
        try (BatchReader abandoned = dataset.open(0)) {
            abandoned.next();
        }
        try (BatchReader first = dataset.open(0);
                BatchReader second = dataset.open(0)) {
            for (Optional<Batch> batch = first.next(); batch.isPresent(); batch = first.next()) {
                one.add(batch.get());
                two.add(second.next().orElseThrow());
            }
        }
        assertThat(one).isEqualTo(expected);
        assertThat(two).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void prefetchGivesTheSameBatchesAndPlaces(Recipe recipe) {
        try (BatchReader plain = batched(recipe).open(1);
                BatchReader ahead = batched(recipe).prefetch(3).open(1)) {
            Optional<Batch> expected;
            do {
                assertThat(ahead.position()).isEqualTo(plain.position());
                expected = plain.next();
                assertThat(ahead.next()).isEqualTo(expected);
            } while (expected.isPresent());
        }
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void cacheGivesTheSameRows(Recipe recipe) {
        Dataset cached = batched(recipe).cache(2000);
        for (int epoch = 0; epoch < 3; epoch++) {
            List<Batch> plain = Numbered.epoch(batched(recipe), epoch);
            if (recipe.order() == Order.SHUFFLED_IN_BLOCKS) {
                assertThat(Numbered.ids(cached, epoch)).hasSameSizeAs(Numbered.ids(plain));
            } else {
                assertThat(Numbered.epoch(cached, epoch)).isEqualTo(plain);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void shardsAndSidesOfASplitHoldEachRowOnce(Recipe recipe) {
        List<Long> rows = Numbered.ids(batched(recipe), 2);
        List<Long> shards = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            shards.addAll(Numbered.ids(batched(recipe).shard(i, 4), 2));
        }
        assertThat(shards).containsExactlyInAnyOrderElementsOf(rows);

        Split split = batched(recipe).split(0.75);
        List<Long> first = Numbered.ids(split.first(), 2);
        List<Long> second = Numbered.ids(split.second(), 2);
        assertThat(first.size()).isBetween((int) (0.75 * rows.size()) - 1, (int) (0.75 * rows.size()) + 1);
        assertThat(first.size() + second.size()).isEqualTo(rows.size());
        assertThat(Numbered.ids(split.first(), 0)).containsExactlyInAnyOrderElementsOf(first);
        assertThat(Numbered.ids(split.second(), 1)).containsExactlyInAnyOrderElementsOf(second);
        if (recipe.rows() != null) {
            List<Long> both = new ArrayList<>(first);
            both.addAll(second);
            assertThat(both).containsExactlyInAnyOrderElementsOf(recipe.rows());
        }
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void sizeIsTheNumberOfRowsWhereItIsKnown(Recipe recipe) {
        Dataset dataset = batched(recipe);
        List<Batch> batches = Numbered.epoch(dataset, 0);
        dataset.batches().ifPresent(count -> assertThat(batches).hasSize((int) count));
        dataset.size().ifPresent(size -> assertThat(Numbered.ids(batches)).hasSize((int) size));
        assertThat(dataset.spec().feature().shape())
                .isEqualTo(batches.get(0).feature().shape().from(1));
        assertThat(dataset.describe()).contains("features [");
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void closedReaderSaysSoAndTheDatasetLivesOn(Recipe recipe) {
        Dataset dataset = batched(recipe);
        BatchReader reader = dataset.open(0);
        Batch first = reader.next().orElseThrow();
        reader.close();
        reader.close();

        assertThatThrownBy(reader::next)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        try (BatchReader again = dataset.open(0)) {
            assertThat(again.next()).contains(first);
        }
    }
}
