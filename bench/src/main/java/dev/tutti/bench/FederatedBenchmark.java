package dev.tutti.bench;

import dev.tutti.bench.federated.DeploymentContender;
import dev.tutti.bench.federated.IdleClientsContender;
import dev.tutti.bench.federated.SimulationContender;
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

/** Federated averaging: simulations beside Flower's, and our server with many clients. */
final class FederatedBenchmark {
    private static final double ROUNDS_BESIDE_FLOWER = 5;
    private static final int PARAMETERS = 784 * 200 + 200 + 200 * 200 + 200 + 200 * 10 + 10;

    private static final Measure PACE = new Measure("rounds_per_second", "rounds a second", "rounds/s", Better.HIGHER);
    private static final Measure MEMORY = new Measure("peak_mb", "peak memory", "MB", Better.LOWER);
    private static final Measure GROWTH =
            new Measure("growth_mb", "growth in the second half of the rounds", "MB", Better.LOWER);
    private static final Measure ACCURACY = new Measure("accuracy", "test accuracy", "share", Better.HIGHER);
    private static final Measure ROUND = new Measure("seconds_per_round", "a round", "s", Better.LOWER);
    private static final Measure UP = new Measure("bytes_up", "bytes up, a client and round", "bytes", Better.LOWER);
    private static final Measure DOWN =
            new Measure("bytes_down", "bytes down, a client and round", "bytes", Better.LOWER);

    private FederatedBenchmark() {}

    static Benchmark with(PythonPeers peers) {
        return new Benchmark(
                "federated",
                "Federated averaging of the 2NN of the FedAvg paper (199,210 parameters) on MNIST: one epoch in"
                        + " batches of 10 at learning rate 0.1, rows divided evenly. Simulations are timed from the end of"
                        + " the first round on, ours without and Flower's with Ray. In the deployment every client is"
                        + " a process with 600 rows. The last race is our server over HTTP with clients that answer at"
                        + " once.",
                List.of("torch", "flower"),
                List.of(
                        simulation(peers, "100 clients, 10 a round", 100, 0.1, 4, true),
                        simulation(peers, "1,000 clients, 10 a round", 1000, 0.01, 4, false),
                        deployment(peers, 4, 4),
                        flat(),
                        idle()));
    }

    private static Race simulation(
            PythonPeers peers, String title, int clients, double fraction, int rounds, boolean required) {
        Entrant ours = new Entrant("Tutti", simulate(clients, fraction, rounds), new Entrant.WholeCommand());
        Entrant flower = peers.command(
                "Flower",
                "federated_flower.py",
                "--clients",
                Integer.toString(clients),
                "--fraction",
                Double.toString(fraction),
                "--rounds",
                Integer.toString(rounds));
        return new Race(
                        "simulation of " + title,
                        Cores.ALL,
                        ours,
                        List.of(
                                new Comparison(
                                        PACE,
                                        flower,
                                        required
                                                ? Optional.of(RequiredValue.ratio(ROUNDS_BESIDE_FLOWER))
                                                : Optional.empty()),
                                new Comparison(MEMORY, flower, Optional.empty()),
                                new Comparison(ACCURACY, flower, Optional.empty())))
                .slowToStart();
    }

    /** Servers and clients in processes of their own: ours, and Flower's SuperLink and SuperNodes. */
    private static Race deployment(PythonPeers peers, int clients, int rounds) {
        String count = Integer.toString(clients);
        Entrant flower = peers.command(
                "Flower deployment",
                "federated_flower_nodes.py",
                "--nodes",
                count,
                "--rounds",
                Integer.toString(rounds));
        return new Race(
                        "deployment with " + count + " clients, all in each round",
                        Cores.ALL,
                        new Entrant(
                                "Tutti",
                                ProcessCommand.java(DeploymentContender.class, count, Integer.toString(rounds)),
                                new Entrant.WholeCommand()),
                        List.of(
                                new Comparison(PACE, flower, Optional.of(RequiredValue.ratio(ROUNDS_BESIDE_FLOWER))),
                                new Comparison(ACCURACY, flower, Optional.empty())))
                .slowToStart();
    }

    private static Race flat() {
        return new Race(
                "simulation of 10,000 clients, 100 a round",
                Cores.ALL,
                new Entrant("Tutti", simulate(10_000, 0.01, 30), new Entrant.WholeCommand()),
                List.of(
                        new Comparison(MEMORY, Entrant.given("2 GB", "peak_mb", 2000), Optional.empty()),
                        new Comparison(GROWTH, Entrant.given("50 MB", "growth_mb", 50), Optional.empty())));
    }

    private static Race idle() {
        double payload = PARAMETERS * (double) Float.BYTES;
        return new Race(
                "a server with 1,000 connected clients, of which a round asks 100",
                Cores.ALL,
                new Entrant(
                        "Tutti",
                        ProcessCommand.java(IdleClientsContender.class, "1000", "0.1", "6"),
                        new Entrant.WholeCommand()),
                List.of(
                        new Comparison(ROUND, Entrant.given("1 s", "seconds_per_round", 1), Optional.empty()),
                        new Comparison(MEMORY, Entrant.given("1 GB", "peak_mb", 1000), Optional.empty()),
                        new Comparison(UP, Entrant.given("the parameters", "bytes_up", payload), Optional.empty()),
                        new Comparison(
                                DOWN, Entrant.given("the parameters", "bytes_down", payload), Optional.empty())));
    }

    private static ProcessCommand simulate(int clients, double fraction, int rounds) {
        return ProcessCommand.java(
                SimulationContender.class,
                Integer.toString(clients),
                Double.toString(fraction),
                Integer.toString(rounds));
    }
}
