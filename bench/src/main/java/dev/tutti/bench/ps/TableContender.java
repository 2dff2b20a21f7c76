package dev.tutti.bench.ps;

import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import dev.tutti.table.FirstValues;
import dev.tutti.table.TableSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A table of so many rows of 64 floats on two server JVMs, made by pushes: {@code TableContender --rows 1000000}. It tells rows that were
 * pushed and read in a second, bytes that travelled for a row, and the growth of the servers' resident memory beside the bytes of the data.
 */
public final class TableContender {
    public static final String PUSHED = "rows_pushed_per_second";
    public static final String READ = "rows_read_per_second";
    public static final String BYTES = "bytes_received_per_row";
    public static final String MEMORY = "memory_of_data";
    private static final int WIDTH = 64;
    private static final int BATCH = 20_000;

    private TableContender() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        if (arguments.length != 2 || !arguments[0].equals("--rows")) {
            throw new IllegalArgumentException("Expected --rows N, received: " + String.join(" ", arguments));
        }
        int rows = Integer.parseInt(arguments[1]);
        TableSpec table = new TableSpec("ids", WIDTH, new FirstValues(FirstValues.Distribution.NORMAL, 0.1), 7);
        try (ServedVector served = new ServedVector(2, 2, 0, 64, List.of(table))) {
            push(served, table, rows, Math.min(rows, BATCH)); // classes are loaded, buffers are there
            long before = resident(served);
            long began = System.nanoTime();
            push(served, table, 0, rows);
            double pushing = (System.nanoTime() - began) / 1e9;
            long after = resident(served);
            long received = served.team.messages().traffic().received();
            began = System.nanoTime();
            int read = Math.min(rows, 400_000);
            for (int from = 0; from < read; from += BATCH) {
                served.client.rows(table, ids(from, Math.min(BATCH, read - from)));
            }
            double reading = (System.nanoTime() - began) / 1e9;
            Map<String, Double> numbers = new LinkedHashMap<>();
            numbers.put(PUSHED, rows / pushing);
            numbers.put(READ, read / reading);
            numbers.put(BYTES, (served.team.messages().traffic().received() - received) / (double) read);
            numbers.put(MEMORY, (after - before) / ((double) rows * WIDTH * Float.BYTES));
            System.out.println(Json.write(numbers));
        }
    }

    private static void push(ServedVector served, TableSpec table, int first, int rows) {
        for (int from = 0; from < rows; from += BATCH) {
            long[] ids = ids(first + from, Math.min(BATCH, rows - from));
            float[] gradients = new float[ids.length * WIDTH];
            Arrays.fill(gradients, 0.5f);
            served.client.pushRows(table, ids, gradients, 0.1);
        }
    }

    private static long[] ids(int from, int count) {
        long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            ids[i] = 7919L * (from + i);
        }
        return ids;
    }

    private static long resident(ServedVector served) throws IOException {
        long bytes = 0;
        for (String server : List.of("server-0", "server-1")) {
            long process = served.cluster.process(server).orElseThrow().pid();
            for (String line : Files.readAllLines(Path.of("/proc/" + process + "/status"))) {
                if (line.startsWith("VmRSS:")) {
                    bytes += Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
                }
            }
        }
        return bytes;
    }
}
