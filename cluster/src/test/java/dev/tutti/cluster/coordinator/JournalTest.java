package dev.tutti.cluster.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.io.CorruptFileException;
import dev.tutti.io.FileException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class JournalTest {
    private static final Rules RULES = Rules.of(2);

    @TempDir
    Path folder;

    @Test
    void whateverIsCutOffTheRestIsTheStateAtThatTime() throws Exception {
        TestingJob job = TestingJob.withGroup(RULES, 2);
        job.apply(new Event.Post("worker-0", 1, "address", "host \"x\"\n\u00fc"));
        job.apply(new Event.Begin("worker-0", 0, 4, List.of(0)));
        job.apply(new Event.Lease("worker-0", 0, List.of()));
        job.apply(new Event.Lease("worker-1", 0, List.of()));
        job.apply(new Event.Use("worker-0", 0, List.of(1)));
        job.apply(new Event.GiveBack("worker-1", 0));
        job.apply(new Event.Configure("rate", null));
        job.apply(new Event.Exited("process of session 1", "ended"));
        List<String> states = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        Path file = folder.resolve("coordinator.log");
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
            Files.write(file, java.util.Arrays.copyOf(whole, length));
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
        Path file = folder.resolve("coordinator.log");
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
        Path file = folder.resolve("coordinator.log");
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
}
