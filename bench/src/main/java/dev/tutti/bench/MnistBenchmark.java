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
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The whole of {@code ./tutti train mnist} beside the same training in PyTorch, from the command to its end. */
final class MnistBenchmark {
    /** 0.6 of PyTorch's time, said as a ratio that is good when it is high. */
    private static final RequiredValue TIME = RequiredValue.ratio(1.67);

    /** With one replica for each core: 0.45 of PyTorch's time. */
    private static final RequiredValue TIME_ON_ALL_CORES = RequiredValue.ratio(2.22);

    private static final RequiredValue ACCURACY = RequiredValue.ours(0.99);
    private static final Measure ACCURACY_MEASURE = new Measure("accuracy", "test accuracy", "share", Better.HIGHER);

    /** The schedule of the built-in job, so that both do the same number of the same steps. */
    private static final List<String> SCHEDULE =
            List.of("--epochs", "4", "--batch", "128", "--lr", "0.003", "--warm-up", "200");

    private MnistBenchmark() {}

    static Benchmark with(PythonPeers peers) {
        Entrant ours = new Entrant(
                "Tutti", ProcessCommand.of("./tutti", "train", "mnist", "--json"), new Entrant.WholeCommand());
        return new Benchmark(
                "mnist",
                "Training a convolutional network on MNIST: the same network, schedule, batch size and number of"
                        + " epochs, timed as whole commands. PyTorch reads the images through torchvision as its own"
                        + " quickstart does, and for comparison from one tensor in memory.",
                List.of("torch", "torchvision"),
                List.of(new Race(
                        "training on MNIST",
                        Cores.ALL,
                        ours,
                        Stream.of(
                                        torch(peers, "PyTorch as users write it"),
                                        torch(peers, "PyTorch with all images in one tensor", "--in-memory"))
                                .flatMap(MnistBenchmark::comparisons)
                                .toList())));
    }

    private static Entrant torch(PythonPeers peers, String name, String... more) {
        String[] arguments = Stream.concat(SCHEDULE.stream(), Stream.of(more)).toArray(String[]::new);
        return peers.command(name, "mnist_torch.py", arguments);
    }

    private static Stream<Comparison> comparisons(Entrant peer) {
        return Stream.of(
                new Comparison(Measure.wallTime("time of the command"), peer, Optional.of(TIME)),
                new Comparison(
                        Measure.wallTime("time of the command, with a replica on each core"),
                        peer,
                        Optional.of(TIME_ON_ALL_CORES)),
                new Comparison(ACCURACY_MEASURE, peer, Optional.of(ACCURACY)));
    }
}
