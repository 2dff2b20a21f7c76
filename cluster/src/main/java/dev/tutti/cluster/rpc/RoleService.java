package dev.tutti.cluster.rpc;

import dev.tutti.cluster.coordinator.Coordinator;
import dev.tutti.cluster.coordinator.Event;
import dev.tutti.cluster.coordinator.Presence;
import dev.tutti.comm.Holding;
import io.grpc.ServerServiceDefinition;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Answers the calls of {@link RoleWire}. */
final class RoleService {
    private final LiveCoordinator live;
    private final Function<CoordinatorProtocol.Caller, String> known;

    /** @param known the member that calls, if it is one */
    RoleService(LiveCoordinator live, Function<CoordinatorProtocol.Caller, String> known) {
        this.live = live;
        this.known = known;
    }

    void addTo(ServerServiceDefinition.Builder builder) {
        CoordinatorService.unary(builder, RoleWire.ANNOUNCE, said -> {
            live.apply(new Event.Announce(known.apply(said.caller()), said.address()));
            return CoordinatorProtocol.Done.DONE;
        });
        CoordinatorService.unary(
                builder,
                RoleWire.PRESENT,
                asked -> new RoleWire.Presences(live.ask((Coordinator machine) -> machine.present(asked.role()))));
        CoordinatorService.async(builder, RoleWire.FIND, this::find);
        CoordinatorService.unary(builder, RoleWire.CLAIM, asked -> {
            live.apply(new Event.Claim(known.apply(asked.caller()), asked.thing()));
            return held(asked.thing());
        });
        CoordinatorService.unary(builder, RoleWire.ASSIGN, asked -> {
            live.apply(new Event.Assign(known.apply(asked.caller()), asked.thing(), asked.term(), asked.holders()));
            return held(asked.thing());
        });
        CoordinatorService.unary(
                builder,
                RoleWire.HOLDINGS,
                asked -> new RoleWire.Holdings(live.ask((Coordinator machine) -> asked.exactly()
                        ? machine.holding(asked.name()).stream().toList()
                        : machine.holdings(asked.name()))));
    }

    private Holding held(String thing) {
        return live.ask((Coordinator machine) -> machine.holding(thing).orElseThrow());
    }

    /** Waits until a member has an address or is gone; nothing when the wait of one call is over. */
    private CompletableFuture<RoleWire.Presences> find(RoleWire.Find asked) {
        Function<Coordinator, Optional<Presence>> question = machine ->
                machine.presence(asked.member()).filter(member -> member.address() != null || member.gone() != null);
        return live.await(question, Math.min(CoordinatorService.POLL, asked.millis()))
                .thenApply(found -> new RoleWire.Presences(found == null ? List.of() : List.of(found)));
    }
}
