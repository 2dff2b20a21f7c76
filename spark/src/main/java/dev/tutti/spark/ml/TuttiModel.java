package dev.tutti.spark.ml;

import dev.tutti.spark.ml.PartitionPrediction.OutputColumn;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.util.MLReader;

/** A model whose outputs are written as a vector. */
public final class TuttiModel extends TrainedStage<TuttiModel> {
    private static final long serialVersionUID = 1;

    TuttiModel(String uid, ModelFiles files) {
        super(uid, files);
    }

    /** A model that was saved by Tutti, with or without Spark. */
    public static TuttiModel of(Path savedModel) {
        TuttiModel model = new TuttiModel(TrainingStage.newUid("tuttiEstimator"), ModelFiles.read(savedModel));

        return model;
    }

    @Override
    TuttiModel again(String itsUid, ModelFiles itsFiles) {
        return new TuttiModel(itsUid, itsFiles);
    }

    @Override
    Map<Param<String>, OutputColumn> outputs() {
        Map<Param<String>, OutputColumn> columns = new LinkedHashMap<>();
        columns.put(predictionCol(), OutputColumn.RAW);
        return columns;
    }

    public static MLReader<TuttiModel> read() {
        return reader(TuttiModel.class, TuttiModel::new);
    }

    public static TuttiModel load(String path) {
        return read().load(path);
    }
}
