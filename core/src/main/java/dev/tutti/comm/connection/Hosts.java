package dev.tutti.comm.connection;

import dev.tutti.comm.Group;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The members of a group by the machine they run on, in the order of ranks; the first of each machine speaks for it. */
public record Hosts(Group group, List<List<Integer>> byHost) {
    public static Hosts of(Group group) {
        Map<String, List<Integer>> byHost = new LinkedHashMap<>();
        for (int rank = 0; rank < group.size(); rank++) {
            byHost.computeIfAbsent(group.members().get(rank).host(), host -> new ArrayList<>())
                    .add(rank);
        }
        return new Hosts(group, List.copyOf(byHost.values()));
    }

    public int count() {
        return byHost.size();
    }

    /** The ranks of the members on a machine. */
    List<Integer> ranks(int host) {
        return byHost.get(host);
    }

    /** The number of the machine that a member runs on. */
    public int hostOf(int rank) {
        for (int host = 0; host < byHost.size(); host++) {
            if (byHost.get(host).contains(rank)) {
                return host;
            }
        }
        throw new IllegalArgumentException("rank " + rank + " is not one of " + group.size() + " members");
    }

    public boolean isHere(int rank) {
        return hostOf(rank) == hostOf(group.rank());
    }

    /** A member's place among those of its machine. */
    public int place(int rank) {
        return byHost.get(hostOf(rank)).indexOf(rank);
    }

    /** Members of this machine, as a group of their own. */
    public Group here() {
        return sub(byHost.get(hostOf(group.rank())));
    }

    /** Whether this member is the one that speaks for its machine. */
    public boolean isSpeaker() {
        return place(group.rank()) == 0;
    }

    /** Those who speak for their machines; only for one of them. */
    public Group speakers() {
        return sub(byHost.stream().map(ranks -> ranks.get(0)).toList());
    }

    private Group sub(List<Integer> ranks) {
        return group.sub(ranks);
    }
}
