package dev.tutti.bench.harness;

import java.nio.file.Path;
import java.util.List;

/**
 * What races against what, under one name.
 *
 * @param peers the Python peers it needs, each with its {@code bench/peers/requirements-PEER.txt}
 * @param afterwards what is made of what the contenders left behind, when all races are over
 */
public record Benchmark(String name, String description, List<String> peers, List<Race> races, Afterwards afterwards) {
    /** Work after the races. */
    public interface Afterwards {
        /** @param project the project's folder */
        void run(Path project);
    }

    public Benchmark(String name, String description, List<String> peers, List<Race> races) {
        this(name, description, peers, races, project -> {});
    }

    public Benchmark {
        peers = List.copyOf(peers);
        races = List.copyOf(races);
    }
}
