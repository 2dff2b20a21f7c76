package dev.tutti.comm;

import dev.tutti.array.Range;
import java.util.List;

/**
 * The members as one of them sees them.
 *
 * @param generation rises whenever the members change; what was said in an earlier one is refused
 * @param rank the place of this member among them
 * @param members all of them, in the same order everywhere
 */
public record Group(long generation, int rank, List<Member> members) {
    public Group {
        members = List.copyOf(members);
        if (rank < 0 || rank >= members.size()) {
            throw new IllegalArgumentException("rank " + rank + " is not one of " + members.size() + " members");
        }
    }

    /** A member on its own. */
    public static Group alone() {
        return new Group(0, 0, List.of(new Member("worker-0", "here")));
    }

    public int size() {
        return members.size();
    }

    /** Whether its members are on more than one machine. */
    public boolean spansMachines() {
        return members.stream().map(Member::host).distinct().count() > 1;
    }

    public Member self() {
        return members.get(rank);
    }

    /** True for the one who speaks for all: who saves, reports and shows progress. */
    public boolean isChief() {
        return rank == 0;
    }

    /** The role of its members. */
    public String role() {
        return self().role();
    }

    /**
     * Some of its members as a group of their own, of the same generation: rows and columns of a grid, the holders of one part.
     *
     * @param ranks of the members in this group, this member's among them, in the order of their ranks in the new one
     */
    public Group sub(List<Integer> ranks) {
        boolean sound = ranks.stream().allMatch(each -> each >= 0 && each < size())
                && ranks.stream().distinct().count() == ranks.size()
                && ranks.contains(rank);
        if (!sound) {
            throw new IllegalArgumentException("a sub-group: expected different ranks of " + size()
                    + " members, with this member's, " + rank + ", among them, received " + ranks);
        }
        return new Group(
                generation,
                ranks.indexOf(rank),
                ranks.stream().map(members::get).toList());
    }

    /** This member's part of a vector of so many elements: what it sums, updates or holds where work is divided. */
    public Range part(long elements) {
        return part(elements, rank);
    }

    /** The part of the member with a rank. */
    public Range part(long elements, int ofRank) {
        return new Range(0, elements).part(ofRank, size());
    }
}
