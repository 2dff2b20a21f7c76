package dev.tutti.source.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.transform.Transform;
import dev.tutti.json.Json;
import dev.tutti.source.Sources;
import dev.tutti.source.table.BadRows;
import dev.tutti.source.table.TableSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What columns become, by hand for a few rows and against plain loops for many. */
class ColumnsTest {
    @TempDir
    Path folder;

    private TableSource table(String text) throws IOException {
        return Sources.csv(Files.writeString(Files.createTempFile(folder, "t", ".csv"), text)
                .toString());
    }

    private static Batch all(Dataset data) {
        try (BatchReader reader = data.batch(1000).open(0)) {
            return reader.next().orElseThrow();
        }
    }

    private static Columns refitted(Columns columns, Dataset data) {
        Columns fitted = columns.fit(data);
        return (Columns) Json.read(Json.write(fitted), Transform.class, "columns"); // as it is saved and loaded
    }

    private Batch encoded(Columns columns, String text) throws IOException {
        Dataset data = Dataset.of(table(text));
        return all(data.map(refitted(columns, data)));
    }

    @Test
    void numbersAreStandardisedAndMissingOnesFilled() throws IOException {
        Batch batch = encoded(
                Columns.of(
                        NumericColumn.of("a").indicator(),
                        NumericColumn.of("b").minMax().clip(0, 10),
                        NumericColumn.of("c").unscaled().log().missing(0)),
                "a,b,c\n1,-5,0\n3,5,\n,100,-1.718281828459045\n");
        float[] row = batch.feature().floats();
        assertThat(batch.feature().shape().toArray()).containsExactly(3, 4);
        assertThat(row)
                .containsExactly(
                        new float[] {-1, 0, 0, 0, 1, 0, 0.5f, 0, 0, 1, 1, -1}, within(1e-6f)); // -log(1 + e - 1) is -1
    }

    @Test
    void categoriesKeepTheirIdsAndUnknownOnesAreZero() throws IOException {
        Columns columns =
                Columns.of(CategoryColumn.of("c"), CategoryColumn.of("n").size(4));
        Dataset training = Dataset.of(table("c,n\nred,1\nblue,1\nred,2\n,2\nred,3\n"));
        Columns fitted = refitted(columns, training);
        Batch batch =
                all(Dataset.of(table("n,c,more\n1,blue,x\n9,green,y\n,red,z\n")).map(fitted));
        assertThat(batch.feature().shape().toArray()).containsExactly(3, 3 + 4);
        assertThat(batch.feature().floats())
                .containsExactly(0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0);
    }

    @Test
    void embeddingsShareOneInputWithRangesOfTheirOwn() throws IOException {
        Batch batch = encoded(
                Columns.of(
                        CategoryColumn.of("c").size(5).embedding(),
                        NumericColumn.of("x").unscaled(),
                        BucketColumn.of("x", 1, 2).embedding(),
                        CrossColumn.of(50, "c", "d").embedding(),
                        HashedColumn.of("d", 20).embedding()),
                "c,d,x\na,k,0.5\nb,k,1\n,l,\na,k,7\n");
        assertThat(batch.features()).hasSize(2);
        long[] ids = batch.features(1).longs();
        assertThat(batch.features(1).shape().toArray()).containsExactly(4, 4);
        assertThat(List.of(ids[0], ids[4], ids[8], ids[12])).containsExactly(1L, 2L, 0L, 1L);
        assertThat(List.of(ids[1], ids[5], ids[9], ids[13])).containsExactly(5L + 1, 5L + 2, 5L, 5L + 3);
        assertThat(ids[2]).isEqualTo(ids[14]).isNotEqualTo(ids[6]).isBetween(9L + 1, 9L + 49);
        assertThat(ids[10]).isEqualTo(9);
        assertThat(ids[3]).isEqualTo(ids[7]).isNotEqualTo(ids[11]).isBetween(59L + 1, 59L + 19);
    }

