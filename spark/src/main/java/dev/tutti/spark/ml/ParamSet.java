package dev.tutti.spark.ml;

import java.io.Serializable;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntArrayParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.param.StringArrayParam;

/** The parameters of one stage; {@link TuttiParams} shows them to Spark. */
public final class ParamSet implements Serializable {
    private static final long serialVersionUID = 1;

    final Param<String> featuresCol;
    final StringArrayParam featuresCols;
    final Param<String> labelCol;
    final StringArrayParam labelCols;
    final Param<String> predictionCol;
    final Param<String> probabilityCol;
    final Param<String> rawPredictionCol;
    final Param<String> weightCol;
    final Param<String> validationCol;
    final Param<String> model;
    final IntArrayParam hiddenLayers;
    final IntArrayParam featureShape;
    final Param<String> optimizer;
    final DoubleParam learningRate;
    final Param<String> loss;
    final Param<String> strategy;
    final Param<String> mapReduce;
    final IntParam batchSize;
    final IntParam epochs;
    final LongParam seed;
    final IntParam workers;
    final Param<String> checkpointDir;
    final BooleanParam resume;

    ParamSet(Params stage) {
        featuresCol =
                new Param<>(stage, "featuresCol", "column of features: array<float>, array<double>, vector or number");
        featuresCols = new StringArrayParam(stage, "featuresCols", "columns of features, instead of featuresCol");
        labelCol = new Param<>(stage, "labelCol", "column of labels");
        labelCols = new StringArrayParam(stage, "labelCols", "columns of labels, instead of labelCol");
        predictionCol = new Param<>(stage, "predictionCol", "column that predictions are written to");
        probabilityCol =
                new Param<>(stage, "probabilityCol", "column that the probabilities of classes are written to");
        rawPredictionCol = new Param<>(stage, "rawPredictionCol", "column that outputs of the model are written to");
        weightCol = new Param<>(stage, "weightCol", "column of the weights of rows; all count the same without it");
        validationCol = new Param<>(stage, "validationCol", "column that says true for rows that are not trained on");
        model = new Param<>(stage, "model", "definition of the model in YAML or JSON");
        hiddenLayers = new IntArrayParam(stage, "hiddenLayers", "sizes of hidden layers, where no model is given");
        featureShape =
                new IntArrayParam(stage, "featureShape", "shape of a sample, such as 1, 28, 28; flat by default");
        optimizer = new Param<>(stage, "optimizer", "definition of the optimizer in YAML or JSON");
        learningRate = new DoubleParam(stage, "learningRate", "learning rate, instead of the optimizer's own");
        loss = new Param<>(stage, "loss", "definition of the loss in YAML or JSON");
        strategy = new Param<>(stage, "strategy", "definition of the strategy in YAML or JSON");
        mapReduce = new Param<>(
                stage,
                "mapReduce",
                "definition of rounds of MapReduce in YAML or JSON, instead of epochs and strategy");
        batchSize = new IntParam(stage, "batchSize", "rows to a batch, over all members");
        epochs = new IntParam(stage, "epochs", "how often to go through the rows");
        seed = new LongParam(stage, "seed", "what all that is random follows from");
        workers = new IntParam(stage, "workers", "members of a training; one for each slot of the cluster by default");
        checkpointDir = new Param<>(
                stage,
                "checkpointDir",
                "folder that checkpoints are saved in: of the driver, or an address that Hadoop knows");
        resume = new BooleanParam(stage, "resume", "whether to go on from the newest checkpoint in checkpointDir");
    }
}
