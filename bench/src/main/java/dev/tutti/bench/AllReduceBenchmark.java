package dev.tutti.bench;

import dev.tutti.bench.allreduce.FitContender;
import dev.tutti.bench.allreduce.RecoveryContender;
import dev.tutti.bench.allreduce.TrafficContender;
import dev.tutti.bench.allreduce.WireContender;
import dev.tutti.bench.harness.Benchmark;
import dev.tutti.bench.harness.Better;
import dev.tutti.bench.harness.Comparison;
import dev.tutti.bench.harness.Cores;
import dev.tutti.bench.harness.Entrant;
import dev.tutti.bench.harness.Entrant.Fresh;
import dev.tutti.bench.harness.Entrant.SideBySide;
import dev.tutti.bench.harness.Entrant.Throughput;
import dev.tutti.bench.harness.Entrant.WholeCommand;
import dev.tutti.bench.harness.Measure;
import dev.tutti.bench.harness.Race;
import dev.tutti.bench.harness.RequiredValue;
import dev.tutti.bench.process.ProcessCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Several workers on one machine: training beside one and beside PyTorch's, sums alone, bytes, overhead, recovery. */
final class AllReduceBenchmark {
    /** A model and how many times one replica two of them have to reach. */
    private record Model(String workload, String what, double twoReplicas) {}

    private static final List<Model> MODELS = List.of(
            new Model("cnn", "CNN 32-64-128 on 28x28, 128 samples per replica", 1.9),
            new Model("mlp", "MLP 784-1024-1024-10, 256 samples per replica", 1.8));

    private static final double THREADS_BESIDE_DDP = 1.7;
    private static final double PROCESSES_BESIDE_DDP = 1.5;
    private static final double SHARED_MEMORY_BESIDE_GLOO = 3;
    private static final double OVERHEAD = 0.98;
    private static final int THOROUGHNESS = 4;
    private static final double MOST_AFTER_KILL = 1;

    /** Silence after which a member is given up, and what may come on top. */
    private static final double MOST_AFTER_STOP = 10 + 1;

    private static final Measure SPEED = Measure.samplesPerSecond();
    private static final Measure TIME = new Measure("ms_per_step", "", "ms", Better.LOWER);
    private static final Measure LATENCY = new Measure("us_per_step", "", "µs", Better.LOWER);
    private static final Measure SENT = new Measure(TrafficContender.SENT, "", "bytes", Better.LOWER);
    private static final Measure RECOVERY = new Measure(RecoveryContender.SECONDS, "", "s", Better.LOWER);

    private AllReduceBenchmark() {}

    static Benchmark with(PythonPeers peers) {
        List<Race> races = new ArrayList<>();
        for (Model model : MODELS) {
            races.add(threads(model, peers));
            races.add(processes(model, peers));
        }
        races.add(large(peers));
        races.add(small(peers));
        for (int members = 2; members <= 4; members++) {
            races.add(bytes("shared", "shared memory", members));
            races.add(bytes("gloo", "Gloo", members));
        }
        MODELS.forEach(model -> races.add(overhead(model)));
        races.add(recovery("kill", "from kill -9 of a worker to the next step of the other", MOST_AFTER_KILL));
        races.add(recovery(
                "stop", "from SIGSTOP of a worker to the next step of the other, deadline 10 s", MOST_AFTER_STOP));
        return new Benchmark(
                "allreduce",
                "Several workers on one machine that sum their gradients at every step: training on random data in"
                        + " memory (float32, Adam, softmax cross entropy) with Trainer.fit, sums between JVMs alone, the"
                        + " bytes that are sent, what the machinery costs a single worker, and how soon the others go on"
                        + " when a worker is lost. One core and one compute thread for each worker, ours and PyTorch's.",
                List.of("torch"),
                races);
    }

    private static Race threads(Model model, PythonPeers peers) {
        var style = new Throughput(model.workload());
        Entrant one = new Entrant("Tutti, one replica on one core", fit("here").onOneCore(), style);
        Entrant alone = new Entrant(
                "Tutti, 2 replicas that know nothing of each other (what the machine can give)",
                fit("here"),
                new SideBySide(model.workload(), 2));
        return new Race(
                thorough(model.what() + ": 2 threads of one JVM"),
                Cores.ALL,
                new Entrant("Tutti, 2 threads", fit("threads:2"), style),
                List.of(
                        new Comparison(SPEED, one, Optional.of(RequiredValue.ratio(model.twoReplicas()))),
                        new Comparison(SPEED, alone, Optional.empty()),
                        new Comparison(
                                SPEED, peers.torchPair(style), Optional.of(RequiredValue.ratio(THREADS_BESIDE_DDP)))),
                THOROUGHNESS);
    }

