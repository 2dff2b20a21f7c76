package dev.tutti.spark.ml;

import dev.tutti.json.Json;
import dev.tutti.loss.Losses;
import dev.tutti.nn.Layer;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;

/** Learns a number: the model has one output. */
public final class TuttiRegressor extends TrainingStage<TuttiRegressor, TuttiRegressionModel> {
    private static final long serialVersionUID = 1;

    public TuttiRegressor() {
        this(newUid("tuttiRegressor"));
    }

    public TuttiRegressor(String uid) {
        super(uid);
        setDefault(loss(), Json.write(Losses.mse()));
    }

    @Override
    TuttiRegressor again(String itsUid) {
        return new TuttiRegressor(itsUid);
    }

    @Override
    boolean learnsClasses() {
        return false;
    }

    @Override
    Layer defaultModel(Dataset<?> table, int... hidden) {
        return PlainNetwork.of(1, hidden);
    }

    @Override
    TuttiRegressionModel fitted(String itsUid, ModelFiles files) {
        return new TuttiRegressionModel(itsUid, files);
    }

    public static MLReader<TuttiRegressor> read() {
        return new DefaultParamsReader<>();
    }

    public static TuttiRegressor load(String path) {
        return read().load(path);
    }
}
