package dev.tutti.bench.harness;

import java.util.List;

/**
 * What races against what, under one name.
 *
 * @param peers the Python peers it needs, each with its {@code bench/peers/requirements-PEER.txt}
 */
public record Benchmark(String name, String description, List<String> peers, List<Race> races) {
    public Benchmark {
        peers = List.copyOf(peers);
        races = List.copyOf(races);
    }
}
