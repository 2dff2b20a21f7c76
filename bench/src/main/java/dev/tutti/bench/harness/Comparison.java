package dev.tutti.bench.harness;

import java.util.Objects;
import java.util.Optional;

/** One row to be: a number of ours beside the same number of a peer, and what the ratio should reach, if anything. */
public record Comparison(Measure measure, Entrant peer, Optional<RequiredValue> target) {
    public Comparison {
        Objects.requireNonNull(measure, "A comparison needs a measure.");
        Objects.requireNonNull(peer, "A comparison needs a peer.");
        Objects.requireNonNull(target, "Say Optional.empty() where there is no target.");
    }
}
