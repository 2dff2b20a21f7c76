"""Trains a classifier in a pipeline of Spark's own stages, saves, loads and uses it.

    python3 clients/python/spark_pipeline.py TUTTI_SPARK_JAR FOLDER [MASTER]
"""

import random
import sys

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import StringIndexer, VectorAssembler
from pyspark.ml.tuning import ParamGridBuilder, TrainValidationSplit
from pyspark.sql import SparkSession

from tutti_spark import TuttiClassificationModel, TuttiClassifier


def answers(model, table):
    rows = model.transform(table).select("a", "b", "prediction", "probability").collect()
    return sorted((row.a, row.b, row.prediction, float(row.probability[0])) for row in rows)


def main(jar, folder, master="local-cluster[2,1,1024]"):
    spark = (
        SparkSession.builder.master(master)
        .config("spark.jars", jar)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.executorEnv.SPARK_SCALA_VERSION", "2.13")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    draw = random.Random(1)
    rows = []
    for _ in range(600):
        yes = draw.random() < 0.5
        shift = 2.0 if yes else -2.0
        rows.append((draw.gauss(shift, 1), draw.gauss(-shift, 1), "yes" if yes else "no"))
    table = spark.createDataFrame(rows, ["a", "b", "answer"]).repartition(3)

    classifier = TuttiClassifier(hiddenLayers=[8], epochs=3, batchSize=32).setLearningRate(0.02)
    pipeline = Pipeline(
        stages=[
            StringIndexer(inputCol="answer", outputCol="label", stringOrderType="alphabetAsc"),
            VectorAssembler(inputCols=["a", "b"], outputCol="features"),
            classifier,
        ]
    )
    measured = MulticlassClassificationEvaluator(metricName="accuracy")
    fitted = pipeline.fit(table)
    print("accuracy %.3f" % measured.evaluate(fitted.transform(table)))

    fitted.write().overwrite().save(folder + "/pipeline")
    loaded = PipelineModel.load(folder + "/pipeline")
    assert isinstance(loaded.stages[2], TuttiClassificationModel), loaded.stages
    # Neither the order of rows nor which of them share a batch is the same each time.
    for again, before in zip(answers(loaded, table), answers(fitted, table), strict=True):
        assert again[:3] == before[:3] and abs(again[3] - before[3]) < 1e-5, (again, before)
    print("the loaded pipeline predicts the same; epochs %d" % loaded.stages[2].getEpochs())

    split = TrainValidationSplit(
        estimator=pipeline,
        estimatorParamMaps=ParamGridBuilder().addGrid(classifier.learningRate, [1e-6, 0.02]).build(),
        evaluator=measured,
        seed=1,
    ).fit(table)
    print("accuracy by learning rate: %s" % ["%.3f" % metric for metric in split.validationMetrics])
    assert split.validationMetrics[1] > max(0.9, split.validationMetrics[0])
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
