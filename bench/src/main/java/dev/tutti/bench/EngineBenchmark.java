package dev.tutti.bench;

import dev.tutti.bench.engine.EngineContender;
import dev.tutti.bench.harness.Benchmark;
import dev.tutti.bench.harness.Comparison;
import dev.tutti.bench.harness.Cores;
import dev.tutti.bench.harness.Entrant;
import dev.tutti.bench.harness.Entrant.FirstStep;
import dev.tutti.bench.harness.Entrant.Throughput;
import dev.tutti.bench.harness.Measure;
import dev.tutti.bench.harness.Race;
import dev.tutti.bench.harness.RequiredValue;
import dev.tutti.bench.process.ProcessCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Training steps of five models beside PyTorch and TensorFlow, feeding, and the way to the first step. */
final class EngineBenchmark {
    /** A model and what it has to reach on one core beside PyTorch as users write it. */
    private record Model(String workload, String what, double target) {}

    private static final List<Model> MODELS = List.of(
            new Model("mlp", "MLP 784-1024-1024-10, batch 256", 1.3),
            new Model("cnn", "CNN 32-64-128 on 28x28, batch 128", 1.7),
            new Model("lstm", "LSTM 256, 64 steps of 64, batch 64", 1.1),
            new Model("transformer", "transformer, 2 blocks of 128, 64 tokens, batch 32", 1.1),
            new Model("tiny", "tiny MLP 32-64-64-10, batch 32", 2.5));

    private static final double PAR = 1.0;
    private static final double FEEDING = 5.0;

    private EngineBenchmark() {}

    static Benchmark with(PythonPeers peers) {
        List<Race> races = new ArrayList<>();
        for (Model model : MODELS) {
            races.add(training(model, Cores.ONE, peers));
            races.add(training(model, Cores.ALL, peers));
        }
        races.add(feeding(Cores.ONE));
        races.add(feeding(Cores.ALL));
        races.add(firstStep(peers));
        return new Benchmark(
                "engine",
                "Training steps on random data in memory (float32, Adam, softmax cross entropy), the feeding of MNIST"
                        + " batches beside the models that eat them, and the time from the command to the first step.",
                List.of("torch", "tensorflow"),
                races);
    }

    private static Race training(Model model, Cores cores, PythonPeers peers) {
        var style = new Throughput(model.workload());
        Measure speed = Measure.samplesPerSecond();
        return new Race(
                model.what(),
                cores,
                ours("Tutti", style, cores),
                List.of(
                        new Comparison(speed, peers.torch(style, cores), onOneCore(cores, model.target())),
                        new Comparison(speed, peers.torchTuned(style, cores), onOneCore(cores, PAR)),
                        new Comparison(speed, peers.tensorflow(style, cores), onOneCore(cores, PAR)),
                        new Comparison(speed, peers.tensorflowTuned(style, cores), onOneCore(cores, PAR))));
    }

    private static Race feeding(Cores cores) {
        Measure speed = Measure.samplesPerSecond();
        Optional<RequiredValue> target = Optional.of(RequiredValue.ratio(FEEDING));
        return new Race(
                "feeding MNIST batches beside training on them",
                cores,
                ours("Tutti feeding", new Throughput("feed"), cores),
                List.of(
                        new Comparison(speed, ours("Tutti training the MLP", new Throughput("mlp"), cores), target),
                        new Comparison(speed, ours("Tutti training the CNN", new Throughput("cnn"), cores), target)));
    }

    private static Race firstStep(PythonPeers peers) {
        var style = new FirstStep("cnn");
        Measure time = Measure.wallTime("");
        return new Race(
                "from command to first training step of the CNN",
                Cores.ALL,
                ours("Tutti", style, Cores.ALL),
                List.of(
                        new Comparison(time, peers.torch(style, Cores.ALL), Optional.of(RequiredValue.ratio(PAR))),
                        new Comparison(time, peers.tensorflow(style, Cores.ALL), Optional.empty())));
    }

    private static Entrant ours(String name, Entrant.Style style, Cores cores) {
        ProcessCommand command =
                ProcessCommand.java(EngineContender.class, "--threads", Integer.toString(cores.threads()));
        return new Entrant(name, command, style);
    }

    private static Optional<RequiredValue> onOneCore(Cores cores, double ratio) {
        return cores == Cores.ONE ? Optional.of(RequiredValue.ratio(ratio)) : Optional.empty();
    }
}
