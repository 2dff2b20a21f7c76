package dev.tutti.spark.feed;

import dev.tutti.TuttiException;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.Team;
import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import dev.tutti.data.source.RowSupply;
import dev.tutti.data.source.Source;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.runtime.BoxedUnit;

/**
 * The rows of Spark tables for one member. A partition is read once, whole, into a file of floats, by one thread that also reads ahead
 * those that lie near; what it holds is told to the driver before a row of it is used.
 *
 * <p>Order of calls: {@link #add}, {@link #connect}, then as a {@link RowSupply}; {@link #close} deletes the files.
 */
public final class PartitionSupply implements RowSupply, AutoCloseable {
    /** Under which the driver is told what a partition holds. */
    public static final String TOPIC = "spark-part";

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private record Table(RDD<InternalRow> rows, Partition[] parts, RowLayout layout) {}

    private record Key(String source, int part) {}

    private final TaskContext context;
    private final int member;
    private final int members;
    private final Map<String, Table> tables = new HashMap<>();
    private final Map<Key, CompletableFuture<PartitionFile>> files = new ConcurrentHashMap<>();
    private final BlockingDeque<Key> wanted = new LinkedBlockingDeque<>();
    private Thread reader;
    private Path folder;
    private volatile Team team;
    private volatile Member driver;

    /** @param member the number of this member among all tasks */
    public PartitionSupply(TaskContext context, int member, int members) {
        this.context = context;
        this.member = member;
        this.members = members;
    }

    public void add(String source, RDD<InternalRow> rows, Partition[] parts, RowLayout layout) {
        tables.put(source, new Table(rows, parts, layout));
    }

    /** Whether a partition is leased to a member first. */
    public static boolean isNear(int part, int parts, int member, int members) {
        return part * (long) members / parts == member;
    }

    /** Gives it the way to the driver, and begins to read ahead. */
    public void connect(Team ofMember, Member theDriver) {
        if (tables.isEmpty()) {
            return;
        }
        team = ofMember;
        driver = theDriver;
        try {
            folder = Files.createTempDirectory("tutti-rows");
        } catch (IOException e) {
            throw new FileException("the temporary folder", "cannot be written: " + e.getMessage(), e);
        }
        tables.forEach((source, table) -> {
            for (int part = 0; part < table.parts.length; part++) {
                if (isNear(source, part)) {
                    wanted.addLast(new Key(source, part));
                }
            }
        });
        reader = new Thread(this::read, "tutti-partition-reader");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        TaskContext.withTaskContext(context, () -> {
            try {
                while (!Thread.currentThread().isInterrupted()) {
                    read(wanted.take());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the task ends
            }
            return BoxedUnit.UNIT;
        });
    }

    private void read(Key key) {
        CompletableFuture<PartitionFile> file = files.computeIfAbsent(key, each -> new CompletableFuture<>());
        if (file.isDone()) {
            return;
        }
        try {
            Table table = tables.get(key.source);
            PartitionFile written = PartitionFile.write(
                    folder.resolve(key.source + "-" + key.part + ".f32"),
                    table.layout,
                    table.rows.iterator(table.parts[key.part], context),
                    context);
            tell(key, written);
            file.complete(written);
        } catch (Throwable e) { // the member that waits for the rows fails with it, in its own thread
            file.completeExceptionally(e);
        }
    }

    private void tell(Key key, PartitionFile file) throws InterruptedException {
        var content = new PartRegistry.PartContent(key.source, key.part, file.rows(), file.digest());
        try {
            team.messages()
                    .ask(driver, TOPIC, Message.of(Json.write(content)), LIMIT)
                    .get(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                    .close();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MessageRefusedException refused) {
                throw new DataException("partition " + key.part + " of the table '" + key.source
                        + "' came out different when it was computed again: " + refused.getMessage()
                        + ". Rows of it have been learned from already, so training cannot go on exactly: make"
                        + " the table the same every time (no rand() without a seed, no files that change), or"
                        + " write it down first");
            }
            throw new DataException("the driver could not be told what a partition holds: " + e.getMessage(), e);
        } catch (TimeoutException e) {
            throw new DataException("the driver could not be told what a partition holds: no answer", e);
        }
    }

    @Override
    public Optional<Source.Cursor> rows(String source, int part, long skip) {
        return has(source, part) ? Optional.of(new PartCursor(new Key(source, part), skip)) : Optional.empty();
    }

    @Override
    public Optional<Sample> example(String source) {
        return Optional.ofNullable(tables.get(source)).map(table -> table.layout.example());
    }

    @Override
    public boolean isNear(String source, int part) {
        return isNear(part, tables.get(source).parts.length, member, members);
    }

    @Override
    public boolean has(String source, int part) {
        Table table = tables.get(source);
        return table != null && part < table.parts.length;
    }

    private PartitionFile file(Key key) {
        CompletableFuture<PartitionFile> file = files.computeIfAbsent(key, each -> new CompletableFuture<>());
        if (!file.isDone()) {
            wanted.addFirst(key);
        }
        try {
            while (true) {
                context.killTaskIfInterrupted();
                try {
                    return file.get(100, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    continue; // Spark computes the partition for as long as it takes
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DataException("interrupted while partition " + key.part + " was read", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TuttiException known) {
                throw known;
            }
            throw new DataException(
                    "partition " + key.part + " of the table '" + key.source + "' cannot be read: "
                            + e.getCause().getMessage(),
                    e.getCause());
        }
    }

    /** Waits for the partition when its first row is asked for. */
    private final class PartCursor implements Source.Cursor {
        private final Key key;
        private final long skip;
        private Source.Cursor rows;

        PartCursor(Key key, long skip) {
            this.key = key;
            this.skip = skip;
        }

        @Override
        public Optional<Sample> next() {
            if (rows == null) {
                rows = file(key).cursor(skip);
            }
            return rows.next();
        }
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.interrupt();
            try {
                reader.join(2_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        files.values().stream()
                .filter(file -> file.isDone() && !file.isCompletedExceptionally())
                .forEach(file -> file.join().close());
        if (folder != null) {
            String[] left = folder.toFile().list();
            for (String name : left == null ? new String[0] : left) {
                folder.resolve(name).toFile().delete();
            }
            folder.toFile().delete();
        }
    }
}
