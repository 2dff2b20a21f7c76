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
 * twins. It belongs to one group; a new one is made when the members have met.
 *
 * <p>All members make it of the same parts. Ranges with the same members travel in one call; those calls have the same order on all members,
 * so members of several sub-groups do not wait for each other in a circle.
 */
public final class GroupedSum {
    private final Team team;
    private final Map<List<Integer>, List<Range>> parts =
            new LinkedHashMap<>(); // by ranks, in the order of first mention

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

    public GroupedSum(Team team, List<Part> parts) {
        this.team = team;
        parts.forEach(part -> this.parts
                .computeIfAbsent(part.ranks(), ranks -> new ArrayList<>())
                .add(part.range()));
    }

    /**
     * Sums in place; a call of all members. Afterwards each range is the same bits on the members that hold it. What this member does not
     * hold, and what is frozen, stays as it was.
     *
     * @param learning the ranges that are not frozen, the same on all members
     */
    public void sum(Tensor gradients, List<Range> learning) {
        Group group = team.group();
        parts.forEach((ranks, ranges) -> {
            if (ranks.contains(group.rank()) && ranks.size() > 1) {
                Collectives members =
                        ranks.size() == group.size() ? team.collectives() : team.collectives(group.sub(ranks));
                PackedRanges.change(
                        gradients,
                        both(ranges, learning),
                        values -> members.allReduce("gradients of " + ranks, values));
            }
        });
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