    @Test
    void wordsAndIdsComeAsBagsOrSequences() throws IOException {
        Batch batch = encoded(
                Columns.of(
                        TextColumn.of("t", 4).atLeast(1),
                        TextColumn.of("t", 5).atLeast(1).sequence(4),
                        IdListColumn.of("l", 10).atLeast(1).sequence(3)),
                "t,l\n\"Good, good day\",7|9\n\"Good?\",9\n,\n");
        float two = (float) Math.log(3);
        float one = (float) Math.log(2);
        assertThat(batch.feature().floats()) // words by how often: good, comma, then ? before day
                .containsExactly(new float[] {one, two, one, 0, 0, one, 0, one, 0, 0, 0, 0}, within(1e-6f));
        assertThat(batch.features(1).longs()).containsExactly(2, 3, 2, 1, 2, 4, 0, 0, 0, 0, 0, 0);
        assertThat(batch.features(2).longs()).containsExactly(3, 2, 0, 2, 0, 0, 0, 0, 0);
    }

    @Test
    void datesAreTimesAndPointsOnCircles() throws IOException {
        Batch batch = encoded(
                Columns.of(DateColumn.of("d").parts(DateColumn.Part.TIME, DateColumn.Part.MONTH, DateColumn.Part.HOUR)),
                "d\n2026-01-01 06:00:00\n2026-01-03 06:00:00\n\n2026-01-02 06:00:00\n");
        float[] row = batch.feature().floats();
        assertThat(List.of(row[1], row[2], row[3])).containsExactly(0f, 1f, 1f);
        assertThat(row[4]).isCloseTo(0, within(1e-6f));
        assertThat(row[0]).isCloseTo(-row[5], within(1e-6f));
    }

    @Test
    void whatIsFittedIsThePlainLoopsResultAndDoesNotDependOnOrderOrThreads() throws IOException {
        Random random = new Random(4);
        int rows = 50_000;
        StringBuilder text = new StringBuilder("x,c\n");
        double[] x = new double[rows];
        for (int i = 0; i < rows; i++) {
            x[i] = random.nextGaussian() * 1e6 + 1e9;
            text.append(x[i])
                    .append(",v")
                    .append((int) Math.abs(random.nextGaussian() * 20))
                    .append('\n');
        }
        Columns columns = Columns.of(
                NumericColumn.of("x"), CategoryColumn.of("c"), BucketColumn.quantiles("x", 7), DateColumn.of("t"));
        Columns withoutDate = Columns.of(columns.inputs().subList(0, 3).toArray(ColumnEncoder[]::new));
        TableSource table = table(text.toString());
        String plain = Json.write(withoutDate.fit(Dataset.of(table)));
        assertThat(Json.write(withoutDate.fit(Dataset.of(table).shuffle(9)))).isEqualTo(plain);
        double mean = 0;
        for (double value : x) {
            mean += value / rows;
        }
        double squares = 0;
        for (double value : x) {
            squares += (value - mean) * (value - mean) / rows;
        }
        var numeric = Json.json()
                .valueToTree(withoutDate.fit(Dataset.of(table)))
                .get("inputs")
                .get(0);
        assertThat(numeric.get("shift").asDouble()).isCloseTo(mean, within(1e-3));
        assertThat(numeric.get("divisor").asDouble()).isCloseTo(Math.sqrt(squares), within(1e-3));
    }

    @Test
    void onlyTheTrainingPartIsLookedAt() throws IOException {
        Dataset rows = Dataset.of(table("x,y\n1,a\n2,b\n3,a\n400,unseen\n"));
        Columns columns = Columns.of(NumericColumn.of("x").minMax()).label(LabelColumn.classes("y"));
        Columns fitted = columns.fit(rows.take(3));
        assertThat(fitted.classes()).containsExactly("a", "b");
        Dataset skipping = Dataset.of(table("x,y\n1,a\n2,b\n3,a\n400,unseen\n").badRows(BadRows.skip(1)));
        Batch batch = all(skipping.map(fitted));
        assertThat(batch.size()).isEqualTo(3);
        assertThat(batch.label().longs()).containsExactly(0, 1, 0);
        assertThat(skipping.map(fitted).source().notices())
                .singleElement()
                .asString()
                .contains("1 bad row", "row 4", "expected one of a, b, received 'unseen'");
        assertThatThrownBy(() -> all(rows.map(fitted)))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("row 4");
    }

