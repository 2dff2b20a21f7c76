package dev.tutti.cluster.coordinator;

import dev.tutti.json.ConfigException;

/**
 * What a job asks of its members.
 *
 * @param min the least number of workers that go on working
 * @param max the most that are let in
 * @param expected how many the first meeting waits for
 * @param ejectSlowerThan a worker that takes so many times as long for its part of a step as the others is sent away; 0: never
 * @param patience how long is waited for what; for a meeting at least as long as within a collective call
 */
public record MembershipRules(int min, int max, int expected, double ejectSlowerThan, Timeouts patience) {
    public MembershipRules {
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

    /** Exactly so many at the start; the job goes on as long as one is left, and others may take the places of the lost. */
    public static MembershipRules of(int members) {
        return new MembershipRules(1, members, members, 0, Timeouts.DEFAULT);
    }

    /** Between so many. */
    public MembershipRules between(int least, int most) {
        return new MembershipRules(least, most, Math.min(Math.max(expected, least), most), ejectSlowerThan, patience);
    }

    /** Sends workers away that take so many times as long as the others. */
    public MembershipRules ejectSlowerThan(double factor) {
        return new MembershipRules(min, max, expected, factor, patience);
    }

    public MembershipRules patience(Timeouts other) {
        return new MembershipRules(min, max, expected, ejectSlowerThan, other);
    }
}
