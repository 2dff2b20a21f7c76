package dev.tutti.serve.http;

import dev.tutti.TuttiException;
import java.util.Set;

/**
 * A key by which a caller is known.
 *
 * @param name of the caller, in logs and for fair shares
 * @param key the secret, at least 16 characters
 * @param perSecond requests in a second; 0 for no limit
 */
public record ApiKey(String name, String key, Set<Role> roles, double perSecond) {
    private static final int SHORTEST = 16;

    public ApiKey {
        if (name == null || !name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
            throw new TuttiException(
                    "an API key has a name of letters, digits, '.', '_' and '-': received '" + name + "'");
        }
        if (key == null || key.length() < SHORTEST) {
            throw new TuttiException("the API key of '" + name + "' has fewer than " + SHORTEST
                    + " characters: choose a random one, for instance from openssl rand -hex 24");
        }
        roles = roles == null ? Set.of(Role.PREDICT) : Set.copyOf(roles);
        if (perSecond < 0 || Double.isNaN(perSecond)) {
            throw new TuttiException(
                    "the limit of key '" + name + "': expected requests in a second, received " + perSecond);
        }
    }

    boolean mayDo(Role role) {
        return role == Role.NONE || roles.contains(role) || roles.contains(Role.ADMIN);
    }

    /** The secret is not part of any message. */
    @Override
    public String toString() {
        return name + " " + roles;
    }
}
