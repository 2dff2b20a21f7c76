package dev.tutti.cluster.launch;

import dev.tutti.cluster.rpc.CoordinatorAddress;

/**
 * What the JVM of a role other than the workers' is told over its standard input, as one line of JSON.
 *
 * @param coordinator where the others are found
 * @param token the secret of the job
 * @param role whose program it runs
 * @param wish the name it should have, such as {@code server-0}
 * @param settings what the program is told, as JSON
 */
record RoleInvitation(String coordinator, int port, String token, String role, String wish, String settings) {
    static RoleInvitation of(CoordinatorAddress address, String role, String wish, String settings) {
        return new RoleInvitation(address.host(), address.port(), address.token(), role, wish, settings);
    }

    CoordinatorAddress address() {
        return new CoordinatorAddress(coordinator, port, token);
    }
}
