package dev.tutti.spark.ml;

import dev.tutti.json.Json;
import dev.tutti.loss.Loss;
import dev.tutti.nn.Layer;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.mapreduce.MapReduce;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.replica.Strategy;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsWriter;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.types.StructType;

/**
 * An estimator of Spark ML that trains a network on the cluster of its table's session.
 *
 * @param <E> the class of the estimator
 * @param <M> the class of its models
 */
public abstract class TrainingStage<E extends TrainingStage<E, M>, M extends TrainedStage<M>> extends Estimator<M>
        implements TuttiParams, MLWritable {
    private static final long serialVersionUID = 1;

    private final String uid;
    private final ParamSet params;
    private transient List<Callback> callbacks = List.of();

    TrainingStage(String uid) {
        this.uid = uid;
        this.params = new ParamSet(this);
        setDefault(featuresCol(), "features");
        setDefault(labelCol(), "label");
        setDefault(predictionCol(), "prediction");
        setDefault(optimizer(), "adam");
        setDefault(strategy(), "allReduce");
        setDefault(batchSize(), 128);
        setDefault(epochs(), 1);
        setDefault(seed(), 0L);
        setDefault(resume(), false);
    }

    static String newUid(String kind) {
        return kind + "_" + UUID.randomUUID().toString().substring(24);
    }

    /** The same estimator without settings. */
    abstract E again(String itsUid);

    /** Whether labels are numbers of classes. */
    abstract boolean learnsClasses();

    /** The model where none was given. */
    abstract Layer defaultModel(Dataset<?> table, int... hidden);

    abstract M fitted(String itsUid, ModelFiles files);

    @Override
    public final ParamSet paramSet() {
        return params;
    }

    @Override
    public final String uid() {
        return uid;
    }

    @SuppressWarnings("unchecked")
    private E self() {
        return (E) this;
    }

    public final E setFeaturesCol(String column) {
        set(featuresCol(), column);
        return self();
    }

    /** Several columns, one after the other. */
    public final E setFeaturesCols(String... columns) {
        set(featuresCols(), columns);
        return self();
    }

    public final E setLabelCol(String column) {
        set(labelCol(), column);
        return self();
    }

    public final E setPredictionCol(String column) {
        set(predictionCol(), column);
        return self();
    }

    /**
     * A column of weights: the loss of each row is multiplied by its own. The mean is over rows, so that weights of 2 everywhere double
     * the loss.
     */
    public final E setWeightCol(String column) {
        set(weightCol(), column);
        return self();
    }

    /** Rows where this column says true are not trained on, but measured after each epoch. */
    public final E setValidationCol(String column) {
        set(validationCol(), column);
        return self();
    }

    public final E setModel(Layer definition) {
        return setModel(Json.write(definition));
    }

    /** The model in YAML or JSON. */
    public final E setModel(String definition) {
        set(model(), definition);
        return self();
    }

    /** The sizes of the hidden layers of a plain network, where no model is given. */
    public final E setHiddenLayers(int... sizes) {
        set(hiddenLayers(), sizes);
        return self();
    }

    /** The shape of a sample, such as 1, 28, 28. */
    public final E setFeatureShape(int... shape) {
        set(featureShape(), shape);
        return self();
    }

    public final E setOptimizer(Optimizer definition) {
        return setOptimizer(Json.write(definition));
    }

    /** The optimizer in YAML or JSON. */
    public final E setOptimizer(String definition) {
        set(optimizer(), definition);
        return self();
    }

    /** The learning rate, instead of the optimizer's own; for grids of parameters. */
    public final E setLearningRate(double rate) {
        set(learningRate(), rate);
        return self();
    }

    public final E setLoss(Loss definition) {
        return setLoss(Json.write(definition));
    }

    /** The loss in YAML or JSON. */
    public final E setLoss(String definition) {
        set(loss(), definition);
        return self();
    }

    public final E setStrategy(Strategy definition) {
        return setStrategy(Json.write(definition));
    }

    /** The strategy in YAML or JSON. */
    public final E setStrategy(String definition) {
        set(strategy(), definition);
        return self();
    }

    /** Trains in rounds of MapReduce, which are Spark jobs, instead of epochs of a strategy: {@code MapReduce.rounds(30).lbfgs()}. */
    public final E setMapReduce(MapReduce rounds) {
        return setMapReduce(Json.write(rounds));
    }

    /** Rounds of MapReduce in YAML or JSON, such as {@code {rounds: 30, lbfgs: true}}. */
    public final E setMapReduce(String definition) {
        set(mapReduce(), definition);
        return self();
    }

    public final E setBatchSize(int rows) {
        set(batchSize(), rows);
        return self();
    }

    public final E setEpochs(int count) {
        set(epochs(), count);
        return self();
    }

    public final E setSeed(long value) {
        set(seed(), value);
        return self();
    }

    /** The members of a training; one for each slot of the cluster by default. For trials side by side choose fewer. */
    public final E setWorkers(int count) {
        set(workers(), count);
        return self();
    }

    /** A folder that checkpoints are saved in after each epoch: of the driver, or an address such as {@code hdfs:///digits}. */
    public final E setCheckpointDir(String folder) {
        set(checkpointDir(), folder);
        return self();
    }

    /** Whether to go on from the newest checkpoint in the checkpointDir, if there is one. */
    public final E setResume(boolean value) {
        set(resume(), value);
        return self();
    }

    /** Callbacks that run in the driver; they are not saved with the stage. */
    public final E callbacks(Callback... more) {
        callbacks = List.of(more);
        return self();
    }

    final List<Callback> callbacks() {
        return callbacks == null ? List.of() : callbacks;
    }

    @Override
    public final M fit(Dataset<?> table) {
        return fit(table, (ModelFiles) null);
    }

    /** Learns on with a model, from the rows of a table. */
    public final M fit(Dataset<?> table, M from) {
        return fit(table, from.files());
    }

    private M fit(Dataset<?> table, ModelFiles from) {
        transformSchema(table.schema());
        M model = fitted(uid, new TableTraining(this, table, from).run());
        copyValues(model, ParamMap.empty());
        model.setParent(this);
        return model;
    }

    @Override
    public final StructType transformSchema(StructType schema) {
        featureNames().forEach(name -> TableColumns.type(schema, name));
        labelNames().forEach(name -> TableColumns.type(schema, name));
        Stream.of(weightCol(), validationCol())
                .map(this::valueOf)
                .filter(Objects::nonNull)
                .forEach(name -> TableColumns.type(schema, name));
        M without = fitted(uid, null);
        copyValues(without, ParamMap.empty());
        return without.transformSchema(schema);
    }

    @Override
    public final E copy(ParamMap extra) {
        E copy = again(uid);
        copyValues(copy, extra);
        copy.callbacks(callbacks().toArray(Callback[]::new));
        return copy;
    }

    @Override
    public final MLWriter write() {
        return new DefaultParamsWriter(this);
    }

    @Override
    public String toString() {
        return uid;
    }
}
