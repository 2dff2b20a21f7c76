package dev.tutti.source.column;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.comm.Collectives;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.source.Source;
import dev.tutti.data.transform.FittedTransform;
import dev.tutti.data.transform.NamedRowEncoder;
import dev.tutti.data.transform.SourceTransform;
import dev.tutti.source.combined.CombinedSource;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.TableSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the columns of a table become the inputs of a model and its label.
 *
 * <pre>{@code
 * Columns columns = Columns.of(numeric("age"), category("work"), bucket("hours", 20, 40)).label(classes("income"));
 * Trainer.of(...).features(columns.fit(train))
 * }</pre>
 *
 * <p>The inputs are, in this order and as far as there are any: all numbers as one float32 array; the ids of encoders with an
 * embedding as one int64 array, each encoder with a range of ids of its own; an int64 array for each sequence.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class Columns implements SourceTransform, FittedTransform {
    private List<ColumnEncoder> inputs = List.of();
    private LabelColumn label;
    private String weight;

    private Columns() {}

    private Columns(List<ColumnEncoder> inputs, LabelColumn label, String weight) {
        this.inputs = List.copyOf(inputs);
        this.label = label;
        this.weight = weight;
    }

    public static Columns of(ColumnEncoder... inputs) {
        return new Columns(List.of(inputs), null, null);
    }

    public Columns label(LabelColumn column) {
        return new Columns(inputs, column, weight);
    }

    /** A column of numbers by which the loss of each row is multiplied, in training and in evaluation; metrics count rows alike. */
    public Columns weight(String column) {
        return new Columns(inputs, label, column);
    }

    /** The column of weights, of columns with a label. */
    Optional<String> weight() {
        return label == null ? Optional.empty() : Optional.ofNullable(weight);
    }

    List<ColumnEncoder> inputs() {
        return inputs;
    }

    Optional<LabelColumn> label() {
        return Optional.ofNullable(label);
    }

    @Override
    public List<String> classes() {
        return label == null || !label.isFitted() ? List.of() : label.classes();
    }

    @Override
    public double meaning(double output) {
        return label == null ? output : label.meaning(output);
    }

    @Override
    public boolean isFitted() {
        return inputs.stream().allMatch(ColumnEncoder::isFitted) && (label == null || label.isFitted());
    }

    /** How many ids the input of ids has in all: the rows an embedding needs. */
    public int embeddingRows() {
        return inputs.stream()
                .filter(input -> input.form() == ColumnEncoder.Form.ID)
                .mapToInt(ColumnEncoder::ids)
                .sum();
    }

    /** Whether some encoder makes numbers, so that the first input of the model is an array of them. */
    public boolean hasNumbers() {
        return inputs.stream().anyMatch(input -> input.form() == ColumnEncoder.Form.DENSE);
    }

    /** The columns it reads and the types it needs them in; without the label, which a table to predict for need not have. */
    Map<String, ColumnType> reads() {
        Map<String, ColumnType> reads = new LinkedHashMap<>();
        for (ColumnEncoder input : inputs) {
            input.reads().forEach((name, type) -> reads.merge(name, type, (a, b) -> a == b ? a : ColumnType.TEXT));
        }
        return reads;
    }

    void check() {
        if (inputs.isEmpty()) {
            throw new DataException("'columns' needs 'inputs': a list such as [{type: numeric, column: age}]");
        }
        inputs.forEach(ColumnEncoder::check);
        if (label != null) {
            label.check();
            if (reads().containsKey(label.column())) {
                throw new DataException(
                        "column '" + label.column() + "' is the label and an input too: the model would only copy it");
            }
            if (weight != null && (reads().containsKey(weight) || weight.equals(label.column()))) {
                throw new DataException(
                        "column '" + weight + "' is the weight of rows: it cannot be the label or an input too");
            }
        }
    }

    @Override
    public Columns fit(Dataset training) {
        check();
        return new ColumnsFit(this, table(training.source()), false).over(training);
    }

    /**
     * The same by several members together: each reads its share of the rows, and what they have seen is merged exactly, so that all
     * get what {@link #fit(Dataset)} gives. All members call it with the same dataset; if one of them fails, all do.
     */
    public Columns fit(Dataset training, Collectives members) {
        check();
        return new ColumnsFit(this, table(training.source()), false).over(training, members);
    }

    /** These columns with room in their vocabularies filled by values of new data; all that was learned stays as it is. */
    public Columns grow(Dataset fresh) {
        requireFitted();
        return new ColumnsFit(this, table(fresh.source()), true).over(fresh);
    }

    /** How far new data are from what the columns were fitted to, the furthest column first. */
    public List<ColumnDrift> drift(Dataset fresh) {
        requireFitted();
        return DriftReport.of(this, table(fresh.source()), fresh);
    }

    private void requireFitted() {
        check();
        if (!isFitted()) {
            throw new DataException("the columns are not fitted yet: call fit(...) with the training part first");
        }
    }

    @Override
    public Source applyTo(Source source) {
        requireFitted();
        if (source instanceof CombinedSource several) {
            return several.over(several.sources().stream().map(this::applyTo).toList());
        }
        return new EncodedSource(table(source), this);
    }

    /** Makes arrays of raw rows that lie in no table. */
    public RowEncoder rowEncoder() {
        requireFitted();
        return new RowEncoder(this);
    }

    @Override
    public Optional<NamedRowEncoder> namedRows() {
        return isFitted() ? Optional.of(rowEncoder()) : Optional.empty();
    }

    private static TableSource table(Source source) {
        if (source instanceof TableSource table) {
            return table;
        }
        throw new DataException("columns need a table, such as csv, parquet or sql: received " + source);
    }

    /** These columns with other encoders, in the same order. */
    Columns with(List<ColumnEncoder> encoders, LabelColumn fitted) {
        return new Columns(encoders, fitted, weight);
    }

    @Override
    public String toString() {
        List<String> names = new ArrayList<>(reads().keySet());
        return "columns" + names;
    }
}
