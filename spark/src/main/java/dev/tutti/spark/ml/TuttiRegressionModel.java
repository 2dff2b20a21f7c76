package dev.tutti.spark.ml;

import dev.tutti.spark.ml.PartitionPrediction.OutputColumn;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.util.MLReader;

/** A model that knows a number. */
public final class TuttiRegressionModel extends TrainedStage<TuttiRegressionModel> {
    private static final long serialVersionUID = 1;

    TuttiRegressionModel(String uid, ModelFiles files) {
        super(uid, files);
    }

    /** A model that was saved by Tutti, with or without Spark. */
    public static TuttiRegressionModel of(Path savedModel) {
        TuttiRegressionModel model =
                new TuttiRegressionModel(TrainingStage.newUid("tuttiRegressor"), ModelFiles.read(savedModel));

        return model;
    }

    @Override
    TuttiRegressionModel again(String itsUid, ModelFiles itsFiles) {
        return new TuttiRegressionModel(itsUid, itsFiles);
    }

    @Override
    Map<Param<String>, OutputColumn> outputs() {
        Map<Param<String>, OutputColumn> columns = new LinkedHashMap<>();
        columns.put(predictionCol(), OutputColumn.NUMBER);
        return columns;
    }

    public static MLReader<TuttiRegressionModel> read() {
        return reader(TuttiRegressionModel.class, TuttiRegressionModel::new);
    }

    public static TuttiRegressionModel load(String path) {
        return read().load(path);
    }
}
