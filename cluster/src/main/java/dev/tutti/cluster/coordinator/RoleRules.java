package dev.tutti.cluster.coordinator;

import dev.tutti.json.ConfigException;

/**
 * What a job asks of the members of one role other than the workers'.
 *
 * @param expected how many the first meeting of the role waits for
 * @param min the least number that go on
 * @param max the most that are let in
 */
public record RoleRules(int expected, int min, int max) {
    /** For roles that nothing is said of: any number may come, and one alone may meet. */
    static final RoleRules ANY = new RoleRules(1, 1, Integer.MAX_VALUE);

    public RoleRules {
        if (min < 1 || expected < min || max < expected) {
            throw new ConfigException("a role: expected 1 <= min <= expected <= max, received min " + min
                    + ", expected " + expected + ", max " + max);
        }
    }

    /** So many at the start; the role goes on as long as one is left, and others may take the places of the lost. */
    public static RoleRules of(int members) {
        return new RoleRules(members, 1, members);
    }

    /** The same where more than those may join later, such as servers that others give a part of their work to. */
    public static RoleRules growing(int members) {
        return new RoleRules(members, 1, Integer.MAX_VALUE);
    }
}
