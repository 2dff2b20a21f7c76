package dev.tutti.spark.ml;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntArrayParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.param.StringArrayParam;

/** The parameters that estimators and their models share. Spark finds them by these methods. */
public interface TuttiParams extends Params {
    ParamSet paramSet();

    default Param<String> featuresCol() {
        return paramSet().featuresCol;
    }

    default StringArrayParam featuresCols() {
        return paramSet().featuresCols;
    }

    default Param<String> labelCol() {
        return paramSet().labelCol;
    }

    default StringArrayParam labelCols() {
        return paramSet().labelCols;
    }

    default Param<String> predictionCol() {
        return paramSet().predictionCol;
    }

    default Param<String> probabilityCol() {
        return paramSet().probabilityCol;
    }

    default Param<String> rawPredictionCol() {
        return paramSet().rawPredictionCol;
    }

    default Param<String> weightCol() {
        return paramSet().weightCol;
    }

    default Param<String> validationCol() {
        return paramSet().validationCol;
    }

    default Param<String> model() {
        return paramSet().model;
    }

    default IntArrayParam hiddenLayers() {
        return paramSet().hiddenLayers;
    }

    default IntArrayParam featureShape() {
        return paramSet().featureShape;
    }

    default Param<String> optimizer() {
        return paramSet().optimizer;
    }

    default DoubleParam learningRate() {
        return paramSet().learningRate;
    }

    default Param<String> loss() {
        return paramSet().loss;
    }

    default Param<String> strategy() {
        return paramSet().strategy;
    }

    default Param<String> mapReduce() {
        return paramSet().mapReduce;
    }

    default IntParam batchSize() {
        return paramSet().batchSize;
    }

    default IntParam epochs() {
        return paramSet().epochs;
    }

    default LongParam seed() {
        return paramSet().seed;
    }

    default IntParam workers() {
        return paramSet().workers;
    }

    default Param<String> checkpointDir() {
        return paramSet().checkpointDir;
    }

    default BooleanParam resume() {
        return paramSet().resume;
    }

    /** The value of a parameter that may be missing; null then. */
    default <T> T valueOf(Param<T> param) {
        return isDefined(param) ? getOrDefault(param) : null;
    }

    /** The number of a parameter that may be missing; null then. */
    default Number numberOf(Param<Object> param) {
        return isDefined(param) ? (Number) getOrDefault(param) : null;
    }

    /** The columns that features are made of. */
    default List<String> featureNames() {
        String[] several = valueOf(featuresCols());
        return several == null ? List.of(getOrDefault(featuresCol())) : Arrays.asList(several);
    }

    /** The columns that labels are made of. */
    default List<String> labelNames() {
        String[] several = valueOf(labelCols());
        return several == null ? List.of(getOrDefault(labelCol())) : Arrays.asList(several);
    }
}
