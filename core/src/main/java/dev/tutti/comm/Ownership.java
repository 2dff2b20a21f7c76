package dev.tutti.comm;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who holds what, by one table for the whole job: shards, partitions, tasks, rounds, loaded models.
 *
 * <p>A thing has a first holder, which decides, and backups. Its term rises whenever another member becomes the first, and never
 * falls. When the first holder is lost the next one is first at once, under the next term; a lost backup is left out. So a holder
 * waits for all its backups before it acknowledges anything, and puts the term into its messages: those of one that was the first
 * before, and has not heard of it yet, are recognised and refused ({@link MessageHandler#underTerm}).
 */
public interface Ownership {
    /**
     * Takes a thing that no member holds; the first time under term 1. For the first holder itself it changes nothing.
     *
     * @throws FencedException if another member holds it; the message names it
     */
    Holding claim(String thing);

    /**
     * Says, as the first holder, who holds the thing from now on. If another member is named first, or none, the term rises.
     *
     * @throws FencedException if this member is not the first holder under that term any more
     */
    Holding assign(Holding held, List<String> holders);

    /** Makes a backup, or another member, the first holder, under the next term. This member stays a backup. */
    default Holding promote(Holding held, String next) {
        List<String> holders = new ArrayList<>(held.holders());
        holders.remove(next);
        holders.add(0, next);
        return assign(held, holders);
    }

    /** Lets go of a thing, so that another member can claim it. */
    default Holding release(Holding held) {
        return assign(held, List.of());
    }

    /** Who holds a thing now; empty if it never was held. */
    Optional<Holding> of(String thing);

    /** All things whose names begin so, by name. */
    List<Holding> all(String prefix);
}