    /** Where a few hundredths decide. */
    private static String thorough(String what) {
        return what + " (" + THOROUGHNESS + " times as many rounds)";
    }

    /** Two JVMs that wait for each other disturb other measurements, so none stays between the rounds. */
    private static Race processes(Model model, PythonPeers peers) {
        var style = new Fresh(model.workload());
        Entrant one = new Entrant("Tutti, one replica on one core", fit("here").onOneCore(), style);
        return new Race(
                model.what() + ": 2 JVMs",
                Cores.ALL,
                new Entrant("Tutti, 2 JVMs", fit("processes:2"), style),
                List.of(
                        new Comparison(SPEED, one, Optional.empty()),
                        new Comparison(
                                SPEED,
                                peers.torchPair(style),
                                Optional.of(RequiredValue.ratio(PROCESSES_BESIDE_DDP)))));
    }

    private static Race large(PythonPeers peers) {
        var style = new Throughput("64MB");
        Optional<RequiredValue> target = Optional.of(RequiredValue.ratio(SHARED_MEMORY_BESIDE_GLOO));
        Entrant copy = new Entrant(
                "copying 64 MB once in one JVM", wire(WireContender.class, "shared", 2), new Throughput("copy64MB"));
        return new Race(
                "all-reduce of 64 MB between 2 processes",
                Cores.ALL,
                new Entrant("Tutti, shared memory", wire(WireContender.class, "shared", 2), style),
                List.of(
                        new Comparison(TIME, gloo(style), target),
                        new Comparison(TIME, peers.torchPair(style), target),
                        new Comparison(TIME, copy, Optional.empty())));
    }

    private static Race small(PythonPeers peers) {
        var style = new Throughput("4KB");
        return new Race(
                "all-reduce of 4 KB between 2 processes",
                Cores.ALL,
                new Entrant("Tutti, shared memory", wire(WireContender.class, "shared", 2), style),
                List.of(
                        new Comparison(LATENCY, gloo(style), Optional.empty()),
                        new Comparison(LATENCY, peers.torchPair(style), Optional.empty())));
    }

    private static Entrant gloo(Entrant.Style style) {
        return new Entrant("Tutti, Gloo over loopback TCP", wire(WireContender.class, "gloo", 2), style);
    }

    private static Race bytes(String wire, String name, int members) {
        double formula = 2.0 * (members - 1) / members * TrafficContender.ELEMENTS * Float.BYTES;
        return new Race(
                "bytes a member sends for an all-reduce of 48 MB among " + members + ", " + name,
                Cores.ALL,
                new Entrant("Tutti", wire(TrafficContender.class, wire, members), new WholeCommand()),
                List.of(new Comparison(
                        SENT,
                        Entrant.given("2(n-1)/n of the vector", TrafficContender.SENT, formula),
                        Optional.of(RequiredValue.exactRatio(1)))));
    }

    /** All on one core, so that what the coordinator and its connections do is paid for by the training. */
    private static Race overhead(Model model) {
        var style = new Throughput(model.workload());
        return new Race(
                thorough(model.what() + ": one member in a cluster of its own"),
                Cores.ONE,
                new Entrant("Tutti, processes(1) and allReduce()", fit("processes:1"), style),
                List.of(new Comparison(
                        SPEED,
                        new Entrant("Tutti, local()", fit("here"), style),
                        Optional.of(RequiredValue.ratio(OVERHEAD)))),
                THOROUGHNESS);
    }

    private static Race recovery(String fault, String what, double most) {
        ProcessCommand command = ProcessCommand.java(RecoveryContender.class, "--fault", fault);
        return new Race(
                what,
                Cores.ALL,
                new Entrant("Tutti", command, new WholeCommand()),
                List.of(new Comparison(
                        RECOVERY,
                        Entrant.given("at most " + most + " s", RecoveryContender.SECONDS, most),
                        Optional.of(RequiredValue.ratio(1)))));
    }

    private static ProcessCommand fit(String place) {
        return ProcessCommand.java(FitContender.class, "--on", place);
    }

    private static ProcessCommand wire(Class<?> main, String wire, int members) {
        return ProcessCommand.java(main, "--wire", wire, "--members", Integer.toString(members));
    }
}
