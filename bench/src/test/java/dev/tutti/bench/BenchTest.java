package dev.tutti.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.bench.harness.Benchmark;
import dev.tutti.bench.harness.Comparison;
import dev.tutti.bench.harness.Entrant;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BenchTest {
    private static final Path PROJECT = BenchOptions.here(true).project();

    static Stream<Benchmark> benchmarks() {
        PythonPeers peers = new PythonPeers(Path.of("python"));
        return Stream.of(
                AllReduceBenchmark.with(peers),
                EngineBenchmark.with(peers),
                FederatedBenchmark.with(peers),
                MnistBenchmark.with(peers),
                ParallelBenchmark.with(peers),
                PrecisionBenchmark.with(peers),
                PsBenchmark.with(peers),
                TransferBenchmark.with(peers));
    }

    @Test
    void everyBenchmarkIsListed() {
        assertThat(Bench.names())
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                benchmarks().map(Benchmark::name),
                                Stream.of("data", "network", "plan", "serve", "spark", "strategies"))
                        .sorted()
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("benchmarks")
    void everyPeerHasItsScriptAndItsRequirements(Benchmark benchmark) {
        assertThat(benchmark.peers())
                .allSatisfy(peer -> assertThat(PROJECT.resolve("bench/peers/requirements-" + peer + ".txt"))
                        .exists());
        List<Entrant> peers = benchmark.races().stream()
                .flatMap(race -> race.comparisons().stream())
                .map(Comparison::peer)
                .filter(peer -> peer.command().ofPeer())
                .toList();
        assertThat(peers)
                .isNotEmpty()
                .allSatisfy(peer -> assertThat(
                                PROJECT.resolve(peer.command().words().get(1)))
                        .matches(Files::exists, "exists"));
    }

    @ParameterizedTest
    @MethodSource("benchmarks")
    void everyRaceHasANameOfItsOwn(Benchmark benchmark) {
        assertThat(benchmark.races().stream().map(race -> race.title())).doesNotHaveDuplicates();
    }

    @Test
    void aMisspeltNameIsHelped() {
        assertThatThrownBy(() -> run("engin", ""))
                .isInstanceOf(TuttiException.class)
                .hasMessage("There is no benchmark 'engin': did you mean 'engine'?");
    }

    @Test
    void aPartThatNoRaceHasIsRefusedBeforeAnythingStarts() {
        assertThatThrownBy(() -> run("mnist", "cifar"))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("contains 'cifar'")
                .hasMessageContaining("training on MNIST, all cores");
    }

    private static void run(String name, String only) {
        Bench.run(name, new BenchOptions(true, PROJECT, only), new PrintStream(OutputStream.nullOutputStream()));
    }
}
