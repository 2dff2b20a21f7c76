"""Tutti's estimators for PySpark: thin wrappers over the JVM classes, which do the work.

The session needs the jar that ``./tutti spark jar`` writes::

    spark = SparkSession.builder.config("spark.jars", "tutti-spark.jar").getOrCreate()
    model = TuttiClassifier(hiddenLayers=[64], epochs=5).fit(table)
    model.transform(table).select("prediction", "probability")
    model.write().overwrite().save("hdfs:///digits")

Stages work in ``Pipeline``, ``CrossValidator`` and ``TrainValidationSplit`` of ``pyspark.ml`` and are saved and loaded as those of
Spark are.
"""

import sys
import types

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import JavaMLReadable, JavaMLReader, JavaMLWritable
from pyspark.ml.wrapper import JavaEstimator, JavaModel

__all__ = [
    "TuttiClassifier",
    "TuttiClassificationModel",
    "TuttiRegressor",
    "TuttiRegressionModel",
    "TuttiEstimator",
    "TuttiModel",
]

_PACKAGE = "dev.tutti.spark.ml"

_TEXT = TypeConverters.toString
_WHOLE = TypeConverters.toInt

#: The parameters of the JVM classes: name, converter, what it says.
_PARAMS = {
    "featuresCol": (_TEXT, "column of features: array<float>, array<double>, vector or number"),
    "featuresCols": (TypeConverters.toListString, "columns of features, instead of featuresCol"),
    "labelCol": (_TEXT, "column of labels"),
    "labelCols": (TypeConverters.toListString, "columns of labels, instead of labelCol"),
    "predictionCol": (_TEXT, "column that predictions are written to"),
    "probabilityCol": (_TEXT, "column that the probabilities of classes are written to"),
    "rawPredictionCol": (_TEXT, "column that outputs of the model are written to"),
    "weightCol": (_TEXT, "column of the weights of rows; all count the same without it"),
    "validationCol": (_TEXT, "column that says true for rows that are not trained on"),
    "model": (_TEXT, "definition of the model in YAML or JSON"),
    "hiddenLayers": (TypeConverters.toListInt, "sizes of hidden layers, where no model is given"),
    "featureShape": (TypeConverters.toListInt, "shape of a sample, such as 1, 28, 28; flat by default"),
    "optimizer": (_TEXT, "definition of the optimizer in YAML or JSON"),
    "learningRate": (TypeConverters.toFloat, "learning rate, instead of the optimizer's own"),
    "loss": (_TEXT, "definition of the loss in YAML or JSON"),
    "strategy": (_TEXT, "definition of the strategy in YAML or JSON"),
    "mapReduce": (_TEXT, "definition of rounds of MapReduce in YAML or JSON, instead of epochs and strategy"),
    "batchSize": (_WHOLE, "rows to a batch, over all members"),
    "epochs": (_WHOLE, "how often to go through the rows"),
    "seed": (_WHOLE, "what all that is random follows from"),
    "workers": (_WHOLE, "members of a training; one for each slot of the cluster by default"),
    "checkpointDir": (_TEXT, "folder that checkpoints are saved in: of the driver, or an address that Hadoop knows"),
    "resume": (TypeConverters.toBoolean, "whether to go on from the newest checkpoint in checkpointDir"),
}


class _Reader(JavaMLReader):
    @classmethod
    def _java_loader_class(cls, clazz):
        return _PACKAGE + "." + clazz.__name__


class _TuttiStage(Params):
    """Parameters that estimators and their models share: ``setX`` and ``getX`` for each of them."""

    @classmethod
    def read(cls):
        return _Reader(cls)

    def _set_given(self, given):
        return self._set(**{name: value for name, value in given.items() if value is not None})


def _setter(name):
    def set_value(self, value):
        return self._set(**{name: value})

    set_value.__doc__ = "Sets " + _PARAMS[name][1] + "."
    return set_value


def _getter(name):
    def get_value(self):
        return self.getOrDefault(self.getParam(name))

    get_value.__doc__ = "The " + _PARAMS[name][1] + "."
    return get_value


for _name, (_convert, _says) in _PARAMS.items():
    setattr(_TuttiStage, _name, Param(Params._dummy(), _name, _says, typeConverter=_convert))
    setattr(_TuttiStage, "set" + _name[0].upper() + _name[1:], _setter(_name))
    setattr(_TuttiStage, "get" + _name[0].upper() + _name[1:], _getter(_name))


class _TrainingStage(JavaEstimator, _TuttiStage, JavaMLWritable, JavaMLReadable):
    _model_class = None

    def __init__(self, **given):
        super().__init__()
        unknown = set(given) - set(_PARAMS)
        if unknown:
            raise TypeError("unknown parameters %s: expected some of %s" % (sorted(unknown), sorted(_PARAMS)))
        self._java_obj = self._new_java_obj(_PACKAGE + "." + type(self).__name__, self.uid)
        self._transfer_params_from_java()
        self._set_given(given)

    def setParams(self, **given):
        """Sets several parameters at once."""
        return self._set_given(given)

    def _create_model(self, java_model):
        return self._model_class(java_model)


class _TrainedStage(JavaModel, _TuttiStage, JavaMLWritable, JavaMLReadable):
    def __init__(self, java_model=None):
        super().__init__(java_model)

    @classmethod
    def of(cls, folder):
        """A stage of an ordinary model folder of Tutti on the driver's machine."""
        from pyspark import SparkContext

        jvm = SparkContext._active_spark_context._jvm
        java_class = jvm
        for part in (_PACKAGE + "." + cls.__name__).split("."):
            java_class = getattr(java_class, part)
        return cls(java_class.of(jvm.java.nio.file.Paths.get(folder, SparkContext._gateway.new_array(jvm.java.lang.String, 0))))


class TuttiClassificationModel(_TrainedStage):
    """A fitted classifier: ``prediction``, ``probability`` and ``rawPrediction`` for each row."""


class TuttiRegressionModel(_TrainedStage):
    """A fitted regressor: ``prediction`` for each row."""


class TuttiModel(_TrainedStage):
    """A fitted network: ``prediction``, a vector of all its outputs, for each row."""


class TuttiClassifier(_TrainingStage):
    """Learns the numbers of classes, 0, 1, 2, ..., in ``labelCol``."""

    _model_class = TuttiClassificationModel


class TuttiRegressor(_TrainingStage):
    """Learns a number."""

    _model_class = TuttiRegressionModel


class TuttiEstimator(_TrainingStage):
    """Learns any numbers, of one or several columns, with any loss."""

    _model_class = TuttiModel


def _name_as_in_java():
    """Pipelines that are loaded look for a Python class by the name that the JVM class has."""
    path = ""
    for part in _PACKAGE.split("."):
        path = path + "." + part if path else part
        if path not in sys.modules:
            sys.modules[path] = types.ModuleType(path)
    for name in __all__:
        setattr(sys.modules[_PACKAGE], name, globals()[name])


_name_as_in_java()
