package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.supervision.FailureDetector;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The meetings of all roles: the members of each meet independently of the other roles. */
final class RoleMeetings {
    private final MembershipRules rules;
    private final Map<String, Rendezvous> roles = new TreeMap<>();

    RoleMeetings(MembershipRules rules) {
        this.rules = rules;
    }

    /** The meeting of a role. */
    Rendezvous of(String role) {
        return roles.computeIfAbsent(role, name -> new Rendezvous(name, rules.of(name)));
    }

    /** Members of a role that wait for the others. */
    Set<String> arrived(String role) {
        Rendezvous meeting = roles.get(role);
        return meeting == null ? Set.of() : meeting.arrived();
    }

    /** The coordinator did not run for a while: no member was waited for in that time. */
    void slept(long millis) {
        roles.values().forEach(meeting -> meeting.slept(millis));
    }

    /** One thing that is to be decided now; to be asked again until there is nothing. */
    Optional<Fact> decide(Roster roster, FailureDetector detector, long now) {
        return roles.values().stream()
                .flatMap(meeting -> meeting.decide(roster, detector, now).stream())
                .findFirst();
    }

    void enter(Fact fact, long now) {
        roles.values().forEach(meeting -> meeting.enter(fact, now));
    }
}
