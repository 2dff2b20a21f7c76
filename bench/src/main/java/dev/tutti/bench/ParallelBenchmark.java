package dev.tutti.bench;

import dev.tutti.bench.allreduce.FitContender;
import dev.tutti.bench.harness.Benchmark;
import dev.tutti.bench.harness.Comparison;
import dev.tutti.bench.harness.Cores;
import dev.tutti.bench.harness.Entrant;
import dev.tutti.bench.harness.Entrant.Fresh;
import dev.tutti.bench.harness.Measure;
import dev.tutti.bench.harness.Race;
import dev.tutti.bench.harness.RequiredValue;
import dev.tutti.bench.process.ProcessCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One model on two processes, in stages and in slices, beside one process and beside PyTorch's own. */
final class ParallelBenchmark {
    private static final double PIPELINE_BESIDE_ONE = 1.7;
    private static final double BESIDE_TORCH = 1.5;
    private static final Measure SPEED = Measure.samplesPerSecond();

    private ParallelBenchmark() {}

    static Benchmark with(PythonPeers peers) {
        List<Race> races = new ArrayList<>();
        races.add(pipeline("deep", "MLP of 16 layers with 512 units, batches of 1024", peers));
        races.add(pipeline("blocks", "6 transformer blocks, width 128, 32 steps, batches of 128", peers));
        races.add(tensor("wide", "MLP 1024-4096-1024-4096-10, batches of 256", peers));
        races.add(tensor("blocks", "6 transformer blocks, width 128, 32 steps, batches of 128", peers));
        return new Benchmark(
                "parallel",
                "One model on two processes of one machine, one compute thread each (float32, Adam, softmax cross entropy,"
                        + " random data in memory): two stages with 32 micro-batches, and two slices of every layer.",
                List.of("torch"),
                races);
    }

    private static ProcessCommand fit(String place) {
        return ProcessCommand.java(FitContender.class, "--on", place);
    }

    private static Race pipeline(String workload, String what, PythonPeers peers) {
        var style = new Fresh(workload);
        Entrant one = new Entrant("Tutti, one process on one core", fit("here").onOneCore(), style);
        return new Race(
                what + ": 2 stages, 32 micro-batches",
                Cores.ALL,
                new Entrant("Tutti, 2 stages", fit("pipeline:2"), style),
                List.of(
                        new Comparison(SPEED, one, Optional.of(RequiredValue.ratio(PIPELINE_BESIDE_ONE))),
                        new Comparison(
                                SPEED,
                                peers.torchParts("PyTorch pipelining, 1F1B, Gloo", "pipeline", style),
                                Optional.of(RequiredValue.ratio(BESIDE_TORCH)))));
    }

    private static Race tensor(String workload, String what, PythonPeers peers) {
        var style = new Fresh(workload);
        Entrant one = new Entrant("Tutti, one process on one core", fit("here").onOneCore(), style);
        return new Race(
                what + ": 2 slices",
                Cores.ALL,
                new Entrant("Tutti, 2 slices", fit("tensor:2"), style),
                List.of(
                        new Comparison(SPEED, one, Optional.empty()),
                        new Comparison(
                                SPEED,
                                peers.torchParts("PyTorch DTensor, Gloo", "tensor", style),
                                Optional.of(RequiredValue.ratio(BESIDE_TORCH)))));
    }
}
