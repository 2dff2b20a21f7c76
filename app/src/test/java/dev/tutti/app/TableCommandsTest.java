package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a table to predictions for raw rows by commands alone. */
class TableCommandsTest {
    @TempDir
    static Path folder;

    private final Terminal terminal = new Terminal();
    private static Path people;

    @BeforeAll
    static void writePeople() throws IOException {
        people = Files.writeString(folder.resolve("people.csv"), people(3000, 1, true));
    }

    /** People whose income follows from age, hours, work and town; some values are missing. */
    private static String people(int rows, long seed, boolean labels) {
        Random random = new Random(seed);
        String[] works = {"clerk", "nurse", "pilot", "writer"};
        StringBuilder text = new StringBuilder("id,age,work,hours,since,town" + (labels ? ",income\n" : "\n"));
        for (int i = 0; i < rows; i++) {
            int age = 18 + random.nextInt(60);
            int work = random.nextInt(4);
            int hours = 10 + random.nextInt(40);
            int town = random.nextInt(90);
            double score = hours * (work + 1) + (town % 2 == 0 ? 30 : -30) + (age > 40 ? 20 : 0);
            text.append(String.format(
                    Locale.ROOT,
                    "p%d,%s,%s,%d,20%02d-03-%02d,town-%d",
                    i,
                    i % 50 == 0 ? "" : Integer.toString(age),
                    i % 70 == 0 ? "?" : works[work],
                    hours,
                    random.nextInt(25),
                    1 + random.nextInt(28),
                    town));
            text.append(labels ? score > 75 ? ",high\n" : ",low\n" : "\n");
        }
        return text.toString();
    }

    @Test
    void peekShowsWhatATableHolds() {
        assertThat(terminal.run("peek", people.toString(), "--rows", "2")).isZero();
        assertThat(terminal.out())
                .contains("3,000 rows, 7 columns", "integer", "2.0%", "town-", "█", "2000-03", "p0", "p1")
                .doesNotContain("p2 ");
        assertThat(terminal.out())
                .as("whole numbers are written as such")
                .doesNotContain("00 to ")
                .doesNotContain("e+0");
        assertThat(terminal.run("peek", people.toString(), "--json")).isZero();
        JsonNode age = terminal.json().get("columns").get(1);
        assertThat(age.get("name").asText()).isEqualTo("age");
        assertThat(age.get("missing").asInt()).isEqualTo(60);
        assertThat(terminal.run("peek", folder.resolve("none.csv").toString())).isEqualTo(4);
        assertThat(terminal.err()).contains("there is no such file");
    }

