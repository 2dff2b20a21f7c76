package dev.tutti.spark.ml;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.plans.logical.DeserializeToObject;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MapPartitions;
import org.apache.spark.sql.catalyst.plans.logical.SerializeFromObject;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The query that {@link PartitionPrediction} is part of: that of {@code Dataset.mapPartitions}, but for the objects between its steps,
 * which are Spark's own rows. Spark leaves out columns that are not asked for, and streams are queries as any other.
 */
final class PredictionPlan {
    private PredictionPlan() {}

    /**
     * A table with more columns.
     *
     * @param rows with all columns that the function reads
     * @param kept how many of the columns of {@code rows}, from the first, the result has
     * @param added the columns behind them, which the function puts behind all columns of {@code rows}
     */
    static Dataset<Row> of(Dataset<Row> rows, int kept, List<StructField> added, PartitionPrediction function) {
        var table = (org.apache.spark.sql.classic.Dataset<Row>) rows;
        LogicalPlan child = table.queryExecution().analyzed();
        List<Attribute> columns = new ArrayList<>(CollectionConverters.asJava(child.output()));
        List<Expression> named = new ArrayList<>();
        List<StructField> fields = new ArrayList<>();
        for (Attribute column : columns) {
            named.add(Literal$.MODULE$.apply(column.name()));
            named.add(column);
            fields.add(new StructField(column.name(), column.dataType(), column.nullable(), Metadata.empty()));
        }
        CreateNamedStruct struct = new CreateNamedStruct(seq(named));
        LogicalPlan objects = new DeserializeToObject(struct, object("row", struct.dataType()), child);
        fields.addAll(added);
        StructType whole = DataTypes.createStructType(fields);
        Attribute result = object("predicted", whole);
        LogicalPlan predicted = new MapPartitions(function, result, objects);
        List<NamedExpression> selected = new ArrayList<>();
        for (int i = 0; i < whole.length(); i++) {
            if (i < kept || i >= columns.size()) { // not the columns that were made for the function alone
                Option<Metadata> metadata =
                        i < kept ? Option.apply(columns.get(i).metadata()) : Option.empty();
                selected.add(new Alias(
                        new GetStructField(result, i, Option.empty()),
                        whole.apply(i).name(),
                        NamedExpression$.MODULE$.newExprId(),
                        none(),
                        metadata,
                        none()));
            }
        }
        return org.apache.spark.sql.classic.Dataset.ofRows(
                table.sparkSession(), new SerializeFromObject(seq(selected), predicted));
    }

    private static Attribute object(String name, DataType type) {
        return new AttributeReference(
                name, type, false, Metadata.empty(), NamedExpression$.MODULE$.newExprId(), none());
    }

    private static <T> Seq<T> seq(List<T> list) {
        return CollectionConverters.asScala(list).toSeq();
    }

    private static Seq<String> none() {
        return seq(List.of());
    }
}
