package dev.tutti.bench;

import dev.tutti.bench.harness.Benchmark;
import dev.tutti.bench.harness.Better;
import dev.tutti.bench.harness.Comparison;
import dev.tutti.bench.harness.Cores;
import dev.tutti.bench.harness.Entrant;
import dev.tutti.bench.harness.Entrant.Fresh;
import dev.tutti.bench.harness.Entrant.Throughput;
import dev.tutti.bench.harness.Entrant.WholeCommand;
import dev.tutti.bench.harness.Measure;
import dev.tutti.bench.harness.Race;
import dev.tutti.bench.harness.RequiredValue;
import dev.tutti.bench.process.ProcessCommand;
import dev.tutti.bench.ps.ExchangeContender;
import dev.tutti.bench.ps.FailoverContender;
import dev.tutti.bench.ps.LossPicture;
import dev.tutti.bench.ps.ServedFitContender;
import dev.tutti.bench.ps.SlowWorkerContender;
import dev.tutti.bench.ps.TableContender;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parameter servers: pushes and pulls alone, training, a slow worker, tables, a lost server, what a backup costs. */
final class PsBenchmark {
    private static final double EXCHANGE_BESIDE_TENSORFLOW = 3;
    private static final double TRAINING_BESIDE_TENSORFLOW = 1.8;
    private static final double STALENESS_BESIDE_SYNCHRONOUS = 2;
    private static final double MEMORY_OF_DATA = 1.2;
    private static final double FAILOVER_SECONDS = 1;
    private static final double WITH_A_BACKUP = 0.65;
    private static final int ROWS = 10_000_000;
    private static final List<String> AGREEMENTS =
            List.of("synchronous", "staleness 1", "staleness 3", "staleness 10", "asynchronous");
    private static final String PICTURE = "docs/strategies/parameter-server-slow-worker.svg";

    private static final Measure TIME = new Measure("ms_per_step", "", "ms", Better.LOWER);
    private static final Measure SPEED = Measure.samplesPerSecond();
    private static final Measure TO_LOSS = new Measure(SlowWorkerContender.SECONDS, "", "s", Better.LOWER);
    private static final Measure WAITED = new Measure(SlowWorkerContender.WAITED, "waiting", "", Better.LOWER);

    private PsBenchmark() {}

    static Benchmark with(PythonPeers peers) {
        List<Race> races = new ArrayList<>();
        races.add(exchange(peers));
        races.add(training("mlp", "MLP 784-1024-1024-10, batches of 256", peers));
        races.add(training("cnn", "CNN 32-64-128 on 28x28, batches of 128", peers));
        races.add(slowWorker());
        races.add(tables());
        races.add(failover());
        races.add(backup());
        return new Benchmark(
                "ps",
                "Parameter servers and workers that are JVMs of one machine: pushes and pulls of a vector alone, training on"
                        + " random data in memory (float32, Adam, softmax cross entropy) with one server and two workers,"
                        + " the time to a loss where one of two workers is five times slower, tables of rows, the time from"
                        + " kill -9 of a primary to the next acknowledged push, and what a backup costs.",
                List.of("tensorflow"),
                races,
                PsBenchmark::drawCurves);
    }

    private static Entrant exchange(String name, int backups, String workload) {
        return new Entrant(
                name,
                ProcessCommand.java(ExchangeContender.class, "--backups", Integer.toString(backups)),
                new Throughput(workload));
    }

    private static Race exchange(PythonPeers peers) {
        return new Race(
                "one push and one pull of 64 MB between 2 processes",
                Cores.ALL,
                exchange("Tutti", 0, "64MB"),
                List.of(
                        new Comparison(
                                TIME,
                                peers.parameterServer(new Throughput("64MB")),
                                Optional.of(RequiredValue.ratio(EXCHANGE_BESIDE_TENSORFLOW))),
                        new Comparison(
                                TIME,
                                exchange("64 MB over a loopback socket and back", 0, "socket64MB"),
                                Optional.empty()),
                        new Comparison(
                                TIME, exchange("copying 64 MB twice in one JVM", 0, "copy64MB"), Optional.empty())));
    }

    private static Race training(String workload, String what, PythonPeers peers) {
        var style = new Fresh(workload);
        return new Race(
                        what + ": 1 server and 2 workers",
                        Cores.ALL,
                        new Entrant("Tutti, asynchronous()", ProcessCommand.java(ServedFitContender.class), style),
                        List.of(new Comparison(
                                SPEED,
                                peers.parameterServer(style),
                                Optional.of(RequiredValue.ratio(TRAINING_BESIDE_TENSORFLOW)))))
                .slowToStart();
    }