    @Test
    void aDraftedJobLearnsTheTableAndAnswersForRawRows() throws IOException {
        Path job = folder.resolve("job.yaml");
        assertThat(terminal.run("init", people.toString(), "--label", "income", "--output", job.toString()))
                .isZero();
        String text = Files.readString(job);
        assertThat(text)
                .contains(
                        "# id: left out",
                        "{type: numeric, column: age, indicator: true}",
                        "column: work",
                        "as: embedding")
                .contains("{type: date, column: since");
        Path run = folder.resolve("run");
        assertThat(terminal.run("train", job.toString(), "--epochs", "20", "--output", run.toString(), "--json"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.json().get("accuracy").asDouble()).isGreaterThan(0.9);

        Path test = Files.writeString(folder.resolve("test.csv"), people(500, 2, true));
        assertThat(terminal.run("evaluate", run.toString(), "--data", test.toString(), "--json"))
                .isZero();
        assertThat(terminal.json().get("samples").asInt()).isEqualTo(500);
        assertThat(terminal.json().get("accuracy").asDouble()).isGreaterThan(0.93);

        Path fresh = Files.writeString(folder.resolve("fresh.csv"), people(5, 3, false));
        assertThat(terminal.run("predict", run.toString(), fresh.toString(), "--json"))
                .as(terminal.err())
                .isZero();
        JsonNode predictions = terminal.json().get("predictions");
        assertThat(predictions).hasSize(5);
        assertThat(predictions.get(0).get("class").asText()).isIn("high", "low");

        Files.writeString(folder.resolve("strange.csv"), "age,work\n3,clerk\n");
        assertThat(terminal.run("predict", run.toString(), folder + "/strange.csv"))
                .isEqualTo(4);
        assertThat(terminal.err()).contains("has no column 'hours', which the features are made of");
    }

    @Test
    void aDraftedJobLearnsANumberOnTwoProcesses() throws IOException {
        Random random = new Random(5);
        StringBuilder text = new StringBuilder("rooms,place,price\n");
        for (int i = 0; i < 1500; i++) {
            int rooms = 1 + random.nextInt(6);
            boolean lake = random.nextBoolean();
            text.append(rooms)
                    .append(lake ? ",lake," : ",road,")
                    .append(100_000 * rooms + (lake ? 150_000 : 0) + random.nextInt(9000))
                    .append('\n');
        }
        Path houses = Files.writeString(folder.resolve("houses.csv"), text);
        Path job = folder.resolve("houses.yaml");
        assertThat(terminal.run("init", houses.toString(), "--label", "price", "--output", job.toString()))
                .isZero();
        Path run = folder.resolve("houses");
        assertThat(terminal.run(
                        "train",
                        job.toString(),
                        "--epochs",
                        "6",
                        "--processes",
                        "2",
                        "--output",
                        run.toString(),
                        "--json"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.json().get("r2").asDouble()).isGreaterThan(0.97);
        Path one = Files.writeString(folder.resolve("one.csv"), "place,rooms\nlake,4\n");
        assertThat(terminal.run("predict", run.toString(), one.toString(), "--json"))
                .isZero();
        assertThat(terminal.json()
                        .get("predictions")
                        .get(0)
                        .get("output")
                        .get(0)
                        .asDouble())
                .isBetween(450_000.0, 650_000.0);
    }

    @Test
    void aModelLearnsOnFromNewRowsAndKeepsWhatItKnows() throws IOException {
        Path job = folder.resolve("grow.yaml");
        assertThat(terminal.run("init", people.toString(), "--label", "income", "--output", job.toString()))
                .isZero();
        Path run = folder.resolve("grow");
        assertThat(terminal.run("train", job.toString(), "--epochs", "12", "--output", run.toString()))
                .isZero();
        String fresh =
                people(1500, 9, true).replace("pilot", "sailor").replaceAll("(?m)^(p\\d+),(\\d)(\\d)?,", "$1,9$2,");
        Path more = Files.createDirectories(folder.resolve("more"));
        Files.writeString(more.resolve("rows.csv"), fresh);
        Path next = folder.resolve("grown");
        assertThat(terminal.run(
                        "train",
                        job.toString(),
                        "--from",
                        run.toString(),
                        "--data",
                        more.toString(),
                        "--replay",
                        "0.5",
                        "--distill",
                        "0.2",
                        "--consolidate",
                        "1",
                        "--epochs",
                        "6",
                        "--output",
                        next.toString(),
                        "--json"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.err())
                .contains(
                        "work: 2",
                        "1 values are new",
                        "age: the mean moved by",
                        "On the data it was measured by before");
        JsonNode result = terminal.json();
        assertThat(result.get("drift").get(0).get("column").asText()).isEqualTo("age");
        assertThat(result.get("accuracy").asDouble()).isGreaterThan(0.85);
        assertThat(result.get("oldData").get("metrics").get("accuracy").asDouble())
                .isGreaterThan(0.9);
        assertThat(result.get("forgetting").get("accuracy").asDouble()).isLessThan(0.05);
        JsonNode before =
                Json.json().readTree(run.resolve("model/features.json").toFile());
        JsonNode after =
                Json.json().readTree(next.resolve("model/features.json").toFile());
        JsonNode words = after.get("transforms")
                .get(0)
                .get("inputs")
                .get(1)
                .get("vocabulary")
                .get("counts");
        List<String> names = new ArrayList<>();
        words.fieldNames().forEachRemaining(names::add);
        assertThat(names).hasSize(5).endsWith("sailor");
        assertThat(after.get("transforms").get(0).get("inputs").get(0))
                .isEqualTo(before.get("transforms").get(0).get("inputs").get(0));
        assertThat(terminal.run("train", job.toString(), "--data", more.toString()))
                .isEqualTo(2);
        assertThat(terminal.err()).contains("--from");
    }

    @Test
    void aDraftedJobLearnsAFolderOfImages() throws IOException {
        Path photos = folder.resolve("photos");
        for (int i = 0; i < 80; i++) {
            BufferedImage image = new BufferedImage(20, 20, BufferedImage.TYPE_INT_RGB);
            boolean red = i % 2 == 0;
            for (int at = 0; at < 200; at++) {
                image.setRGB(at % 20, at / 20, red ? 0xff0000 + i : 0x0000ff - i);
            }
            Path file = photos.resolve(red ? "red" : "blue").resolve(i + ".png");
            Files.createDirectories(file.getParent());
            ImageIO.write(image, "png", file.toFile());
        }
        Path job = folder.resolve("photos.yaml");
        assertThat(terminal.run("init", photos.toString(), "--output", job.toString()))
                .as(terminal.err())
                .isZero();
        Path run = folder.resolve("photos-run");
        assertThat(terminal.run(
                        "train", job.toString(), "--epochs", "6", "--batch", "8", "--output", run.toString(), "--json"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.json().get("accuracy").asDouble()).isGreaterThan(0.9);
        assertThat(terminal.run(
                        "predict", run.toString(), photos.resolve("red/0.png").toString(), "--json"))
                .isZero();
        assertThat(terminal.json().get("predictions").get(0).get("class").asText())
                .isEqualTo("red");
    }

    /** A text with tabs: no header, quotes that are part of the text, and few passes, since words are soon known by heart. */
    @Test
    void aDraftedJobLearnsATextFileWithLabels() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            String word = i % 2 == 0 ? "lovely" : "dreadful";
            lines.append(i % 2 == 0 ? "good" : "bad")
                    .append("\tit was a \"")
                    .append(word)
                    .append("\" evening number ")
                    .append(i)
                    .append('\n');
        }
        Path text = Files.writeString(folder.resolve("evenings.txt"), lines);
        Path job = folder.resolve("evenings.yaml");
        assertThat(terminal.run("init", text.toString(), "--label", "column0", "--output", job.toString()))
                .as(terminal.err())
                .isZero();
        assertThat(Files.readString(job)).contains("{type: text, column: column1, size: 2000}", "epochs: 6");
        Path output = folder.resolve("evenings");
        assertThat(terminal.run("train", job.toString(), "--output", output.toString()))
                .as(terminal.err())
                .isZero();
        Path rows = Files.writeString(folder.resolve("more.txt"), "good\tit was a \"lovely\" evening\n");
        assertThat(terminal.run("predict", output.toString(), rows.toString())).isZero();
        assertThat(terminal.out()).containsPattern("more.txt 0 +good +good");
    }

    @Test
    void initSaysWhatIsWrong() throws IOException {
        assertThat(terminal.run("init", people.toString())).isEqualTo(2);
        assertThat(terminal.err()).contains("--label", "income");
        assertThat(terminal.run("init", people.toString(), "--label", "incme")).isEqualTo(4);
        assertThat(terminal.err()).contains("did you mean 'income'");
        assertThat(terminal.run("init", folder.resolve("nothing").toString())).isEqualTo(4);
        assertThat(terminal.err()).contains("nothing: there is no such file or folder");
        Path there = Files.writeString(folder.resolve("there.yaml"), "mine");
        assertThat(terminal.run("init", people.toString(), "--label", "income", "--output", there.toString()))
                .isEqualTo(2);
        assertThat(Files.readString(there)).isEqualTo("mine");
    }
}
