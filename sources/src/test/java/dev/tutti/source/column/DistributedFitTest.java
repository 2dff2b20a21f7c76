package dev.tutti.source.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.network.NetworkCollectives;
import dev.tutti.comm.transport.FolderBoard;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.source.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Columns that several processes fit together, each with its part of the rows: the same as one process fits. */
class DistributedFitTest {
    private static final int MEMBERS = 3;

    @TempDir
    Path folder;

    static Columns columns() {
        return Columns.of(
                        NumericColumn.of("x"),
                        NumericColumn.of("y").minMax(),
                        CategoryColumn.of("town"),
                        BucketColumn.quantiles("y", 7),
                        DateColumn.of("day"),
                        TextColumn.of("words", 30))
                .label(LabelColumn.classes("kind"));
    }

    static Dataset training(Path file) {
        return Dataset.of(Sources.csv(file.toString())).shuffle(5).take(60_000);
    }

    private Path table(boolean infinite) throws IOException {
        Random random = new Random(1);
        StringBuilder text = new StringBuilder("x,y,town,day,words,kind\n");
        for (int i = 0; i < 70_000; i++) {
            text.append(
                            infinite && i % 100 == 0
                                    ? "inf"
                                    : Double.toString(random.nextGaussian() * Math.pow(10, i % 30 - 15)))
                    .append(',')
                    .append(i % 50 == 0 ? "" : Float.toString(random.nextFloat()))
                    .append(",t")
                    .append((int) Math.sqrt(random.nextInt(400)))
                    .append(",2024-01-")
                    .append(10 + i % 20)
                    .append(",w")
                    .append(i % 11)
                    .append(" é")
                    .append(i % 3)
                    .append(",k")
                    .append(i % 4)
                    .append('\n');
        }
        return Files.writeString(folder.resolve("t.csv"), text);
    }

    private List<String> fitTogether(Path table) throws Exception {
        List<Process> members = new ArrayList<>();
        for (int rank = 0; rank < MEMBERS; rank++) {
            members.add(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx256m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            FittingMember.class.getName(),
                            folder.toString(),
                            table.toString(),
                            Integer.toString(rank))
                    .inheritIO()
                    .start());
        }
        List<String> answers = new ArrayList<>();
        try {
            for (int rank = 0; rank < MEMBERS; rank++) {
                assertThat(members.get(rank).waitFor(3, TimeUnit.MINUTES)).isTrue();
                answers.add(Files.readString(folder.resolve("fitted-" + rank)));
            }
        } finally {
            members.forEach(Process::destroyForcibly);
        }
        return answers;
    }

    @Test
    void severalProcessesFitWhatOneFits() throws Exception {
        Path table = table(false);
        String alone = Json.write(columns().fit(training(table)));
        assertThat(fitTogether(table))
                .hasSize(MEMBERS)
                .allSatisfy(fitted -> assertThat(fitted).isEqualTo(alone));
    }

    @Test
    void aMemberThatCannotFitItsPartFailsAllOfThem() throws Exception {
        Path table = table(true);
        assertThatThrownBy(() -> columns().fit(training(table))).isInstanceOf(DataException.class);
        assertThat(fitTogether(table))
                .allSatisfy(said -> assertThat(said)
                        .contains("cannot fit the columns to its part")
                        .contains("column 'x'"));
    }

    /** A process that fits its part. */
    static final class FittingMember {
        private FittingMember() {}

        public static void main(String[] arguments) throws IOException {
            Path folder = Path.of(arguments[0]);
            int rank = Integer.parseInt(arguments[2]);
            List<Member> members = IntStream.range(0, MEMBERS)
                    .mapToObj(i -> new Member("worker-" + i, "here"))
                    .toList();
            String said;
            try (var collectives = NetworkCollectives.open(
                    new Group(1, rank, members),
                    new FolderBoard(folder, Duration.ofMinutes(1)),
                    Duration.ofMinutes(1))) {
                said = Json.write(columns().fit(training(Path.of(arguments[1])), collectives));
            } catch (DataException e) {
                said = e.getMessage();
            }
            Files.writeString(folder.resolve("fitted-" + rank), said);
        }
    }
}
