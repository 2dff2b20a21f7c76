package dev.tutti.spark.ml;

import dev.tutti.json.Json;
import dev.tutti.loss.Losses;
import dev.tutti.nn.Layer;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;

/** Learns classes: labels are 0, 1, 2 and so on, and the model has an output for each. */
public final class TuttiClassifier extends TrainingStage<TuttiClassifier, TuttiClassificationModel> {
    private static final long serialVersionUID = 1;

    public TuttiClassifier() {
        this(newUid("tuttiClassifier"));
    }

    public TuttiClassifier(String uid) {
        super(uid);
        setDefault(loss(), Json.write(Losses.softmaxCrossEntropy()));
        setDefault(probabilityCol(), "probability");
        setDefault(rawPredictionCol(), "rawPrediction");
    }

    public TuttiClassifier setProbabilityCol(String column) {
        set(probabilityCol(), column);
        return this;
    }

    public TuttiClassifier setRawPredictionCol(String column) {
        set(rawPredictionCol(), column);
        return this;
    }

    @Override
    TuttiClassifier again(String itsUid) {
        return new TuttiClassifier(itsUid);
    }

    @Override
    boolean learnsClasses() {
        return true;
    }

    @Override
    Layer defaultModel(Dataset<?> table, int... hidden) {
        return PlainNetwork.of(TableColumns.classes(table, labelNames().get(0)), hidden);
    }

    @Override
    TuttiClassificationModel fitted(String itsUid, ModelFiles files) {
        return new TuttiClassificationModel(itsUid, files);
    }

    public static MLReader<TuttiClassifier> read() {
        return new DefaultParamsReader<>();
    }

    public static TuttiClassifier load(String path) {
        return read().load(path);
    }
}
