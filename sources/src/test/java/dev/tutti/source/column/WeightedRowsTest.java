package dev.tutti.source.column;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.transform.Transform;
import dev.tutti.json.Json;
import dev.tutti.loss.Loss;
import dev.tutti.nn.Sequential;
import dev.tutti.source.Sources;
import dev.tutti.source.table.BadRows;
import dev.tutti.source.table.TableSource;
import dev.tutti.train.Trainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A column with the weight of each row. */
class WeightedRowsTest {
    @TempDir
    Path folder;

    private TableSource table(boolean repeated) throws IOException {
        StringBuilder text = new StringBuilder("x,w,kind\n");
        for (int i = 0; i < 40; i++) {
            String row = i % 9 + "." + i % 4 + "," + i % 3 + "," + (i % 5 < 2 ? "a" : "b") + "\n";
            text.append(row.repeat(repeated ? i % 3 : 1));
        }
        return Sources.csv(Files.writeString(folder.resolve(repeated ? "repeated.csv" : "weighted.csv"), text)
                .toString());
    }

    private static Columns columns() {
        return Columns.of(NumericColumn.of("x").unscaled()).label(LabelColumn.classes("kind"));
    }

    private static double[] trained(Dataset data, Columns columns, Loss loss, double rate) {
        Columns fitted = (Columns) Json.read(Json.write(columns.fit(data)), Transform.class, "columns");
        Dataset rows = data.map(fitted).batch(1000);
        try (Trainer trainer =
                Trainer.of(Sequential.of(dense(2)), sgd(rate), loss).seed(3)) {
            trainer.fit(rows, epochs(20));
            return new double[] {
                trainer.evaluate(rows).loss(),
                trainer.model().arrays().values().iterator().next().at(0)
            };
        }
    }

    @Test
    void rowsWithWeightsTrainLikeRowsThatAreRepeated() throws IOException {
        double ratio = table(true).size().getAsLong() / 40.0;
        double[] weighted = trained(
                Dataset.of(table(false)),
                columns().weight("w"),
                softmaxCrossEntropy().weighted(),
                0.1);
        double[] repeated = trained(Dataset.of(table(true)), columns(), softmaxCrossEntropy(), 0.1 * ratio);
        double[] plain = trained(Dataset.of(table(false)), columns(), softmaxCrossEntropy(), 0.1);
        assertThat(weighted[0]).isCloseTo(repeated[0] * ratio, within(1e-5));
        assertThat(weighted[1]).isCloseTo(repeated[1], within(1e-5)).isNotCloseTo(plain[1], within(1e-4));
    }

    @Test
    void aWeightThatIsNoneMakesABadRow() throws IOException {
        Path file = Files.writeString(folder.resolve("bad.csv"), "x,w,kind\n1,2,a\n2,-1,b\n3,,a\n4,0.5,b\n");
        TableSource table = Sources.csv(file.toString());
        Columns columns = columns().weight("w");
        assertThatThrownBy(() ->
                        Dataset.of(table).map(columns.fit(Dataset.of(table))).open(0))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("row 2")
                .hasMessageContaining("column 'w' is the weight of the row: expected a number of 0 or more");
        Dataset skipping = Dataset.of(table.badRows(BadRows.skip(2)));
        assertThat(skipping.map(columns.fit(skipping)).size()).hasValue(2);
        assertThatThrownBy(() -> columns().weight("x").fit(Dataset.of(table)))
                .hasMessageContaining("cannot be the label or an input too");
    }
}
