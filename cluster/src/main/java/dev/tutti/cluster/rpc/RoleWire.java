package dev.tutti.cluster.rpc;

import dev.tutti.cluster.coordinator.Presence;
import dev.tutti.comm.Holding;
import io.grpc.MethodDescriptor;
import java.util.List;

/** The calls by which members of all roles find each other and hold things. */
final class RoleWire {
    static final MethodDescriptor<Announce, CoordinatorProtocol.Done> ANNOUNCE =
            CoordinatorProtocol.unary("announce", Announce.class, CoordinatorProtocol.Done.class);
    static final MethodDescriptor<Present, Presences> PRESENT =
            CoordinatorProtocol.unary("present", Present.class, Presences.class);
    static final MethodDescriptor<Find, Presences> FIND =
            CoordinatorProtocol.unary("find", Find.class, Presences.class);
    static final MethodDescriptor<Claim, Holding> CLAIM =
            CoordinatorProtocol.unary("claim", Claim.class, Holding.class);
    static final MethodDescriptor<Assign, Holding> ASSIGN =
            CoordinatorProtocol.unary("assign", Assign.class, Holding.class);
    static final MethodDescriptor<Things, Holdings> HOLDINGS =
            CoordinatorProtocol.unary("holdings", Things.class, Holdings.class);

    private RoleWire() {}

    record Announce(CoordinatorProtocol.Caller caller, String address) {}

    /** @param role null for all */
    record Present(String role) {}

    /** @param millis the longest to wait until it has an address, in milliseconds */
    record Find(String member, long millis) {}

    record Presences(List<Presence> members) {}

    record Claim(CoordinatorProtocol.Caller caller, String thing) {}

    record Assign(CoordinatorProtocol.Caller caller, String thing, long term, List<String> holders) {}

    /** @param exactly whether it is the name of one thing, or the beginning of several */
    record Things(String name, boolean exactly) {}

    record Holdings(List<Holding> things) {}
}