    private static Entrant slowed(String agreement, String setting) {
        String strategy = "{\"type\": \"parameterServer\", " + setting + "}";
        return new Entrant(
                "Tutti, " + agreement,
                ProcessCommand.java(SlowWorkerContender.class, "--strategy", strategy, "--curve", curve(agreement)),
                new WholeCommand());
    }

    /** Where a contender leaves its loss over time. */
    private static String curve(String agreement) {
        return "target/bench-ps/" + agreement.replace(' ', '-') + ".csv";
    }

    private static void drawCurves(Path project) {
        LossPicture picture = new LossPicture();
        for (String agreement : AGREEMENTS) {
            Path file = project.resolve(curve(agreement));
            if (Files.exists(file)) {
                picture.add(agreement, file);
            }
        }
        picture.write(project.resolve(PICTURE));
    }

    private static Race slowWorker() {
        Entrant synchronous = slowed("synchronous", "\"synchronous\": true");
        List<Comparison> comparisons = new ArrayList<>();
        comparisons.add(
                new Comparison(TO_LOSS, synchronous, Optional.of(RequiredValue.ratio(STALENESS_BESIDE_SYNCHRONOUS))));
        comparisons.add(new Comparison(WAITED, synchronous, Optional.empty()));
        for (int bound : new int[] {1, 3}) {
            Entrant other = slowed("staleness " + bound, "\"staleness\": " + bound);
            comparisons.add(new Comparison(TO_LOSS, other, Optional.empty()));
            comparisons.add(new Comparison(WAITED, other, Optional.empty()));
        }
        Entrant free = slowed("asynchronous", "\"asynchronous\": true");
        comparisons.add(new Comparison(TO_LOSS, free, Optional.empty()));
        comparisons.add(new Comparison(WAITED, free, Optional.empty()));
        return new Race(
                        "one of 2 workers is 5 times slower, time to a loss: staleness 10",
                        Cores.ALL,
                        slowed("staleness 10", "\"staleness\": 10"),
                        comparisons)
                .slowToStart();
    }

    private static Race tables() {
        Entrant ours = new Entrant(
                "Tutti",
                ProcessCommand.java(TableContender.class, "--rows", Integer.toString(ROWS)),
                new WholeCommand());
        return new Race(
                        "a table of 10 million rows of 64 floats on 2 servers",
                        Cores.ALL,
                        ours,
                        List.of(
                                new Comparison(
                                        new Measure(TableContender.MEMORY, "memory beside the data", "", Better.LOWER),
                                        Entrant.given("at most 1.2 of the data", TableContender.MEMORY, MEMORY_OF_DATA),
                                        Optional.of(RequiredValue.ratio(1))),
                                new Comparison(
                                        new Measure(
                                                TableContender.BYTES,
                                                "bytes received for a row",
                                                "bytes",
                                                Better.LOWER),
                                        Entrant.given("those of a row", TableContender.BYTES, 64.0 * Float.BYTES),
                                        Optional.of(RequiredValue.exactRatio(1))),
                                new Comparison(
                                        new Measure(TableContender.PUSHED, "rows pushed", "rows/s", Better.HIGHER),
                                        Entrant.given("a million", TableContender.PUSHED, 1e6),
                                        Optional.empty()),
                                new Comparison(
                                        new Measure(TableContender.READ, "rows read", "rows/s", Better.HIGHER),
                                        Entrant.given("a million", TableContender.READ, 1e6),
                                        Optional.empty())))
                .slowToStart();
    }

    private static Race failover() {
        return new Race(
                "from kill -9 of a primary to the next acknowledged push",
                Cores.ALL,
                new Entrant("Tutti", ProcessCommand.java(FailoverContender.class), new WholeCommand()),
                List.of(new Comparison(
                        new Measure(FailoverContender.SECONDS, "", "s", Better.LOWER),
                        Entrant.given("at most 1 s", FailoverContender.SECONDS, FAILOVER_SECONDS),
                        Optional.of(RequiredValue.ratio(1)))));
    }

    private static Race backup() {
        Measure pushes = new Measure("samples_per_second", "pushes", "pushes/s", Better.HIGHER);
        return new Race(
                "pushes of 4 MB with one backup",
                Cores.ALL,
                exchange("Tutti, one backup", 1, "push4MB"),
                List.of(new Comparison(
                        pushes,
                        exchange("Tutti, no backup", 0, "push4MB"),
                        Optional.of(RequiredValue.ratio(WITH_A_BACKUP)))));
    }
}
