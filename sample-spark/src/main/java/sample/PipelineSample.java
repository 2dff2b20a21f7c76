package sample;

import dev.tutti.spark.ml.TuttiClassifier;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.evaluation.MulticlassClassificationEvaluator;
import org.apache.spark.ml.feature.StandardScaler;
import org.apache.spark.ml.feature.StringIndexer;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** A pipeline of Spark's own stages and a network of Tutti: fitted, saved, loaded and used. */
public final class PipelineSample {
    public static void main(String[] args) throws Exception {
        String folder = args[0];
        SparkSession spark = SparkSession.builder()
                .appName("pipeline")
                .master(args.length > 1 ? args[1] : "local[2]")
                .config("spark.ui.enabled", "false")
                .getOrCreate();
        spark.sparkContext().setLogLevel("ERROR");
        // Whether a flower of so much width and height is round: a rule that no straight line tells.
        Dataset<Row> flowers = spark.range(0, 3000, 1, 6)
                .selectExpr("rand(1) * 10 as width", "rand(2) * 200 as height")
                .selectExpr("width", "height", "if(abs(width * 20 - height) < 50, 'round', 'long') as kind");
        Pipeline pipeline = new Pipeline().setStages(new PipelineStage[] {
            new StringIndexer().setInputCol("kind").setOutputCol("label"),
            new VectorAssembler().setInputCols(new String[] {"width", "height"}).setOutputCol("raw"),
            new StandardScaler().setInputCol("raw").setOutputCol("features").setWithMean(true),
            new TuttiClassifier().setHiddenLayers(32, 16).setLearningRate(0.01).setEpochs(12).setBatchSize(64)
        });
        PipelineModel fitted = pipeline.fit(flowers);
        fitted.write().overwrite().save(folder);
        Dataset<Row> predicted = PipelineModel.load(folder).transform(flowers);
        predicted.select("width", "height", "kind", "prediction", "probability").show(5);
        double accuracy = new MulticlassClassificationEvaluator().setMetricName("accuracy").evaluate(predicted);
        System.out.printf(java.util.Locale.ROOT, "accuracy %.3f%n", accuracy);
        spark.stop();
    }
}
