package dev.tutti.spark.ml;

import dev.tutti.spark.feed.FedColumn;
import dev.tutti.train.Predictor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsReader$;
import org.apache.spark.ml.util.DefaultParamsWriter$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * A fitted model of Tutti as a stage of Spark ML. On disk it is Spark's metadata beside a folder {@code model}, an ordinary saved model.
 *
 * @param <M> the class of the stage
 */
public abstract class TrainedStage<M extends TrainedStage<M>> extends Model<M> implements TuttiParams, MLWritable {
    private static final long serialVersionUID = 1;
    /** The beginning of the names of columns that are there while a table is transformed. */
    private static final String FLOATS_OF = "tutti floats of ";

    private final String uid;
    private final ParamSet params;
    private final ModelFiles files;
    private transient Broadcast<ModelFiles> shared;

    TrainedStage(String uid, ModelFiles files) {
        this.uid = uid;
        this.files = files;
        this.params = new ParamSet(this);
        setDefault(featuresCol(), "features");
        setDefault(labelCol(), "label");
        setDefault(predictionCol(), "prediction");
    }

    /** The same model with the same files. */
    abstract M again(String itsUid, ModelFiles itsFiles);

    /** The columns that are written, and what each holds; a column whose name is empty is left out. */
    abstract Map<Param<String>, PartitionPrediction.OutputColumn> outputs();

    @Override
    public final ParamSet paramSet() {
        return params;
    }

    @Override
    public final String uid() {
        return uid;
    }

    /** The saved model. */
    public final ModelFiles files() {
        return files;
    }

    /** Loads the model into this JVM, to ask it without Spark. */
    public final Predictor predictor() {
        return files.predictor();
    }

    /** Writes the model as an ordinary folder of Tutti, to a path of any file system that Hadoop knows. */
    public final void saveModel(String path) {
        files.write(path, new Configuration());
    }

    @SuppressWarnings("unchecked")
    private M self() {
        return (M) this;
    }

    public final M setFeaturesCol(String column) {
        set(featuresCol(), column);
        return self();
    }

    public final M setFeaturesCols(String... columns) {
        set(featuresCols(), columns);
        return self();
    }

    public final M setPredictionCol(String column) {
        set(predictionCol(), column);
        return self();
    }

    @Override
    public final M copy(ParamMap extra) {
        M copy = again(uid, files);
        copyValues(copy, extra);
        copy.setParent(parent());
        return copy;
    }

    private Map<String, PartitionPrediction.OutputColumn> written() {
        Map<String, PartitionPrediction.OutputColumn> columns = new LinkedHashMap<>();
        outputs().forEach((param, kind) -> {
            String name = valueOf(param);
            if (name != null && !name.isEmpty()) {
                columns.put(name, kind);
            }
        });
        return columns;
    }

    private static DataType typeOf(PartitionPrediction.OutputColumn kind) {
        return switch (kind) {
            case CLASS, NUMBER -> DataTypes.DoubleType;
            case RAW, PROBABILITY -> SQLDataTypes.VectorType();
        };
    }

    @Override
    public final StructType transformSchema(StructType schema) {
        featureNames().forEach(name -> TableColumns.type(schema, name));
        List<StructField> fields = new ArrayList<>(Arrays.asList(schema.fields()));
        written().forEach((name, kind) -> {
            fields.removeIf(field -> field.name().equals(name));
            fields.add(DataTypes.createStructField(name, typeOf(kind), false));
        });
        return DataTypes.createStructType(fields);
    }

    @Override
    public final Dataset<Row> transform(Dataset<?> table) {
        Map<String, PartitionPrediction.OutputColumn> columns = written();
        Dataset<Row> rows = table.toDF();
        for (String name : columns.keySet()) {
            rows = rows.drop(name);
        }
        int kept = rows.columns().length;
        List<PartitionPrediction.FeatureColumn> features = new ArrayList<>();
        for (String name : featureNames()) {
            features.add(TableColumns.feature(rows.schema(), name));
        }
        for (int i = 0; i < features.size(); i++) {
            if (features.get(i).kind() == null) { // such as whole numbers: read from a column of their floats
                String name = features.get(i).name();
                rows = rows.withColumn(FLOATS_OF + i, TableColumns.readable(rows, name));
                FedColumn.Kind kind = FedColumn.kind(
                        name, rows.schema().apply(rows.columns().length - 1).dataType());
                features.set(i, new PartitionPrediction.FeatureColumn(name, kind, rows.columns().length - 1));
            }
        }
        List<StructField> added = new ArrayList<>();
        columns.forEach((name, kind) -> added.add(DataTypes.createStructField(name, typeOf(kind), false)));
        return PredictionPlan.of(
                rows,
                kept,
                added,
                new PartitionPrediction(
                        shared(table), features, columns.values().toArray(PartitionPrediction.OutputColumn[]::new)));
    }

    private synchronized Broadcast<ModelFiles> shared(Dataset<?> table) {
        if (shared == null) {
            shared = JavaSparkContext.fromSparkContext(table.sparkSession().sparkContext())
                    .broadcast(files);
        }
        return shared;
    }

    @Override
    public final MLWriter write() {
        return new MLWriter() {
            @Override
            public void saveImpl(String path) {
                DefaultParamsWriter$.MODULE$.saveMetadata(TrainedStage.this, path, sparkSession());
                files.write(path + "/model", sparkSession().sparkContext().hadoopConfiguration());
            }
        };
    }

    /** Makes a stage of what was saved. */
    interface Making<M> {
        M of(String uid, ModelFiles files);
    }

    static <M extends TrainedStage<M>> MLReader<M> reader(Class<M> type, Making<M> making) {
        return new MLReader<>() {
            @Override
            public M load(String path) {
                var metadata = DefaultParamsReader$.MODULE$.loadMetadata(path, sparkSession(), type.getName());
                ModelFiles files = ModelFiles.read(
                        path + "/model", sparkSession().sparkContext().hadoopConfiguration());
                M stage = making.of(metadata.uid(), files);
                metadata.getAndSetParams(stage, scala.Option.empty());
                return stage;
            }
        };
    }

    @Override
    public String toString() {
        return uid;
    }
}
