package dev.tutti.strategy;

import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.strategy.Strategies.averaging;
import static dev.tutti.strategy.Strategies.parameterServer;
import static dev.tutti.strategy.compression.Compressions.fp16;
import static dev.tutti.strategy.compression.Compressions.powerSgd;
import static dev.tutti.strategy.compression.Compressions.topK;

import dev.tutti.train.replica.Strategy;
import java.util.List;
import java.util.stream.Stream;

/**
 * A strategy in the circumstances in which it is held to the contract.
 *
 * @param threads workers of each member
 * @param batches batches of an update
 * @param apart whether members cannot read each other's memory
 * @param batchNorm whether the model has running statistics, which are of each member's share
 */
record StrategyCase(
        String name, Strategy strategy, int members, int threads, int batches, boolean apart, boolean batchNorm) {
    private StrategyCase(String name, Strategy strategy, int members) {
        this(name, strategy, members, 1, 1, false, true);
    }

    private StrategyCase threads(int count) {
        return new StrategyCase(name, strategy, members, count, batches, apart, batchNorm);
    }

    private StrategyCase batches(int count) {
        return new StrategyCase(name, strategy, members, threads, count, apart, batchNorm);
    }

    private StrategyCase inMemoriesApart() {
        return new StrategyCase(name, strategy, members, threads, batches, true, batchNorm);
    }

    StrategyCase withoutBatchNorm() {
        return new StrategyCase(name, strategy, members, threads, batches, apart, false);
    }

    /** Whether a lost member takes a part of the state along. */
    boolean shards() {
        return strategy.toString().contains("shardedState");
    }

    static Stream<StrategyCase> all() {
        return Stream.concat(alone().stream(), together().stream());
    }

    static Stream<StrategyCase> ofSeveralMembers() {
        return together().stream();
    }

    private static List<StrategyCase> alone() {
        return List.of(
                new StrategyCase("local", Strategy.local(), 1),
                new StrategyCase("local", Strategy.local(), 1).batches(2),
                new StrategyCase("single member", allReduce(), 1),
                new StrategyCase("single member", allReduce(), 1).threads(3),
                new StrategyCase("single member", allReduce(), 1).threads(2).batches(2),
                new StrategyCase("single member, compressed", allReduce().compression(topK(0.1)), 1),
                new StrategyCase("single member, sharded", allReduce().shardedState(), 1),
                new StrategyCase("single member, averaging", averaging().everySteps(2), 1).threads(2),
                new StrategyCase(
                        "single member, parameter server", parameterServer().servers(2), 1),
                new StrategyCase(
                        "single member, asynchronous", parameterServer().asynchronous(), 1));
    }

    private static List<StrategyCase> together() {
        var even = allReduce().evenShares();
        return List.of(
                new StrategyCase("all-reduce", even, 3).inMemoriesApart(),
                new StrategyCase("all-reduce", even, 2).threads(2).batches(2).inMemoriesApart(),
                new StrategyCase("overlapped", even.overlap(true).bucketBytes(64), 3),
                new StrategyCase("shared memory", even, 3),
                new StrategyCase("shared memory", even, 2).threads(2).batches(2),
                new StrategyCase("sharded", even.shardedState(), 3),
                new StrategyCase("sharded", even.shardedState(), 2).threads(2).batches(2),
                new StrategyCase("shared batches", even.syncBatchNorm(), 2).threads(2),
                new StrategyCase("fp16", even.compression(fp16()), 3),
                new StrategyCase("topK", even.compression(topK(0.1)), 2).batches(2),
                new StrategyCase("powerSgd", even.compression(powerSgd(1)), 2),
                new StrategyCase("topK, sharded", even.compression(topK(0.1)).shardedState(), 2),
                new StrategyCase("averaging every step", averaging().everySteps(1), 2),
                new StrategyCase("averaging", averaging().everySteps(2), 3).threads(2));
    }

    @Override
    public String toString() {
        return name + ": " + members + " members, " + threads + " threads, " + batches + " batches"
                + (apart ? ", apart" : "");
    }
}
