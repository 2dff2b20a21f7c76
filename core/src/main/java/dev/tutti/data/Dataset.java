package dev.tutti.data;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.array.NdArray;
import dev.tutti.data.source.ArraySource;
import dev.tutti.data.source.ContentDigest;
import dev.tutti.data.source.IdxSource;
import dev.tutti.data.source.Source;
import dev.tutti.data.stage.CacheStage;
import dev.tutti.data.stage.FilterStage;
import dev.tutti.data.stage.MapStage;
import dev.tutti.data.stage.MixStage;
import dev.tutti.data.stage.Pipeline;
import dev.tutti.data.stage.PrefetchReader;
import dev.tutti.data.stage.RandomMapStage;
import dev.tutti.data.stage.RepeatStage;
import dev.tutti.data.stage.Row;
import dev.tutti.data.stage.RowFlow;
import dev.tutti.data.stage.ShardStage;
import dev.tutti.data.stage.ShuffleStage;
import dev.tutti.data.stage.SkipStage;
import dev.tutti.data.stage.SplitStage;
import dev.tutti.data.stage.StackingReader;
import dev.tutti.data.stage.Stage;
import dev.tutti.data.stage.StageCounters;
import dev.tutti.data.stage.StripeStage;
import dev.tutti.data.stage.TakeStage;
import dev.tutti.data.transform.NamedKind;
import dev.tutti.data.transform.RandomTransform;
import dev.tutti.data.transform.SampleFilter;
import dev.tutti.data.transform.SourceTransform;
import dev.tutti.data.transform.Transform;
import dev.tutti.json.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A recipe for data: a source, stages, and how rows are put into batches. An immutable value that opens nothing until
 * {@link #open} and, lambdas and arrays apart, can be written as JSON and opened on another machine.
 *
 * <pre>{@code
 * Dataset train = Mnist.train().shuffle(7).batch(128).prefetch(2);
 * try (BatchReader reader = train.open(0)) {
 *     reader.forEach(batch -> ...);
 * }
 * }</pre>
 *
 * <p>The order of rows follows from seeds and the number of the epoch alone. {@code map} and {@code filter} always
 * see single samples: {@code batch}, {@code dropLast} and {@code prefetch} say how the result is read, wherever they
 * are called.
 *
 * <p>Rows of a source with random access can be reached by their place through every stage but {@code filter}, so
 * that {@code take}, {@code skip}, {@code shard}, {@code split} and {@code repeat} cost nothing and the epoch can be
 * cut into chunks. Behind a filter they count the rows that passed, reading from front to back; {@link #cache} makes
 * rows countable again.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class Dataset {
    private Source source;
    private List<Stage> stages = List.of();
    private Integer batch;
    private boolean dropLast;
    private int prefetch;

    private Dataset() {}

    private Dataset(Source source, List<Stage> stages, Integer batch, boolean dropLast, int prefetch) {
        this.source = source;
        this.stages = List.copyOf(stages);
        this.batch = batch;
        this.dropLast = dropLast;
        this.prefetch = prefetch;
    }

    /** Rows from a source of any kind. */
    public static Dataset of(Source source) {
        return new Dataset(Objects.requireNonNull(source, "a dataset needs a source"), List.of(), null, false, 0);
    }

    /** Arrays in memory whose first axis are the rows. They are not copied, and cannot be written as JSON. */
    public static Dataset of(NdArray features, NdArray labels) {
        return of(List.of(features), List.of(labels));
    }

    /** Rows without labels, for prediction. */
    public static Dataset of(NdArray features) {
        return of(List.of(features), List.of());
    }

    /** Rows with several features or labels each. */
    public static Dataset of(List<NdArray> features, List<NdArray> labels) {
        return of(new ArraySource(features, labels));
    }

    /** Two IDX files as MNIST has them, plain or packed with gzip. */
    public static Dataset idx(Path images, Path labels) {
        return of(new IdxSource(images, labels));
    }

    @JsonProperty("source")
    private Source written() {
        if (source instanceof ArraySource) {
            throw new DataException(
                    "the dataset holds " + source + " in this JVM's memory, which cannot be written to a file:"
                            + " read the rows from files instead, for instance with Dataset.idx(...)");
        }
        return NamedKind.require(Source.class, source, "of");
    }

    /** Draws rows of a source that is made of several parts, by a rule for how often each part is drawn from. */
    public Dataset mix(MixStage stage) {
        return with(stage);
    }

    /** Makes another sample of each sample; a {@link SourceTransform} is applied to the source, under all stages. */
    public Dataset map(Transform transform) {
        if (transform instanceof SourceTransform whole) {
            return from(whole.applyTo(source()));
        }
        return with(new MapStage(transform));
    }

    /**
     * Makes another sample of each sample by chance. The generator follows from seed, epoch and row, so that every
     * epoch sees other variations and a resumed run the same ones.
     */
    public Dataset map(long seed, RandomTransform transform) {
        return with(new RandomMapStage(seed, transform));
    }

    /** Keeps the samples that pass. */
    public Dataset filter(SampleFilter filter) {
        return with(new FilterStage(filter));
    }

    /**
     * Another order for every epoch. Of several shuffles with nothing but maps and filters between them the last one
     * counts.
     *
     * <p>With random access all rows are mixed with each other, also behind a filter: it is the rows before the
     * filter that are mixed. Otherwise the parts of the source change places, and rows are mixed in blocks of 8192.
     */
    public Dataset shuffle(long seed) {
        return shuffle(seed, ShuffleStage.DEFAULT_BUFFER);
    }

    /** Like {@link #shuffle(long)}, with a given number of rows per block for data without random access. */
    public Dataset shuffle(long seed, int buffer) {
        List<Stage> changed = new ArrayList<>(stages);
        int place = changed.size();
        for (int i = changed.size() - 1; i >= 0; i--) {
            Stage stage = changed.get(i);
            if (stage instanceof ShuffleStage) {
                changed.remove(i);
                place--;
            } else if (stage instanceof FilterStage) {
                place = i;
            } else if (!stage.rowWise()) {
                break;
            }
        }
        ShuffleStage shuffle = new ShuffleStage(seed, buffer, false);
        shuffle.check();
        changed.add(place, shuffle);
        return with(changed);
    }

    /** The first rows. Behind a shuffle these are other ones in each epoch. */
    public Dataset take(long count) {
        return with(new TakeStage(count));
    }

    /** All but the first rows. */
    public Dataset skip(long count) {
        return with(new SkipStage(count));
    }

    /** One epoch of the result is {@code times} epochs of this, each shuffled in its own way. */
    public Dataset repeat(int times) {
        return with(new RepeatStage(times));
    }

    /**
     * One of {@code count} parts that together hold each row once: rows {@code index}, {@code index + count}, and so
     * on.
     */
    public Dataset shard(int index, int count) {
        return with(new ShardStage(index, count));
    }

    /**
     * Of every {@code period} rows those from {@code from} up to {@code to}: a member's share of each batch, where the period is
     * the batch.
     */
    public Dataset stripe(long period, long from, long to) {
        return with(new StripeStage(period, from, to));
    }

    /**
     * Cuts the rows in two. Each side has the same rows in every epoch: a shuffle called before decides once which
     * row goes where, and again in each epoch in which order its side is read.
     *
     * <p>Without a shuffle the first side has the first rows. Behind a filter the sides take turns in the proportion
     * asked for. A filter that looks at what a random map made passes other rows in other epochs: split before it.
     */
    public Split split(double fraction) {
        List<Stage> base = new ArrayList<>();
        ShuffleStage last = null;
        for (Stage stage : stages) {
            if (stage instanceof ShuffleStage shuffle && !shuffle.isFixed()) {
                last = shuffle;
                base.add(shuffle.fixed());
            } else {
                base.add(stage);
            }
        }
        return new Split(side(base, fraction, false, last), side(base, fraction, true, last));
    }

    private Dataset side(List<Stage> base, double fraction, boolean second, ShuffleStage shuffle) {
        Dataset side = with(base).with(new SplitStage(fraction, second));
        return shuffle == null ? side : side.with(shuffle);
    }

    /** Like {@link #cache(long)} with a quarter of the JVM's greatest heap. */
    public Dataset cache() {
        return cache(new CacheStage(null));
    }

    /**
     * Keeps what the stages before it made: in memory up to a limit, beyond that in a temporary file. All datasets
     * made from the result share it.
     *
     * <p>It keeps what is the same in every epoch: called behind a shuffle or a random map it takes its place before
     * them, so call it right behind the work it should save. Behind a filter, and for sources without random access,
     * the first reader reads all rows before it delivers one.
     */
    public Dataset cache(long limitBytes) {
        return cache(new CacheStage(limitBytes));
    }

    private Dataset cache(CacheStage cache) {
        cache.check();
        List<Stage> changed = new ArrayList<>(stages);
        int place = 0;
        while (place < changed.size() && !changed.get(place).variesByEpoch()) {
            place++;
        }
        if (place > 0 && changed.get(place - 1) instanceof CacheStage) {
            return this;
        }
        changed.add(place, cache);
        return with(changed);
    }

    /** Rows to a batch; 1 unless it is called. */
    public Dataset batch(int size) {
        if (size <= 0) {
            throw new DataException("batch(" + size + "): expected a batch size of 1 or more");
        }
        return new Dataset(source, stages, size, dropLast, prefetch);
    }

    /** Leaves out the last batch of an epoch when it is not full. */
    public Dataset dropLast() {
        return new Dataset(source, stages, batch, true, prefetch);
    }

    /** Takes {@link #dropLast} back. */
    public Dataset keepLast() {
        return new Dataset(source, stages, batch, false, prefetch);
    }

    /** Reads up to the given number of batches ahead on a background thread; 0 reads on the caller's thread. */
    public Dataset prefetch(int batches) {
        if (batches < 0) {
            throw new DataException("prefetch(" + batches + "): expected 0 batches or more");
        }
        return new Dataset(source, stages, batch, dropLast, batches);
    }

    private Dataset with(Stage stage) {
        stage.check();
        List<Stage> more = new ArrayList<>(stages);
        more.add(stage);
        return with(more);
    }

    private Dataset with(List<Stage> changed) {
        return new Dataset(source, changed, batch, dropLast, prefetch);
    }

    /** The same stages and batches over another source. */
    public Dataset from(Source other) {
        return new Dataset(
                Objects.requireNonNull(other, "a dataset needs a source"), stages, batch, dropLast, prefetch);
    }

    /** Rows in an epoch, where that is known without reading them. */
    public OptionalLong size() {
        OptionalLong size = source().size();
        for (Stage stage : stages) {
            size = stage.size(size);
        }
        return size;
    }

    /** Batches in an epoch, where that is known without reading them. */
    public OptionalLong batches() {
        OptionalLong size = size();
        long each = batchSize().orElse(1);
        return size.isEmpty()
                ? size
                : OptionalLong.of(dropLast ? size.getAsLong() / each : (size.getAsLong() + each - 1) / each);
    }

    /** The number of rows in a batch, if it was set. */
    public OptionalInt batchSize() {
        return batch == null ? OptionalInt.empty() : OptionalInt.of(batch);
    }

    /** Whether a last batch that is not full is left out. */
    public boolean dropsLast() {
        return dropLast;
    }

    /** How many batches are read ahead. */
    public int prefetch() {
        return prefetch;
    }

    /** Types and shapes of one row, found by reading the first, or from the {@linkplain Source#example example} of the source. */
    public SampleSpec spec() {
        Optional<Sample> example = source().example();
        if (example.isPresent()) {
            List<Stage> ofRows = stages.stream()
                    .filter(stage -> stage.rowWise() && !(stage instanceof FilterStage))
                    .toList();
            Dataset one =
                    of(asRow(example.get().features()), asRow(example.get().labels()));
            return with(ofRows).from(one.source()).spec();
        }
        try (Pipeline pipeline = pipeline();
                RowFlow flow = pipeline.open(0, pipeline.readable(0).orElse(null), StageCounters.start())) {
            Row first = flow.next();
            if (first == null) {
                throw new DataException("the dataset is empty: no row of " + this + " is left");
            }
            return SampleSpec.of(first.sample());
        }
    }

    private static List<NdArray> asRow(List<NdArray> arrays) {
        return arrays.stream()
                .map(array -> array.reshape(LongStream.concat(
                                LongStream.of(1), LongStream.of(array.shape().toArray()))
                        .toArray()))
                .toList();
    }

    /** A line for people: how many rows, what they look like, where they come from. */
    public String describe() {
        OptionalLong size = size();
        return (size.isPresent() ? size.getAsLong() + " rows" : "an unknown number of rows") + ", " + spec() + ", from "
                + this;
    }

    /** Reads an epoch from its beginning. Epochs count from 0. */
    public BatchReader open(int epoch) {
        return open(epoch, null, 0, StageCounters.start());
    }

    /** Goes on reading at a place saved by a reader of the same recipe, or behind a {@linkplain Position#behind number of rows}. */
    public BatchReader open(int epoch, Position position) {
        position.require(source().fingerprint());
        if (position.isCountOfRows()) {
            return skip(position.rows()).open(epoch);
        }
        if (!position.datasets().isEmpty()) {
            throw new DataException("the position is one in several data sets, "
                    + new TreeSet<>(position.datasets().keySet()) + ": open each at its own");
        }
        if (position.epoch() != epoch) {
            throw new DataException(
                    "the position is one in epoch " + position.epoch() + ", but epoch " + epoch + " was asked for");
        }
        return open(epoch, position.chunk(), position.rows(), StageCounters.of(position.counters()));
    }

    /** The place behind so many rows of an epoch's order, whichever members read them. */
    public Position behind(int epoch, long rows) {
        return Position.behind(epoch, rows).ofSource(source().fingerprint());
    }

    /**
     * Refuses a position that was saved in other data.
     *
     * @throws DataException if the source has another fingerprint than the one in the position
     */
    public void requireSameSource(Position position) {
        position.require(source().fingerprint());
    }

    /** Reads one chunk of an epoch. */
    public BatchReader open(int epoch, Chunk chunk) {
        return open(
                epoch, Objects.requireNonNull(chunk, "open(epoch) reads the whole epoch"), 0, StageCounters.start());
    }

    private BatchReader open(int epoch, Chunk chunk, long rows, StageCounters saved) {
        if (epoch < 0) {
            throw new IllegalArgumentException("epochs count from 0: received " + epoch);
        }
        int size = batchSize().orElse(1);
        if (size <= 0) {
            throw new DataException("batch: expected 1 or more, received " + size);
        }
        Pipeline pipeline = pipeline();
        try {
            RowFlow flow = pipeline.open(epoch, chunk, saved);
            BatchReader reader = new StackingReader(pipeline, flow, size, dropLast, epoch, chunk, rows);
            return prefetch > 0 ? new PrefetchReader(reader, prefetch) : reader;
        } catch (RuntimeException e) {
            pipeline.close();
            throw e;
        }
    }

    /**
     * Cuts an epoch into parts that hold each of its rows exactly once and can be read anywhere, in any order.
     *
     * <p>With random access each has {@code samplesPerChunk} rows, before filters; a multiple of the batch size keeps
     * batches full. Without it each part of the source is a chunk. Where a stage behind a filter counts rows, the
     * epoch is a single chunk.
     */
    public List<Chunk> chunks(int epoch, long samplesPerChunk) {
        if (samplesPerChunk <= 0) {
            throw new DataException("chunks(" + epoch + ", " + samplesPerChunk + "): expected chunks of 1 row or more");
        }
        try (Pipeline pipeline = pipeline()) {
            return pipeline.chunks(epoch, samplesPerChunk);
        }
    }

    /** Whether rows can only be read in order, part by part of the source: no stage makes them reachable by place. */
    public boolean isReadInOrder() {
        try (Pipeline pipeline = pipeline()) {
            return pipeline.readsInOrder(0);
        }
    }

    /** The {@linkplain #chunks chunks} of data that is {@linkplain #isReadInOrder read in order}, and whether they can be read here. */
    public List<SourcePart> parts(int epoch) {
        try (Pipeline pipeline = pipeline()) {
            return pipeline.parts(epoch);
        }
    }

    /** Whether the place a member runs in supplies the rows, so that each member may have other parts of them. */
    public boolean isSupplied() {
        return source().suppliedByPlace();
    }

    /**
     * What makes this data the same data on every member: the stages, how batches are made, and a digest of rows of the source. Paths,
     * caches and reading ahead may differ by machine and are no part of it. Opens the source and reads some of its rows.
     */
    public Map<String, Object> identity() {
        Map<String, Object> identity = new LinkedHashMap<>();
        identity.put("source", ContentDigest.of(source()));
        identity.put(
                "stages",
                stages.stream()
                        .filter(stage -> !(stage instanceof CacheStage))
                        .map(Dataset::written)
                        .toList());
        identity.put("batch", batchSize().orElse(1));
        identity.put("dropLast", dropLast);
        return identity;
    }

    /** A stage as it stands in files; one that holds a lambda, which cannot stand there, as it is written in Java. */
    private static Object written(Stage stage) {
        try {
            return Json.json().valueToTree(stage);
        } catch (IllegalArgumentException e) {
            return stage.toString();
        }
    }

    private Pipeline pipeline() {
        return new Pipeline(source(), stages);
    }

    /** Where the rows come from. */
    public Source source() {
        if (source == null) {
            throw new DataException("the dataset has no 'source'");
        }
        return source;
    }

    /** The recipe as it would be written in Java. */
    @Override
    public String toString() {
        return source
                + stages.stream().map(stage -> "." + stage).collect(Collectors.joining())
                + (batch == null ? "" : ".batch(" + batch + ")")
                + (dropLast ? ".dropLast()" : "")
                + (prefetch == 0 ? "" : ".prefetch(" + prefetch + ")");
    }
}
