package dev.tutti.cluster.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.coordinator.Event;
import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.TestingJob;
import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Leases;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.FileException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class JournalTest {
    private static final MembershipRules RULES = MembershipRules.of(2);

    @TempDir
    Path folder;

    @Test
    void whateverIsCutOffTheRestIsTheStateAtThatTime() throws Exception {
        TestingJob job = TestingJob.eventful(RULES);
        List<String> states = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        Path file = file();
        try (Journal journal = Journal.open(folder)) {
            for (int i = 0; i <= job.journal.size(); i++) {
                ends.add(Files.size(file));
                states.add(TestingJob.reborn(RULES, job.journal.subList(0, i)).knowledge());
                if (i < job.journal.size()) {
                    Journal.Entry entry = job.journal.get(i);
                    journal.append(entry.at(), entry.facts());
                }
            }
        }
        assertThat(states.get(states.size() - 1)).isEqualTo(job.coordinator.knowledge());
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length <= whole.length; length += 7) {
            Files.write(file, Arrays.copyOf(whole, length));
            int entries = 0;
            while (entries + 1 < ends.size() && ends.get(entries + 1) <= length) {
                entries++;
            }
            try (Journal journal = Journal.open(folder)) {
                assertThat(TestingJob.reborn(RULES, journal.entries()).knowledge())
                        .isEqualTo(states.get(entries));
            }
            assertThat(Files.size(file)).as("what was cut off is gone").isEqualTo(ends.get(entries));
        }
    }

    @Test
    void itGoesOnAfterACutLine() throws Exception {
        Fact fact = new Fact.Configured("a", "b", 1);
        try (Journal journal = Journal.open(folder)) {
            journal.append(1, List.of(fact));
        }
        Path file = file();
        Files.writeString(file, Files.readString(file) + "00000000 {\"at\":");
        try (Journal journal = Journal.open(folder)) {
            journal.append(2, List.of(fact, fact));
            journal.append(3, List.of());
        }
        try (Journal journal = Journal.open(folder)) {
            assertThat(journal.entries())
                    .containsExactly(new Journal.Entry(1, List.of(fact)), new Journal.Entry(2, List.of(fact, fact)));
        }
    }

    @Test
    void aChangedLineIsNamed() throws Exception {
        try (Journal journal = Journal.open(folder)) {
            journal.append(1, List.of(new Fact.Configured("a", "b", 1)));
            journal.append(2, List.of(new Fact.Configured("a", "c", 2)));
        }
        Path file = file();
        Files.writeString(file, Files.readString(file).replace("\"b\"", "\"d\""));
        assertThatThrownBy(() -> Journal.open(folder))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("line 1 does not fit its checksum");
    }

    @Test
    void twoCannotShareIt() {
        try (Journal journal = Journal.open(folder)) {
            assertThat(journal.entries()).isEmpty();
            assertThatThrownBy(() -> Journal.open(folder))
                    .isInstanceOf(FileException.class)
                    .hasMessageContaining("another coordinator uses it");
        }
        Journal.open(folder).close();
    }

    @Test
    void anotherProcessCannotShareItEither() throws Exception {
        try (Journal journal = Journal.open(folder)) {
            journal.append(1, List.of(new Fact.Configured("a", "b", 1)));
            assertThatThrownBy(() -> Journal.open(folder)).isInstanceOf(FileException.class);
            assertThat(openElsewhere()).contains("another coordinator uses it");
            journal.compact(List.of());
            assertThat(openElsewhere()).contains("another coordinator uses it");
        }
        assertThat(openElsewhere()).contains("opened");
    }

    private String openElsewhere() throws Exception {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Elsewhere.class.getName(),
                        folder.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return said;
    }

    /** A process that opens the journal of the folder it is told. */
    static final class Elsewhere {
        public static void main(String[] arguments) {
            Journal.open(Path.of(arguments[0])).close();
            System.out.println("opened");
        }
    }

    // ---- the summary

    @Test
    void aJournalThatBeganAnewTellsTheSame() throws Exception {
        TestingJob job = TestingJob.eventful(RULES);
        try (Journal journal = Journal.open(folder)) {
            job.journal.forEach(entry -> journal.append(entry.at(), entry.facts()));
            journal.compact(job.coordinator.summary(job.now));
            job.apply(new Event.Configure("rate", "0.2"));
            journal.append(
                    job.now,
                    List.of(new Fact.Configured(
                            "rate", "0.2", job.coordinator.configuration().version())));
        }
        assertThat(reopened()).isEqualTo(job.coordinator.knowledge());
        assertThat(folder).as("nothing is left beside it").isDirectoryNotContaining("glob:**.next");
    }

    /** The process is killed while the summary is being written, before it is renamed, after that, and in the line that follows. */
    @Test
    void killedAtAnyMomentItLosesNothing() throws Exception {
        TestingJob job = TestingJob.eventful(RULES);
        String knowledge = job.coordinator.knowledge();
        byte[] before;
        byte[] summary;
        try (Journal journal = Journal.open(folder)) {
            job.journal.forEach(entry -> journal.append(entry.at(), entry.facts()));
            before = Files.readAllBytes(file());
            journal.compact(job.coordinator.summary(job.now));
            summary = Files.readAllBytes(file());
            journal.append(job.now, List.of(new Fact.Configured("late", "x", 4)));
        }
        byte[] after = Files.readAllBytes(file());
        Path next = folder.resolve("coordinator.log.next");
        for (int written = 0; written <= summary.length; written += 5) {
            Files.write(file(), before);
            Files.write(next, Arrays.copyOf(summary, written));
            assertThat(reopened()).as("%d bytes of the summary", written).isEqualTo(knowledge);
            assertThat(next).doesNotExist();
            assertThat(Files.readAllBytes(file())).isEqualTo(before);
        }
        for (int written = summary.length; written < after.length; written++) {
            Files.write(file(), Arrays.copyOf(after, written));
            assertThat(reopened())
                    .as("%d bytes of the next line", written - summary.length)
                    .isEqualTo(knowledge);
            assertThat(Files.readAllBytes(file())).isEqualTo(summary);
        }
    }

    @Test
    void aSummaryThatIsNotWholeIsNamed() throws Exception {
        TestingJob job = TestingJob.eventful(RULES);
        try (Journal journal = Journal.open(folder)) {
            journal.compact(job.coordinator.summary(job.now));
        }
        byte[] summary = Files.readAllBytes(file());
        String firstLine = Files.readAllLines(file()).get(0);
        for (int written = firstLine.length() + 1; written < summary.length; written += 11) {
            Files.write(file(), Arrays.copyOf(summary, written));
            assertThatThrownBy(() -> Journal.open(folder))
                    .isInstanceOf(CorruptFileException.class)
                    .hasMessageContaining("it begins with a summary of");
            assertThat(Files.size(file())).as("it is left as it was found").isEqualTo(written);
        }
    }

    @Test
    void aLongJobHasAShortJournal() throws Exception {
        TestingJob job = TestingJob.withGroup(RULES, 2);
        long longest = 0;
        try (Journal journal = Journal.open(folder, 4_000)) {
            job.journal.forEach(entry -> journal.append(entry.at(), entry.facts()));
            job.journal.clear();
            for (int epoch = 0; epoch < 100; epoch++) {
                job.apply(new Event.Begin("worker-0", Leases.TRAINING, epoch, 6, List.of()));
                for (int chunk = 0; chunk < 6; chunk++) {
                    String member = "worker-" + chunk % 2;
                    job.apply(new Event.Lease(member, Leases.TRAINING, epoch, List.of(), ChunkPreference.NONE));
                    job.apply(new Event.Use(member, Leases.TRAINING, epoch, List.of(chunk)));
                }
                for (Journal.Entry entry : job.journal) {
                    journal.append(entry.at(), entry.facts());
                }
                job.journal.clear();
                if (journal.isLong()) {
                    journal.compact(job.coordinator.summary(job.now));
                }
                longest = Math.max(longest, Files.size(file()));
            }
        }
        assertThat(longest).isLessThan(8_000);
        assertThat(reopened()).isEqualTo(job.coordinator.knowledge());
    }

    @Test
    void withoutRoomForASummaryItGoesOn() throws Exception {
        TestingJob job = TestingJob.eventful(RULES);
        Path next = folder.resolve("coordinator.log.next");
        try (Journal journal = Journal.open(folder, 10)) {
            job.journal.forEach(entry -> journal.append(entry.at(), entry.facts()));
            Files.createDirectories(next.resolve("in the way"));
            assertThat(journal.isLong()).isTrue();
            journal.compact(job.coordinator.summary(job.now));
            assertThat(journal.isLong())
                    .as("tried again only when it has doubled")
                    .isFalse();
            job.apply(new Event.Configure("rate", "0.2"));
            journal.append(
                    job.now,
                    List.of(new Fact.Configured(
                            "rate", "0.2", job.coordinator.configuration().version())));
        }
        assertThat(reopened()).isEqualTo(job.coordinator.knowledge());
    }

    private Path file() {
        return folder.resolve("coordinator.log");
    }

    private String reopened() {
        try (Journal journal = Journal.open(folder)) {
            return TestingJob.reborn(RULES, journal.entries()).knowledge();
        }
    }
}
