package dev.tutti.bench;

import dev.tutti.bench.engine.EngineContender;
import dev.tutti.bench.harness.Benchmark;
import dev.tutti.bench.harness.Comparison;
import dev.tutti.bench.harness.Cores;
import dev.tutti.bench.harness.Entrant;
import dev.tutti.bench.harness.Entrant.Throughput;
import dev.tutti.bench.harness.Measure;
import dev.tutti.bench.harness.Race;
import dev.tutti.bench.harness.RequiredValue;
import dev.tutti.bench.process.ProcessCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Training in bf16 beside float32 and beside PyTorch's autocast, and answers in int8 and bf16 beside float32. */
final class PrecisionBenchmark {
    /** A model, and what its training in bf16 has to reach beside float32 and beside PyTorch. */
    private record Model(String workload, String what, double beside32, double besideTorch) {}

    private static final List<Model> MODELS = List.of(
            new Model("mlp", "MLP 784-1024-1024-10, batch 256", 1.6, 1.3),
            new Model("cnn", "CNN 32-64-128 on 28x28, batch 128", 1.4, 1.7),
            new Model("transformer", "transformer, 2 blocks of 128, 64 tokens, batch 32", 1.6, 1.1));

    private static final double INT8 = 1.8;

    private PrecisionBenchmark() {}

    static Benchmark with(PythonPeers peers) {
        List<Race> races = new ArrayList<>();
        for (Cores cores : Cores.values()) {
            for (Model model : MODELS) {
                races.add(training(model, cores, peers));
            }
            races.add(answers("mlp", "MLP 784-1024-1024-10, batches of 256", cores));
            races.add(answers("transformer", "transformer, 2 blocks of 128, 64 tokens, batches of 32", cores));
        }
        return new Benchmark(
                "precision",
                "Training steps on random data in memory (Adam, softmax cross entropy) with products in bf16, beside our own"
                        + " float32 and PyTorch with torch.autocast in bf16; answers in int8 beside float32 and bf16. On a"
                        + " processor without instructions for bf16 ours computes in float32.",
                List.of("torch"),
                races);
    }

    private static Race training(Model model, Cores cores, PythonPeers peers) {
        var style = new Throughput(model.workload());
        Measure speed = Measure.samplesPerSecond();
        return new Race(
                "training in bf16: " + model.what(),
                cores,
                ours("Tutti in bf16", style, cores, "--precision", "bf16"),
                List.of(
                        new Comparison(speed, ours("Tutti in float32", style, cores), required(model.beside32())),
                        new Comparison(speed, peers.torchAutocast(style, cores), required(model.besideTorch()))));
    }

    private static Race answers(String model, String what, Cores cores) {
        Measure speed = Measure.samplesPerSecond();
        return new Race(
                "answers in int8: " + what,
                cores,
                ours("Tutti in int8", new Throughput(model + "-int8"), cores),
                List.of(
                        new Comparison(
                                speed,
                                ours("Tutti in float32", new Throughput(model + "-float32"), cores),
                                required(INT8)),
                        new Comparison(
                                speed,
                                ours("Tutti in bf16", new Throughput(model + "-bf16"), cores),
                                Optional.empty())));
    }

    private static Optional<RequiredValue> required(double ratio) {
        return Optional.of(RequiredValue.ratio(ratio));
    }

    private static Entrant ours(String name, Entrant.Style style, Cores cores, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--threads", Integer.toString(cores.threads())));
        arguments.addAll(List.of(more));
        return new Entrant(name, ProcessCommand.java(EngineContender.class, arguments.toArray(String[]::new)), style);
    }
}
