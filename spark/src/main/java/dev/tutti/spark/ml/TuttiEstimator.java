package dev.tutti.spark.ml;

import dev.tutti.json.Json;
import dev.tutti.loss.Losses;
import dev.tutti.nn.Layer;
import dev.tutti.train.TrainingException;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;

/** Learns anything: labels are the numbers of one or several columns, the loss is chosen, and predictions are the outputs of the model. */
public final class TuttiEstimator extends TrainingStage<TuttiEstimator, TuttiModel> {
    private static final long serialVersionUID = 1;

    public TuttiEstimator() {
        this(newUid("tuttiEstimator"));
    }

    public TuttiEstimator(String uid) {
        super(uid);
        setDefault(loss(), Json.write(Losses.mse()));
    }

    /** Several columns of labels, one after the other. */
    public TuttiEstimator setLabelCols(String... columns) {
        set(labelCols(), columns);
        return this;
    }

    @Override
    TuttiEstimator again(String itsUid) {
        return new TuttiEstimator(itsUid);
    }

    @Override
    boolean learnsClasses() {
        return false;
    }

    @Override
    Layer defaultModel(Dataset<?> table, int... hidden) {
        throw new TrainingException("the parameter model is missing: a general estimator needs one");
    }

    @Override
    TuttiModel fitted(String itsUid, ModelFiles files) {
        return new TuttiModel(itsUid, files);
    }

    public static MLReader<TuttiEstimator> read() {
        return new DefaultParamsReader<>();
    }

    public static TuttiEstimator load(String path) {
        return read().load(path);
    }
}
