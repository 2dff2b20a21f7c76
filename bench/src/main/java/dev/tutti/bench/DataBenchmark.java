package dev.tutti.bench;

import dev.tutti.bench.data.DataContender;
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

/** Files into training batches beside PyTorch's DataLoader and TensorFlow's tf.data. */
final class DataBenchmark {
    /** A file, and what has to be reached beside the better peer. */
    private record Kind(String workload, String what, double target) {}

    private static final List<Kind> KINDS = List.of(
            new Kind("csv", "CSV, 20 numbers and 5 categories, 200,000 rows", 2),
            new Kind("parquet", "Parquet, 20 numbers and 5 categories, 200,000 rows", 2),
            new Kind("tfrecord", "TFRecord, 784 floats, 20,000 examples", 1.5),
            new Kind("jpeg", "JPEG, 256x256 decoded and resized to 128x128, 1,000 images", 1));

    private DataBenchmark() {}

    static Benchmark with(PythonPeers peers) {
        List<Race> races = new ArrayList<>();
        for (Kind kind : KINDS) {
            races.add(race(kind, peers));
        }
        return new Benchmark(
                "data",
                "Whole passes from files to training batches of 256 on all cores, each as if the files had not been"
                        + " read before: numbers standardised, categories as ids, images as floats.",
                List.of("torch", "torchvision", "tensorflow", "pandas"),
                races);
    }

    private static Race race(Kind kind, PythonPeers peers) {
        var style = new Throughput(kind.workload());
        Measure speed = new Measure("samples_per_second", "", "rows/s", dev.tutti.bench.harness.Better.HIGHER);
        Optional<RequiredValue> target = Optional.of(RequiredValue.ratio(kind.target()));
        return new Race(
                kind.what(),
                Cores.ALL,
                new Entrant("Tutti", ProcessCommand.java(DataContender.class), style),
                List.of(
                        new Comparison(speed, peers.data("PyTorch DataLoader", "data_torch.py", style), target),
                        new Comparison(speed, peers.data("TensorFlow tf.data", "data_tensorflow.py", style), target)));
    }
}
