package dev.tutti.strategy.allreduce;

import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.PackedRanges;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sums each range of the gradients over the members that hold it: a trunk over all, a head over the members of its task, a stage over its
 * twins, a matrix that stages share over both. It belongs to one group; a new one is made when the members have met.
 *
 * <p>Ranges with the same members travel in one call. A member names the parts it holds, and may name others. Members that sum a range
 * together name it at the same place among the ranges of the same members, and members of several sub-groups name those in the same
 * order, so that they do not wait for each other in a circle. Where a range lies may differ between members: a stage has a vector of its own.
 */
public final class GroupedSum {
    private final List<Summing> sums = new ArrayList<>();

    /**
     * A range and the members that sum it.
     *
     * @param ranks in the group, each once, in rising order
     */
    public record Part(Range range, List<Integer> ranks) {
        public Part {
            ranks = List.copyOf(ranks);
        }
    }

    /** What some members sum in one call. */
    private record Summing(String name, Collectives members, List<Range> ranges) {}

    /** Opens the sub-groups; a call of all members of the group. */
    public GroupedSum(Team team, List<Part> parts) {
        Group group = team.group();
        Map<List<Integer>, List<Range>> byRanks = new LinkedHashMap<>(); // in the order of first mention
        parts.forEach(part -> byRanks.computeIfAbsent(part.ranks(), ranks -> new ArrayList<>())
                .add(part.range()));
        byRanks.forEach((ranks, ranges) -> {
            if (ranks.contains(group.rank()) && ranks.size() > 1) {
                boolean all = ranks.size() == group.size();
                sums.add(new Summing(
                        "gradients of " + ranks,
                        all ? team.collectives() : team.collectives(group.sub(ranks)),
                        ranges));
            }
        });
    }

    /**
     * Sums in place; a call of all members. Afterwards each range is the same bits on the members that hold it. What this member does not
     * hold, and what is frozen, stays as it was.
     *
     * @param learning the ranges that are not frozen, in rising order; of each part the same on all its members
     */
    public void sum(Tensor gradients, List<Range> learning) {
        for (Summing each : sums) {
            PackedRanges.change(
                    gradients, both(each.ranges, learning), values -> each.members.allReduce(each.name, values));
        }
    }

    private static List<Range> both(List<Range> ranges, List<Range> learning) {
        List<Range> common = new ArrayList<>();
        for (Range range : ranges) {
            learning.stream()
                    .map(range::intersect)
                    .filter(part -> !part.isEmpty())
                    .forEach(common::add);
        }
        return common;
    }
}
