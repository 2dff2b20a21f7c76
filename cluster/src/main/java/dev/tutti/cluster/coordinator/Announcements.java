package dev.tutti.cluster.coordinator;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What members are told of their group: that it has formed, that they have to meet again, and why. */
final class Announcements {
    private final Roster roster;
    private final RoleMeetings meetings;
    private final MembershipRules rules;
    private List<String> lossesOf; // whose losses were put into words last
    private String losses;

    Announcements(Roster roster, RoleMeetings meetings, MembershipRules rules) {
        this.roster = roster;
        this.meetings = meetings;
        this.rules = rules;
    }

    /** The group a member is in, if that is later than a generation and it does not want to meet again. */
    Optional<Fact.Formed> groupOf(String member, long after) {
        String role = role(member);
        Optional<RefusedException> failure = meetings.of(role).failure(member);
        if (failure.isPresent()) {
            throw failure.get();
        }
        roster.living(member);
        return Optional.of(roster.group(role))
                .filter(group -> answers(group, role, member, after))
                .filter(group -> !meetings.arrived(role).contains(member));
    }

    /** Whether a meeting that a member asks for has taken place: it asks again because the answer was lost. */
    boolean hasMet(String member, long after) {
        String role = role(member);
        return answers(roster.group(role), role, member, after)
                && changed(member).isEmpty();
    }

    /** The role of a member; workers' for one that is not known. */
    private String role(String member) {
        return roster.place(member).map(MemberRecord::role).orElse(MemberRecord.WORKER);
    }

    private boolean answers(Fact.Formed group, String role, String member, long after) {
        return group.generation() > after && roster.isOfGroup(role, member);
    }

    /** All members of a group are told the same. */
    private String losses(String role, List<String> lost) {
        if (lost != lossesOf) {
            lossesOf = lost;
            losses = roster.lostOfGroup(role).stream()
                    .map(place -> place.id() + " is gone: " + place.lost().why())
                    .collect(Collectors.joining("; "));
        }
        return losses;
    }

    /** Why the present group has to meet again, as one of its members is told. */
    Optional<String> changed(String member) {
        String role = role(member);
        List<String> lost = roster.lostIdsOfGroup(role);
        if (!lost.isEmpty()) {
            return Optional.of(losses(role, lost));
        }
        int size = roster.group(role).members().size();
        for (String other : meetings.arrived(role)) {
            boolean stays = roster.isOfGroup(role, other);
            if (!other.equals(member) && (stays || size < rules.of(role).max())) {
                return Optional.of(other + (stays ? " meets again" : " wants to join"));
            }
        }
        return Optional.empty();
    }

    /** All that a member has to know at the moment. */
    MembershipNotice notice(String member, long version) {
        MemberRecord place = roster.place(member).orElse(null);
        String role = role(member);
        Fact.Lost gone = place == null ? null : place.lost();
        return new MembershipNotice(
                roster.group(role).generation(),
                changed(member).orElse(null),
                isOrderly(role),
                roster.lostIdsOfGroup(role),
                place == null ? "the coordinator does not know it" : gone == null ? null : gone.why(),
                gone == null ? null : gone.cause(),
                version,
                roster.changes(),
                roster.trainings());
    }

    /** Whether no member waits in vain for another: members have only left in good order, or others want to join. */
    private boolean isOrderly(String role) {
        return roster.lostOfGroup(role).stream()
                        .allMatch(one -> one.lost().cause().isOrderly())
                && !meetings.of(role).isAwaitedByGroup(roster);
    }
}
