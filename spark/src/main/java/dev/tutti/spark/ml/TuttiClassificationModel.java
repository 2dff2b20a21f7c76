package dev.tutti.spark.ml;

import dev.tutti.spark.ml.PartitionPrediction.OutputColumn;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.util.MLReader;

/** A model that knows classes: it writes the likeliest, the probabilities of all, and its outputs. */
public final class TuttiClassificationModel extends TrainedStage<TuttiClassificationModel> {
    private static final long serialVersionUID = 1;

    TuttiClassificationModel(String uid, ModelFiles files) {
        super(uid, files);
    }

    /** A model that was saved by Tutti, with or without Spark. */
    public static TuttiClassificationModel of(Path savedModel) {
        TuttiClassificationModel model =
                new TuttiClassificationModel(TrainingStage.newUid("tuttiClassifier"), ModelFiles.read(savedModel));
        model.set(model.probabilityCol(), "probability");
        model.set(model.rawPredictionCol(), "rawPrediction");
        return model;
    }

    @Override
    TuttiClassificationModel again(String itsUid, ModelFiles itsFiles) {
        return new TuttiClassificationModel(itsUid, itsFiles);
    }

    @Override
    Map<Param<String>, OutputColumn> outputs() {
        Map<Param<String>, OutputColumn> columns = new LinkedHashMap<>();
        columns.put(rawPredictionCol(), OutputColumn.RAW);
        columns.put(probabilityCol(), OutputColumn.PROBABILITY);
        columns.put(predictionCol(), OutputColumn.CLASS);
        return columns;
    }

    public static MLReader<TuttiClassificationModel> read() {
        return reader(TuttiClassificationModel.class, TuttiClassificationModel::new);
    }

    public static TuttiClassificationModel load(String path) {
        return read().load(path);
    }
}
