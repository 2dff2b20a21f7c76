package dev.tutti.cluster.coordinator;

import dev.tutti.comm.Member;
import dev.tutti.json.ConfigException;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a job asks of its members.
 *
 * @param min the least number of workers that go on working
 * @param max the most that are let in
 * @param expected how many the first meeting waits for
 * @param ejectSlowerThan a worker that takes so many times as long for its part of a step as the others is sent away; 0: never
 * @param patience how long is waited for what; for a meeting at least as long as within a collective call
 * @param roles what is asked of other roles than workers; of those that are not named nothing is
 */
public record MembershipRules(
        int min, int max, int expected, double ejectSlowerThan, Timeouts patience, Map<String, RoleRules> roles) {
    public MembershipRules {
        roles = Map.copyOf(roles);
        patience = patience.meetingAsLongAsAStep();
        if (min < 1 || expected < min || max < expected) {
            throw new ConfigException("expected 1 <= min <= expected <= max, received min " + min + ", expected "
                    + expected + ", max " + max);
        }
        if (ejectSlowerThan != 0 && !(ejectSlowerThan > 1)) {
            throw new ConfigException(
                    "ejectSlowerThan: expected a factor above 1, or 0 for never, received " + ejectSlowerThan);
        }
    }

    /** Without other roles. */
    public MembershipRules(int min, int max, int expected, double ejectSlowerThan, Timeouts patience) {
        this(min, max, expected, ejectSlowerThan, patience, Map.of());
    }

    /** Exactly so many at the start; the job goes on as long as one is left, and others may take the places of the lost. */
    public static MembershipRules of(int members) {
        return new MembershipRules(1, members, members, 0, Timeouts.DEFAULT);
    }

    /** Between so many. */
    public MembershipRules between(int least, int most) {
        return new MembershipRules(
                least, most, Math.min(Math.max(expected, least), most), ejectSlowerThan, patience, roles);
    }

    /** Sends workers away that take so many times as long as the others. */
    public MembershipRules ejectSlowerThan(double factor) {
        return new MembershipRules(min, max, expected, factor, patience, roles);
    }

    public MembershipRules patience(Timeouts other) {
        return new MembershipRules(min, max, expected, ejectSlowerThan, other, roles);
    }

    /** Says what is asked of another role. */
    public MembershipRules role(String name, RoleRules asked) {
        Map<String, RoleRules> more = new TreeMap<>(roles);
        more.put(name, asked);
        return new MembershipRules(min, max, expected, ejectSlowerThan, patience, more);
    }

    /** What is asked of the members of one role. */
    MembershipRules of(String role) {
        if (role.equals(Member.WORKER)) {
            return this;
        }
        RoleRules asked = roles.getOrDefault(role, RoleRules.ANY);
        return new MembershipRules(asked.min(), asked.max(), asked.expected(), 0, patience, roles);
    }
}
