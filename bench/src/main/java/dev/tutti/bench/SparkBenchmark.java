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

/** Training and predicting on two executors of Spark, beside MLlib's network and PyTorch; all-reduce beside MapReduce. */
final class SparkBenchmark {
    private static final Measure FIT = new Measure("fit_seconds", "time to fit", "s", Better.LOWER);
    private static final Measure ACCURACY = new Measure("accuracy", "test accuracy", "share", Better.HIGHER);
    private static final Measure TRANSFORM =
            new Measure("transform_rows_per_second", "rows predicted", "rows/s", Better.HIGHER);
    private static final Measure EPOCH = new Measure("epoch_seconds", "an epoch", "s", Better.LOWER);
    private static final Measure ROUND =
            new Measure("round_seconds", "an update at a million parameters", "s", Better.LOWER);
    private static final Measure FEEDING = new Measure("feeding_share", "waiting for rows", "share", Better.LOWER);
    private static final Measure NEXT_STEP =
            new Measure("next_step_seconds", "from kill -9 to the next step", "s", Better.LOWER);
    private static final Measure FULL_STRENGTH =
            new Measure("full_strength_seconds", "from kill -9 to two members", "s", Better.LOWER);

    private SparkBenchmark() {}

    static Benchmark with(PythonPeers peers) {
        Entrant mllib = measured("MLlib", "mllib");
        Entrant torch = peers.command("PyTorch by TorchDistributor", "spark_torch.py");
        return new Benchmark(
                "spark",
                "Two executors of Spark with a core each, in a session that is warm. A network 784-128-10 with sigmoids on 10,000"
                        + " rows of MNIST: Tutti with Adam for 6 epochs, MLlib's MultilayerPerceptronClassifier with 60"
                        + " iterations of L-BFGS, PyTorch's DistributedDataParallel by Spark's TorchDistributor as Tutti, from a"
                        + " file. One update with all of 2,000 rows at a million parameters, by all-reduce and by"
                        + " a round of MapReduce through Spark. An epoch of a network 784-512-10 from a table on executors, and"
                        + " from files in two processes that Tutti starts itself. kill -9 of one of the two executors in the middle of a training.",
                List.of("torch", "pyspark"),
                List.of(
                        new Race(
                                        "training and predicting on a Spark table",
                                        Cores.ALL,
                                        measured("Tutti", "tutti"),
                                        List.of(
                                                new Comparison(FIT, mllib, Optional.of(RequiredValue.ratio(5))),
                                                new Comparison(ACCURACY, mllib, Optional.of(RequiredValue.ratio(1))),
                                                new Comparison(FIT, torch, Optional.of(RequiredValue.ratio(1.5))),
                                                new Comparison(ACCURACY, torch, Optional.empty()),
                                                new Comparison(TRANSFORM, mllib, Optional.empty())))
                                .slowToStart(),
                        new Race(
                                        "an epoch on executors",
                                        Cores.ALL,
                                        measured("Tutti", "epochs"),
                                        List.of(
                                                new Comparison(
                                                        EPOCH,
                                                        measured("Tutti in processes", "processes"),
                                                        Optional.of(RequiredValue.ratio(1 / 1.15))),
                                                bounded(FEEDING, "a tenth of the step", 0.1)))
                                .slowToStart(),
                        new Race(
                                        "a round of MapReduce beside all-reduce",
                                        Cores.ALL,
                                        measured("Tutti", "allreduce"),
                                        List.of(new Comparison(
                                                ROUND, measured("MapReduce on Spark", "mapreduce"), Optional.empty())))
                                .slowToStart(),
                        new Race(
                                        "kill -9 of an executor",
                                        Cores.ALL,
                                        measured("Tutti", "loss"),
                                        List.of(bounded(NEXT_STEP, "2 s", 2), bounded(FULL_STRENGTH, "15 s", 15)))
                                .slowToStart()));
    }

    /** A number that has to be at most a bound. */
    private static Comparison bounded(Measure measure, String bound, double most) {
        return new Comparison(
                measure, Entrant.given("at most " + bound, measure.key(), most), Optional.of(RequiredValue.ratio(1)));
    }

    private static Entrant measured(String name, String what) {
        return new Entrant(
                name, ProcessCommand.of("./tutti", "spark", "measure", what, "--json"), new Entrant.WholeCommand());
    }
}
