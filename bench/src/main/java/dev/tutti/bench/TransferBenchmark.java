package dev.tutti.bench;

import dev.tutti.bench.harness.Benchmark;
import dev.tutti.bench.harness.Better;
import dev.tutti.bench.harness.Comparison;
import dev.tutti.bench.harness.Cores;
import dev.tutti.bench.harness.Entrant;
import dev.tutti.bench.harness.Entrant.Throughput;
import dev.tutti.bench.harness.Entrant.WholeCommand;
import dev.tutti.bench.harness.Measure;
import dev.tutti.bench.harness.Race;
import dev.tutti.bench.harness.RequiredValue;
import dev.tutti.bench.process.ProcessCommand;
import dev.tutti.bench.transfer.AdapterTrafficContender;
import dev.tutti.bench.transfer.FineTuningContender;
import java.util.List;
import java.util.Optional;

/** Fine-tuning of an encoder of MiniLM's size beside transformers and peft; its cached trunk; what adapters send. */
final class TransferBenchmark {
    private static final double BESIDE_PEERS = 1.2;
    private static final double CACHED = 5;

    private TransferBenchmark() {}

    static Benchmark with(PythonPeers peers) {
        return new Benchmark(
                "transfer",
                "A classifier on an encoder of MiniLM's size (6 blocks of 384, 64 tokens, batch 16, AdamW, random weights and"
                        + " tokens): all of it, its head alone, its head on cached outputs, and adapters of rank 8.",
                List.of("torch", "transformers"),
                List.of(
                        beside("full", "full fine-tuning of an encoder", "transformers", peers),
                        beside("lora", "adapters of rank 8 on an encoder", "transformers and peft", peers),
                        beside("head", "the head of a frozen encoder", "transformers", peers),
                        cached(),
                        traffic()));
    }

    private static Race beside(String workload, String what, String name, PythonPeers peers) {
        var style = new Throughput(workload);
        Entrant peer = peers.data(name, "transfer_torch.py", style);
        return new Race(
                what,
                Cores.ALL,
                ours("Tutti", style),
                List.of(new Comparison(
                        Measure.samplesPerSecond(), peer, Optional.of(RequiredValue.ratio(BESIDE_PEERS)))));
    }

    private static Race cached() {
        return new Race(
                "the head on cached outputs of a frozen encoder",
                Cores.ALL,
                ours("Tutti, cached", new Throughput("cached")),
                List.of(new Comparison(
                        Measure.samplesPerSecond(),
                        ours("Tutti, not cached", new Throughput("head")),
                        Optional.of(RequiredValue.ratio(CACHED)))));
    }

    private static Race traffic() {
        Measure bytes = new Measure(AdapterTrafficContender.BYTES, "", "bytes", Better.LOWER);
        return new Race(
                "bytes a member sends for a step with adapters of rank 8 on 512 x 512",
                Cores.ALL,
                traffic("Tutti, adapters", "lora"),
                List.of(new Comparison(
                        bytes,
                        traffic("a layer with as many parameters", "plain"),
                        Optional.of(RequiredValue.exactRatio(1)))));
    }

    private static Entrant traffic(String name, String kind) {
        return new Entrant(name, ProcessCommand.java(AdapterTrafficContender.class, kind), new WholeCommand());
    }

    private static Entrant ours(String name, Entrant.Style style) {
        ProcessCommand command =
                ProcessCommand.java(FineTuningContender.class, "--threads", Integer.toString(Cores.ALL.threads()));
        return new Entrant(name, command, style);
    }
}
