package dev.tutti.bench;

import dev.tutti.bench.harness.Benchmark;
import dev.tutti.bench.harness.Better;
import dev.tutti.bench.harness.Comparison;
import dev.tutti.bench.harness.Cores;
import dev.tutti.bench.harness.Entrant;
import dev.tutti.bench.harness.Measure;
import dev.tutti.bench.harness.Race;
import dev.tutti.bench.harness.RequiredValue;
import dev.tutti.bench.process.ProcessCommand;
import dev.tutti.bench.serve.PredictContender;
import dev.tutti.bench.serve.ServeContender;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** {@code ./tutti serve} beside LitServe, MLServer, Ray Serve and DJL, and batch inference beside PyTorch. */
final class ServeBenchmark {
    private static final String SECONDS = "2";

    private static final Measure RATE =
            new Measure("requests_per_second", "requests at 32 connections", "requests/s", Better.HIGHER);
    private static final Measure ALONE = new Measure("alone_p99_ms", "p99 at 1 connection", "ms", Better.LOWER);
    private static final Measure ALONE_HALF = new Measure("alone_p50_ms", "p50 at 1 connection", "ms", Better.LOWER);
    private static final Measure PART = new Measure("part_p99_ms", "p99 at 70% of its own limit", "ms", Better.LOWER);
    private static final Measure MEMORY = new Measure("memory_mb", "memory of the server", "MB", Better.LOWER);
    private static final Measure FIRST =
            new Measure("first_answer_seconds", "from the command to the first answer", "s", Better.LOWER);

    private static final String DJL = "djl";
    private static final Map<String, String> PEERS =
            new TreeMap<>(Map.of("litserve", "LitServe", "mlserver", "MLServer", "ray", "Ray Serve", DJL, "DJL"));

    private ServeBenchmark() {}

    static Benchmark with(PythonPeers peers) {
        List<Race> races = new ArrayList<>();
        for (String network : List.of("mlp", "cnn")) {
            races.add(serving(network, peers));
        }
        for (String network : List.of("mlp", "cnn")) {
            races.add(predicting(network, peers));
        }
        return new Benchmark(
                "serve",
                "Servers of one model, MLP 784-512-512-10 or a CNN of two convolutions on images of 28x28, asked with one row"
                        + " of JSON (the Open Inference Protocol's body) by the same load generator on the same machine, each"
                        + " with batches of up to 64 rows; DJL stands for its predictor behind the JDK's HTTP server, without"
                        + " batches. Ours is the plain ./tutti serve. p99 at 70% is of each server's own"
                        + " limit, so ours is asked for more. Memory is proportional (shared pages divided), of all processes of"
                        + " a server. Batch inference: 16,384 rows in memory, in batches of 256, on all cores; ours computes a batch on each"
                        + " core, PyTorch one batch after the other on all of them, as a plain loop does.",
                List.of("torch", "serve"),
                races);
    }

    private static Race serving(String network, PythonPeers peers) {
        List<Comparison> comparisons = new ArrayList<>();
        PEERS.forEach((key, name) -> {
            Entrant peer = server(name, key, network, peers);
            Optional<RequiredValue> rate = key.equals(DJL) ? Optional.empty() : Optional.of(RequiredValue.ratio(3));
            comparisons.add(new Comparison(RATE, peer, rate));
            comparisons.add(new Comparison(ALONE_HALF, peer, Optional.empty()));
            comparisons.add(new Comparison(ALONE, peer, Optional.of(RequiredValue.ratio(2))));
            comparisons.add(new Comparison(PART, peer, Optional.of(RequiredValue.ratio(2))));
            comparisons.add(new Comparison(MEMORY, peer, Optional.empty()));
            comparisons.add(new Comparison(FIRST, peer, Optional.empty()));
        });
        return new Race(
                "serving " + network.toUpperCase(java.util.Locale.ROOT),
                Cores.ALL,
                server("Tutti", "tutti", network, peers),
                comparisons);
    }

    private static Entrant server(String name, String kind, String network, PythonPeers peers) {
        ProcessCommand command = ProcessCommand.java(ServeContender.class, kind, network, SECONDS, peers.interpreter());
        String shown =
                "java " + ServeContender.class.getName() + " " + kind + " " + network + " " + SECONDS + " python";
        return new Entrant(name, new ProcessCommand(command.words(), shown, false), new Entrant.WholeCommand());
    }

    private static Race predicting(String network, PythonPeers peers) {
        var style = new Entrant.Throughput(network);
        Measure speed = new Measure("samples_per_second", "", "rows/s", Better.HIGHER);
        return new Race(
                "batch inference " + network.toUpperCase(java.util.Locale.ROOT),
                Cores.ALL,
                new Entrant("Tutti", ProcessCommand.java(PredictContender.class), style),
                List.of(new Comparison(
                        speed,
                        peers.data("PyTorch", "predict_torch.py", style),
                        Optional.of(RequiredValue.ratio(1.5)))));
    }
}
