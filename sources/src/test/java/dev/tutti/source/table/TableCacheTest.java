package dev.tutti.source.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.data.DataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables kept in a folder: read once by all JVMs of a machine, whoever of them dies. */
class TableCacheTest {
    private static final Schema SCHEMA = new Schema(
            List.of(new Schema.Column("number", ColumnType.NUMBER), new Schema.Column("word", ColumnType.TEXT)));

    @TempDir
    Path folder;

    private final AtomicInteger readings = new AtomicInteger();

    /** The table that all JVMs of this test read. */
    static LoadedTable table(BlockStorage storage, int rows) {
        try (ColumnStoreWriter writer = new ColumnStoreWriter(SCHEMA, storage)) {
            for (int i = 0; i < rows; i++) {
                writer.column(0).add(i / 7.0);
                writer.column(1).add(i % 5 == 0 ? null : "word " + i % 50_000);
                writer.rowsDone();
            }
            return new LoadedTable(writer.finish(), 3, List.of("3 bad rows"));
        }
    }

    private LoadedTable counted(BlockStorage storage) {
        readings.incrementAndGet();
        return table(storage, 100_000);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".lock"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aTableIsReadOnceAndMappedAfterwards() throws IOException {
        LoadedTable first = new TableCache(folder).get("people", "v1", this::counted);
        LoadedTable second = new TableCache(folder).get("people", "v1", this::counted);
        assertThat(readings).hasValue(1);
        for (LoadedTable each : List.of(first, second)) {
            assertThat(each.store().memoryBytes()).isZero();
            assertThat(each.store().rows()).isEqualTo(100_000);
            assertThat(each.badRows()).isEqualTo(3);
            assertThat(each.notices()).containsExactly("3 bad rows");
            long[] asked = {0, 1, 32_768, 70_001, 99_999};
            ColumnValues numbers = each.store().gather(0, asked);
            ColumnValues words = each.store().gather(1, asked);
            for (int i = 0; i < asked.length; i++) {
                assertThat(numbers.number(i)).isEqualTo(asked[i] / 7.0);
                assertThat(words.text(i).orElse(null))
                        .isEqualTo(asked[i] % 5 == 0 ? null : "word " + asked[i] % 50_000);
            }
        }
        assertThat(second.store().fingerprint()).isEqualTo(first.store().fingerprint());
    }

    @Test
    void whatHasChangedIsReadAnewAndTheOldIsRemoved() throws IOException {
        TableCache cache = new TableCache(folder);
        cache.get("people", "v1", this::counted);
        cache.get("orders", "v1", this::counted);
        List<String> before = files();
        assertThat(before).hasSize(2);
        cache.get("people", "v2", this::counted);
        assertThat(readings).hasValue(3);
        assertThat(files()).hasSize(2).isNotEqualTo(before);
        for (String name : files()) {
            Files.setLastModifiedTime(
                    folder.resolve(name), FileTime.from(Instant.now().minus(Duration.ofDays(8))));
        }
        cache.get("third", "v1", this::counted);
        assertThat(files()).hasSize(1);
    }

    @Test
    void aReadingThatFailsLeavesNothing() throws IOException {
        TableCache cache = new TableCache(folder);
        assertThatThrownBy(() -> cache.get("people", "v1", storage -> {
                    table(storage, 70_000);
                    throw new DataException("line 7 is bad");
                }))
                .hasMessage("line 7 is bad");
        assertThat(files()).isEmpty();
        cache.get("people", "v1", this::counted);
        assertThat(readings).hasValue(1);
    }

    @Test
    void aFileThatIsCutShortIsNamed() throws IOException {
        TableCache cache = new TableCache(folder);
        cache.get("people", "v1", this::counted);
        Path file = folder.resolve(files().get(0));
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, java.util.Arrays.copyOf(whole, whole.length / 2));
        assertThatThrownBy(() -> cache.get("people", "v1", this::counted))
                .isInstanceOf(DataException.class)
                .hasMessageContaining(file.getFileName().toString())
                .hasMessageContaining("is no complete table: delete it");
    }

    @Test
    void jvmsThatStartTogetherReadOnceAndOneThatDiesIsReplaced() throws Exception {
        List<Process> jvms = new ArrayList<>();
        try {
            Process first = jvm("slow");
            jvms.add(first);
            await(() -> readingsSaid() == 1);
            for (int i = 0; i < 2; i++) {
                jvms.add(jvm("quick"));
            }
            first.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
            for (Process jvm : jvms.subList(1, 3)) {
                assertThat(jvm.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(jvm.exitValue()).isZero();
            }
            assertThat(readingsSaid())
                    .as("the one that was killed, and one of the others")
                    .isEqualTo(2);
            assertThat(Files.readAllLines(folder.resolve("fingerprints")))
                    .hasSize(2)
                    .containsOnly(table(new BlockStorage(Long.MAX_VALUE, folder), 40_000)
                            .store()
                            .fingerprint());
        } finally {
            jvms.forEach(Process::destroyForcibly);
        }
    }

    private long readingsSaid() throws IOException {
        Path said = folder.resolve("readings");
        return Files.exists(said) ? Files.readAllLines(said).size() : 0;
    }

    /** A condition that reads files. */
    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    private Process jvm(String pace) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TableCacheProcess.class.getName(),
                        folder.toString(),
                        pace)
                .inheritIO()
                .start();
    }
}