    @Test
    void numbersToLearnAreScaledAndScaledBack() throws IOException {
        Dataset data = Dataset.of(table("x,price\n1,100\n2,300\n"));
        Columns fitted = refitted(Columns.of(NumericColumn.of("x")).label(LabelColumn.number("price")), data);
        assertThat(all(data.map(fitted)).label().floats()).containsExactly(-1, 1);
        assertThat(fitted.meaning(1.5)).isEqualTo(350);
        Batch unlabelled = all(Dataset.of(table("x\n5\n")).map(fitted));
        assertThat(unlabelled.labels()).isEmpty();
    }

    @Test
    void whatIsWrongIsSaid() throws IOException {
        Dataset data = Dataset.of(table("age,income,empty\n1,low,\n2,high,\n"));
        List<Object[]> cases = new ArrayList<>();
        cases.add(new Object[] {Columns.of(NumericColumn.of("agee")), "no column 'agee'"});
        cases.add(
                new Object[] {Columns.of(NumericColumn.of("age")).label(LabelColumn.classes("x")), "which is the label"
                });
        cases.add(new Object[] {Columns.of(NumericColumn.of("empty")), "has no value in the training part"});
        cases.add(new Object[] {Columns.of(NumericColumn.of("age")).label(LabelColumn.number("age")), "an input too"});
        cases.add(new Object[] {Columns.of(CategoryColumn.of("income").embedding()), "needs a 'size'"});
        cases.add(new Object[] {Columns.of(BucketColumn.of("age", 3, 1)), "must rise"});
        cases.add(new Object[] {
            Columns.of(NumericColumn.of("income")), "line 2: column 'income': expected a number, received 'low'"
        });
        for (Object[] each : cases) {
            assertThatThrownBy(() -> ((Columns) each[0]).fit(data))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining((String) each[1]);
        }
        assertThatThrownBy(() -> data.map(Columns.of(NumericColumn.of("age")))).hasMessageContaining("not fitted yet");
        assertThatThrownBy(() -> all(data))
                .hasMessageContaining("column 'income'")
                .hasMessageContaining("holds text");
    }

    @Test
    void rawRowsGiveTheSameArraysAsATableOfThem() throws IOException {
        Columns columns = Columns.of(
                        NumericColumn.of("a").indicator(),
                        CategoryColumn.of("c").size(6),
                        CategoryColumn.of("n").size(5).embedding(),
                        DateColumn.of("d"))
                .label(LabelColumn.classes("y"));
        Dataset data = Dataset.of(table(
                "a,c,n,d,y\n1.5,red,1,2026-01-31,no\n,blue,2,2026-02-28,yes\n-3,,3,,no\n4,red,1,2025-12-24,yes\n"));
        Columns fitted = refitted(columns, data);
        List<Map<String, Object>> rows = new ArrayList<>();
        rows.add(Map.of("a", 1.5, "c", "red", "n", 1, "d", LocalDate.of(2026, 1, 31), "y", "no"));
        rows.add(Map.of("c", " blue ", "n", 2.0, "d", "2026-02-28", "y", "yes"));
        rows.add(Map.of("a", "-3", "n", "3", "y", "no", "more", "ignored"));
        rows.add(Map.of("a", 4L, "c", "red", "n", 1, "d", LocalDateTime.of(2025, 12, 24, 0, 0), "y", "yes"));
        RowEncoder encoder = fitted.rowEncoder();
        Batch expected = all(data.map(fitted));
        Batch labelled = encoder.labelled(rows);
        assertThat(labelled.features().get(0).floats())
                .isEqualTo(expected.features().get(0).floats());
        assertThat(labelled.features().get(1).longs())
                .isEqualTo(expected.features().get(1).longs());
        assertThat(labelled.labels().get(0).longs())
                .isEqualTo(expected.labels().get(0).longs());
        assertThat(encoder.features(rows).labels()).isEmpty();
        assertThat(encoder.inputs()).containsExactlyInAnyOrder("a", "c", "n", "d");
        assertThatThrownBy(() -> encoder.features(List.of(Map.of("a", "many"))))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("row 0, column 'a': expected number, received 'many'");
        assertThatThrownBy(() -> encoder.labelled(List.of(Map.of("a", 1, "y", "perhaps"))))
                .hasMessageContaining("expected one of no, yes, received 'perhaps'");
    }
}
