package dev.tutti.cluster.rpc;

import dev.tutti.comm.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How a group differs from the one before it: what its members are told instead of all names, of which there may be thousands.
 *
 * @param base the generation of the group before
 * @param gone ids of those that are no longer in it
 * @param joined those that are new, by rising rank
 */
record GroupChange(long base, List<String> gone, List<Placed> joined) {
    GroupChange {
        gone = List.copyOf(gone);
        joined = List.copyOf(joined);
    }

    /** A member and its rank in the new group. */
    record Placed(int rank, Member member) {}

    /** Empty where those that stay are in another order than before. */
    static Optional<GroupChange> between(long base, List<Member> before, List<Member> now) {
        Set<Member> stays = new HashSet<>(now);
        Set<Member> former = new HashSet<>(before);
        List<String> gone = before.stream()
                .filter(member -> !stays.contains(member))
                .map(Member::id)
                .toList();
        List<Placed> joined = new ArrayList<>();
        for (int rank = 0; rank < now.size(); rank++) {
            if (!former.contains(now.get(rank))) {
                joined.add(new Placed(rank, now.get(rank)));
            }
        }
        GroupChange change = new GroupChange(base, gone, joined);
        return change.applyTo(before).equals(now) ? Optional.of(change) : Optional.empty();
    }

    /** The members of the new group. */
    List<Member> applyTo(List<Member> before) {
        Set<String> left = new HashSet<>(gone);
        List<Member> stay =
                before.stream().filter(member -> !left.contains(member.id())).collect(Collectors.toList());
        List<Member> members = new ArrayList<>();
        int next = 0;
        for (Placed placed : joined) {
            while (members.size() < placed.rank && next < stay.size()) {
                members.add(stay.get(next++));
            }
            members.add(placed.member);
        }
        members.addAll(stay.subList(next, stay.size()));
        return List.copyOf(members);
    }
}
