package dev.tutti.comm;

import java.util.List;
import java.util.Optional;

/**
 * Which members hold a thing.
 *
 * @param thing its name, such as {@code shard-3}
 * @param term rises whenever another member becomes the first holder; what is done under an older one is refused
 * @param holders ids of members: the first decides, the others are its backups; none if all were lost or it was released
 */
public record Holding(String thing, long term, List<String> holders) {
    public Holding {
        holders = List.copyOf(holders);
    }

    /** The holder that decides. */
    public Optional<String> first() {
        return holders.stream().findFirst();
    }

    public boolean isFirst(String member) {
        return !holders.isEmpty() && holders.get(0).equals(member);
    }
}
