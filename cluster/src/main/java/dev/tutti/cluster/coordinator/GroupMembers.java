package dev.tutti.cluster.coordinator;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Who of a group is still there: answers without going through all members, of which there may be thousands. */
final class GroupMembers {
    /** A group without members. */
    static final GroupMembers NONE = new GroupMembers(List.of());

    private final Map<String, Integer> ranks = new HashMap<>();
    private final TreeMap<Integer, String> lost = new TreeMap<>();
    private List<String> lostByRank = List.of();

    GroupMembers(List<String> members) {
        for (int rank = 0; rank < members.size(); rank++) {
            ranks.put(members.get(rank), rank);
        }
    }

    boolean contains(String member) {
        return ranks.containsKey(member);
    }

    /** The rank of a member of the group. */
    int rank(String member) {
        return ranks.get(member);
    }

    void lose(String member) {
        Integer rank = ranks.get(member);
        if (rank != null) {
            lost.put(rank, member);
            lostByRank = List.copyOf(lost.values());
        }
    }

    int livingCount() {
        return ranks.size() - lost.size();
    }

    /** Those that are gone, by rank; the same object until another one is. */
    List<String> lost() {
        return lostByRank;
    }
}
