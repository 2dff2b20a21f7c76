package dev.tutti.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.data.source.TestingSequentialSource;
import dev.tutti.data.transform.RandomTransform;
import dev.tutti.data.transform.SampleFilter;
import dev.tutti.data.transform.Transform;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DatasetTest {
    /** A transform of a user's own. */
    static final class Negate implements Transform {
        @Override
        public Sample apply(Sample sample) {
            return Transform.scale(-1, 0).apply(sample);
        }
    }

    @Test
    void batchStacksRowsAndTheLastOneMayBeSmaller() {
        List<Batch> batches = Numbered.epoch(Numbered.arrays(5).batch(3), 0);

        assertThat(batches).hasSize(2);
        assertThat(batches.get(0).feature()).isEqualTo(NdArray.of(new float[] {0, 0, 1, 2, 2, 4}, 3, 2));
        assertThat(batches.get(0).label()).isEqualTo(NdArray.of(new long[] {0, 1, 2}, 3));
        assertThat(batches.get(1).size()).isEqualTo(2);
        assertThat(batches.get(1).feature().shape().dim(0)).isEqualTo(2);
    }

    @Test
    void dropLastLeavesOutWhatIsNotFull() {
        Dataset dataset = Numbered.arrays(11).batch(4).dropLast();
        assertThat(Numbered.ids(dataset, 0))
                .containsExactlyElementsOf(LongStream.range(0, 8).boxed().toList());
        assertThat(dataset.batches()).hasValue(2);
        assertThat(Numbered.epoch(Numbered.arrays(8).batch(4).dropLast(), 0)).hasSize(2);
        assertThat(Numbered.epoch(Numbered.arrays(3).batch(4).dropLast(), 0)).isEmpty();
    }

    @Test
    void mapAndFilterSeeSamplesWhereverBatchIsCalled() {
        Dataset early = Numbered.arrays(20)
                .batch(4)
                .filter(sample -> sample.label().longAt(0) > 9)
                .map(Transform.scale(2, 0));
        Dataset late = Numbered.arrays(20)
                .filter(sample -> sample.label().longAt(0) > 9)
                .map(Transform.scale(2, 0))
                .batch(4);
        assertThat(Numbered.epoch(early, 0)).isEqualTo(Numbered.epoch(late, 0)).hasSize(3);
    }

    @Test
    void rowsMayHaveSeveralFeaturesAndNoLabel() {
        NdArray one = NdArray.of(new float[] {1, 2}, 2);
        NdArray two = NdArray.of(new long[] {1, 2, 3, 4}, 2, 2);
        Batch batch = Numbered.epoch(Dataset.of(List.of(one, two), List.of()).batch(2), 0)
                .get(0);

        assertThat(batch.features()).containsExactly(one, two);
        assertThatThrownBy(batch::label)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this batch has no labels");
        assertThat(Dataset.of(one).spec()).hasToString("features [float32[]], labels []");
    }

    @Test
    void anotherSeedIsAnotherOrder() {
        assertThat(Numbered.ids(Numbered.arrays(100).shuffle(1), 0))
                .isNotEqualTo(Numbered.ids(Numbered.arrays(100).shuffle(2), 0));
    }

    @Test
    void lastShuffleCounts() {
        Dataset once = Numbered.arrays(50).map(Transform.flatten()).shuffle(2);
        Dataset twice = Numbered.arrays(50).shuffle(1).map(Transform.flatten()).shuffle(2);
        assertThat(twice).hasToString(once.toString());
    }

    @Test
    void splitOfAShuffledDatasetMixesOnceAndNeverLeaks() {
        Split split = Numbered.arrays(200).shuffle(7).split(0.8);
        Set<Long> train = new HashSet<>();
        Set<Long> test = new HashSet<>();
        for (int epoch = 0; epoch < 4; epoch++) {
            train.addAll(Numbered.ids(split.first(), epoch));
            test.addAll(Numbered.ids(split.second().shuffle(7), epoch));
        }
        assertThat(train).hasSize(160).doesNotContainAnyElementsOf(test);
        assertThat(test).hasSize(40);
        assertThat(train)
                .isNotEqualTo(new HashSet<>(LongStream.range(0, 160).boxed().toList()));
        assertThat(Numbered.ids(split.first(), 0)).isNotEqualTo(Numbered.ids(split.first(), 1));
    }

    @Test
    void repeatIsSeveralEpochsInOne() {
        Dataset dataset = Numbered.arrays(30).shuffle(7);
        List<Long> both = new ArrayList<>(Numbered.ids(dataset, 2));
        both.addAll(Numbered.ids(dataset, 3));
        assertThat(Numbered.ids(dataset.repeat(2), 1)).isEqualTo(both);
    }

    @Test
    void randomMapFollowsTheRowNotItsPlace() {
        RandomTransform noise =
                (sample, random) -> Sample.of(NdArray.of(new double[] {random.nextDouble()}, 1), sample.label());
        Dataset before = Numbered.arrays(20).map(5, noise).shuffle(7);
        Dataset after = Numbered.arrays(20).shuffle(7).map(5, noise);
        Dataset twice = Numbered.arrays(20).repeat(2).map(5, noise).batch(20);

        assertThat(Numbered.epoch(before, 1)).isEqualTo(Numbered.epoch(after, 1));
        assertThat(Numbered.epoch(before, 0)).doesNotContainAnyElementsOf(Numbered.epoch(before, 1));
        assertThat(Numbered.epoch(twice, 0).get(0))
                .isNotEqualTo(Numbered.epoch(twice, 0).get(1));
    }

    @Test
    void chunksAreRangesOfTheEpochsOrder() {
        Dataset dataset = Numbered.arrays(25).shuffle(7).batch(5);
        List<Long> rows = new ArrayList<>();
        List<Chunk> chunks = dataset.chunks(3, 10);
        for (Chunk chunk : chunks) {
            try (BatchReader reader = dataset.open(3, chunk)) {
                rows.addAll(Numbered.ids(Numbered.rest(reader)));
            }
        }
        assertThat(chunks).containsExactly(new Chunk(0, 0, 10), new Chunk(1, 10, 20), new Chunk(2, 20, 25));
        assertThat(rows).isEqualTo(Numbered.ids(dataset, 3));
    }

    @Test
    void epochIsOneChunkWhereRowsAreCountedBehindAFilter() {
        Dataset filtered = Numbered.arrays(40).filter(sample -> sample.label().longAt(0) % 2 == 0);
        assertThat(filtered.chunks(0, 10)).hasSize(4);
        assertThat(filtered.take(15).chunks(0, 10)).containsExactly(new Chunk(0, 0, 40));
        assertThat(filtered.cache().take(15).chunks(0, 10)).hasSize(2);
        assertThatThrownBy(() -> filtered.take(15).open(0, new Chunk(1, 10, 20)))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("a single chunk from 0 to 40");
        assertThatThrownBy(() -> filtered.open(0, new Chunk(9, 90, 100)))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("is not a chunk of this dataset, which has 40 rows");
    }

    @Test
    void positionOfAnotherRecipeIsRefused() {
        Dataset dataset = Numbered.arrays(40).batch(4);
        try (BatchReader reader = dataset.open(0)) {
            reader.next();
            Position position = reader.position();
            assertThatThrownBy(() -> dataset.filter(sample -> true).take(9).open(0, position))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("does not belong to this dataset");
            assertThatThrownBy(() -> dataset.open(1, position))
                    .isInstanceOf(DataException.class)
                    .hasMessage("the position is one in epoch 0, but epoch 1 was asked for");
        }
    }

    static Stream<Dataset> writable() {
        return Stream.of(
                Mnist.test(),
                Mnist.train().shuffle(7).batch(128).dropLast().prefetch(2),
                Mnist.test()
                        .filter(SampleFilter.labels(1, 7))
                        .map(Transform.normalize(0.13, 0.31))
                        .take(50),
                Mnist.test().take(60).map(3, RandomTransform.randomShift(2)).map(4, RandomTransform.randomFlip()),
                Mnist.test().take(90).cache(1000).skip(5).shard(1, 2).repeat(2).shuffle(3, 100),
                Mnist.test().take(90).shuffle(1).split(0.9).second().map(Transform.oneHot(10)),
                Mnist.test()
                        .take(90)
                        .map(Transform.flatten())
                        .map(Transform.reshape(4, -1))
                        .map(Transform.cast(DType.FLOAT64))
                        .map(Transform.scale(2, 1).onBoth().only(0)));
    }

    @ParameterizedTest
    @MethodSource("writable")
    void recipeCanBeWrittenAndReadBack(Dataset dataset) {
        String json = Json.write(dataset);
        Dataset copy = Json.read(json, Dataset.class, "dataset.json");

        assertThat(Json.write(copy)).isEqualTo(json);
        assertThat(copy).hasToString(dataset.toString());
        try (BatchReader reader = dataset.open(1);
                BatchReader copied = copy.open(1)) {
            assertThat(copied.next()).isEqualTo(reader.next());
        }
    }

    @Test
    void recipeReadsWellInYaml() {
        Dataset dataset = Json.readYaml("""
                source: {type: mnist, part: test}
                stages:
                  - {type: shuffle, seed: 7}
                  - {type: map, transform: flatten}
                batch: 64
                """, Dataset.class, "job.yaml");
        assertThat(dataset).hasToString("mnist(test).shuffle(7).map(flatten).batch(64)");
        assertThatThrownBy(() -> Json.readYaml("source: mnist\nstages: [{type: shufle}]", Dataset.class, "job.yaml"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("unknown stage 'shufle': did you mean 'shuffle'?");
        assertThatThrownBy(() -> Json.readYaml(
                                "source: mnist\nstages: [{type: take, count: -1}]", Dataset.class, "job.yaml")
                        .open(0))
                .isInstanceOf(DataException.class)
                .hasMessage("take(-1): expected 0 rows or more");
    }

    @Test
    void whatLivesInThisJvmOnlyCannotBeWritten() {
        assertThatThrownBy(() -> Json.write(Mnist.train().map(sample -> sample)))
                .isInstanceOf(DataException.class)
                .hasMessage("map(...) holds a lambda: give it a named Transform to write this dataset to a file");
        assertThatThrownBy(() -> Json.write(Mnist.train().map(1, (sample, random) -> sample)))
                .hasMessageStartingWith("map(...) holds a lambda: give it a named RandomTransform");
        assertThatThrownBy(() -> Json.write(Mnist.train().filter(sample -> true)))
                .hasMessageStartingWith("filter(...) holds a lambda: give it a named SampleFilter");
        assertThatThrownBy(() -> Json.write(Numbered.arrays(3)))
                .isInstanceOf(DataException.class)
                .hasMessage(
                        "the dataset holds arrays([float32[3, 2]], [int64[3]]) in this JVM's memory, which cannot be"
                                + " written to a file: read the rows from files instead, for instance with Dataset.idx(...)");
    }

    @Test
    void ownTransformIsWrittenOnceItHasAName() {
        Dataset dataset = Mnist.test().map(new Negate());
        assertThatThrownBy(() -> Json.write(dataset))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("which has no name in files: call Json.register(Negate.class, \"negate\") first");

        Json.register(Negate.class, "negate");
        Dataset copy = Json.read(Json.write(dataset), Dataset.class, "dataset.json");
        assertThat(Numbered.epoch(copy.take(3), 0)).isEqualTo(Numbered.epoch(dataset.take(3), 0));
    }

    @Test
    void closesWhatItOpened() {
        TestingSequentialSource source = new TestingSequentialSource(5, 5);
        Dataset dataset = Dataset.of(source).batch(2).repeat(2);
        try (BatchReader reader = dataset.open(0)) {
            reader.next();
        }
        Numbered.epoch(dataset.cache(), 0);
        Numbered.epoch(dataset.prefetch(1), 0);
        dataset.spec();
        dataset.chunks(0, 5);
        assertThatThrownBy(() -> dataset.open(0, new Position(0, null, 0, List.of(1L))));
        assertThat(source.stillOpen()).isZero();
    }
}
