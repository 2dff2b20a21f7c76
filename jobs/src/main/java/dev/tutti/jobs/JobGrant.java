package dev.tutti.jobs;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The cores and devices of this machine that a running job has to itself, by their numbers.
 *
 * @param cores empty where processes cannot be held to cores
 */
public record JobGrant(List<Integer> cores, List<Integer> devices) {
    public JobGrant {
        cores = cores == null ? List.of() : List.copyOf(cores);
        devices = devices == null ? List.of() : List.copyOf(devices);
    }

    /** Numbers with commas between, as taskset and CUDA_VISIBLE_DEVICES take them. */
    public static String list(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
