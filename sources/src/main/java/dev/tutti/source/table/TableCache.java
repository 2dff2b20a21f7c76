package dev.tutti.source.table;

import dev.tutti.data.DataException;
import dev.tutti.io.Checksum;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables that were read, kept in a folder so that the JVMs of one machine map one file instead of each reading the same data again.
 *
 * <p>The first JVM that needs a table holds its lock, reads it into an unfinished file and gives that its name when it is
 * complete; others wait for that, or take over where the first has ended. A table that was changed, or was not used for a week, is
 * removed by the next JVM that writes one. Files are not forced to the disk: those from before the machine was started are not used.
 *
 * <p>It is used by JVMs that are members of a job on several processes, and wherever its folder is set.
 */
public final class TableCache {
    /** The environment variable with the folder; {@code off} for none. */
    static final String VARIABLE = "TUTTI_TABLES";

    /** The system property with the folder; JVMs that are started for members inherit it. */
    static final String PROPERTY = "tutti.tables";

    private static final String RUN = "tutti.tables.run";

    /** Set in JVMs that were started for members of one run. */
    private static final String STARTED_FOR = "tutti.run";

    private static final Logger LOG = LoggerFactory.getLogger(TableCache.class);
    private static final String ENDING = ".table";
    private static final String UNFINISHED = ".unfinished";
    private static final String LOCK = ".lock";
    private static final Duration KEPT = Duration.ofDays(7);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long PAUSE_MILLIS = 20;

    private final Path folder;

    TableCache(Path folder) {
        this.folder = folder;
    }

    /**
     * Has this JVM and those it starts from now on for members read tables once for all of them. Also tables of databases: what this
     * JVM or the first member reads is what all see.
     */
    public static void shareWithMembers() {
        if (said().isEmpty()) {
            System.setProperty(PROPERTY, folder().toString());
        }
        System.setProperty(RUN, UUID.randomUUID().toString());
    }

    /**
     * What the members of a run have in common and no other run has: those that {@link #shareWithMembers} made so, or the JVMs that
     * were started for one run. Empty in a JVM that shares no tables with others.
     */
    public static String run() {
        return System.getProperty(RUN, System.getProperty(STARTED_FOR, ""));
    }

    /** The cache this JVM uses, if it uses one. */
    static Optional<TableCache> inUse() {
        String said = said();
        boolean member = System.getProperty("tutti.member") != null;
        return said.equals("off") || said.isEmpty() && !member
                ? Optional.empty()
                : Optional.of(new TableCache(folder()));
    }

    private static String said() {
        String variable = System.getenv(VARIABLE);
        return System.getProperty(PROPERTY, variable == null ? "" : variable);
    }

    /** Where tables are kept, and blocks that memory has no room for: {@code tutti/tables} in the user's cache unless it is set. */
    static Path folder() {
        String said = said();
        if (!said.isEmpty() && !said.equals("off")) {
            return Path.of(said);
        }
        String cache = System.getenv("XDG_CACHE_HOME");
        Path base =
                cache == null || cache.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
        return base.resolve("tutti").resolve("tables");
    }

    /** A new empty file in the folder for tables, which the caller deletes. */
    public static Path temporaryFile(String ending) throws IOException {
        Files.createDirectories(folder());
        return Files.createTempFile(folder(), "tutti-lines-", ending);
    }

    /** The name of a folder of its own in the folder for tables, for what a query must put aside; it is not there yet. */
    public static Path temporaryFolder() {
        return folder().resolve("tutti-query-" + UUID.randomUUID());
    }

    /** Reads a table into a storage. */
    interface Reading {
        LoadedTable into(BlockStorage storage);
    }

    /**
     * A table, mapped from its file; read into that first if no JVM has done so.
     *
     * @param definition what is read and how
     * @param state what differs when the content may have changed
     */
    LoadedTable get(String definition, String state, Reading reading) {
        String name = digest(definition);
        Path path = folder.resolve(name + "-" + digest(state + bootId()) + ENDING);
        try {
            Files.createDirectories(folder);
            Optional<LoadedTable> known = mapped(path);
            return known.isPresent() ? known.get() : readOnce(path, name, reading);
        } catch (IOException e) {
            throw new DataException(
                    "the folder for tables " + folder + " cannot be used (" + e + "): choose another with " + VARIABLE
                            + ", or 'off'",
                    e);
        }
    }

    private static String digest(String text) {
        return Checksum.sha256(text.getBytes(StandardCharsets.UTF_8)).substring(0, 24);
    }

    private static String bootId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id"));
        } catch (IOException e) {
            return ""; // not Linux
        }
    }

    private static Optional<LoadedTable> mapped(Path path) throws IOException {
        try {
            LoadedTable table = TableFile.map(path);
            Files.setLastModifiedTime(path, FileTime.from(Instant.now()));
            return Optional.of(table);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private LoadedTable readOnce(Path path, String name, Reading reading) throws IOException {
        Path unfinished = path.resolveSibling(path.getFileName() + UNFINISHED);
        Path lockFile = path.resolveSibling(path.getFileName() + LOCK);
        try (FileChannel held = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            boolean first = lock(held, path, unfinished);
            Optional<LoadedTable> meanwhile = mapped(path);
            if (meanwhile.isPresent()) {
                return meanwhile.get();
            }
            return first ? readInto(unfinished, path, name, reading) : reading.into(new BlockStorage(0, folder));
        }
    }

    private LoadedTable readInto(Path unfinished, Path path, String name, Reading reading) throws IOException {
        sweep(name, path);
        FileChannel file = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        try {
            LoadedTable table = reading.into(BlockStorage.in(file, folder));
            TableFile.finish(unfinished, table);
            Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
            return table;
        } finally {
            file.close();
            Files.deleteIfExists(unfinished);
        }
    }

    /**
     * Waits until this JVM holds the lock of a table, or the table is there.
     *
     * @return false if it is not held: the table is there, or its holder has made no progress for long
     */
    private static boolean lock(FileChannel held, Path path, Path unfinished) throws IOException {
        long size = -1;
        long deadline = 0;
        while (true) {
            FileLock lock = held.tryLock();
            if (lock != null || Files.exists(path)) {
                return lock != null;
            }
            long now = Files.exists(unfinished) ? Files.size(unfinished) : 0;
            if (now != size) {
                size = now;
                deadline = System.nanoTime() + PATIENCE.toNanos();
            } else if (System.nanoTime() > deadline) {
                LOG.warn(
                        "The JVM that reads a table into {} has written nothing for {} s: reading it here too",
                        unfinished,
                        PATIENCE.toSeconds());
                return false;
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DataException("interrupted while another JVM was reading the table", e);
            }
        }
    }

    /** Removes earlier content of a definition, tables that were long not used, and what killed JVMs have left. */
    private void sweep(String name, Path keep) throws IOException {
        Instant oldest = Instant.now().minus(KEPT);
        List<Path> all;
        try (Stream<Path> files = Files.list(folder)) {
            all = files.sorted(Comparator.naturalOrder()).toList();
        }
        for (Path file : all) {
            String other = file.getFileName().toString();
            boolean ours = other.contains(ENDING);
            boolean stale = other.endsWith(ENDING) && other.startsWith(name) && !file.equals(keep);
            try {
                if (ours
                        && (stale || Files.getLastModifiedTime(file).toInstant().isBefore(oldest))) {
                    Files.deleteIfExists(file);
                }
            } catch (NoSuchFileException e) {
                LOG.debug("another JVM has removed {}", file);
            }
        }
    }
}
