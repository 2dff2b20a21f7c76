package dev.tutti.source.table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/** A JVM of {@link TableCacheTest}: it takes a table from the cache of a folder and says when it has read it itself. */
final class TableCacheProcess {
    private TableCacheProcess() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        LoadedTable table = new TableCache(folder).get("people", "v1", storage -> {
            say(folder.resolve("readings"), "read");
            if (arguments[1].equals("slow")) {
                sleep();
            }
            return TableCacheTest.table(storage, 40_000);
        });
        say(folder.resolve("fingerprints"), table.store().fingerprint());
    }

    private static void sleep() {
        try {
            TimeUnit.MINUTES.sleep(5); // until it is killed
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void say(Path file, String line) {
        try {
            Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
