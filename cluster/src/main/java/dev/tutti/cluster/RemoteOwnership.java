package dev.tutti.cluster;

import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.CoordinatorLostException;
import dev.tutti.cluster.rpc.Membership;
import dev.tutti.comm.FencedException;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Holding;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Ownership;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Things whose holders the coordinator keeps. */
final class RemoteOwnership implements Ownership {
    private final CoordinatorClient client;
    private final Supplier<Membership> self;

    RemoteOwnership(CoordinatorClient client, Supplier<Membership> self) {
        this.client = client;
        this.self = self;
    }

    @Override
    public Holding claim(String thing) {
        return ask(() -> client.claim(self.get(), thing));
    }

    @Override
    public Holding assign(Holding held, List<String> holders) {
        return ask(() -> client.assign(self.get(), held, holders));
    }

    @Override
    public Optional<Holding> of(String thing) {
        return ask(() -> client.holding(thing));
    }

    @Override
    public List<Holding> all(String prefix) {
        return ask(() -> client.holdings(prefix));
    }

    private static <T> T ask(Supplier<T> question) {
        try {
            return question.get();
        } catch (RefusedException e) {
            throw switch (e.kind()) {
                case FENCED -> new FencedException(e.getMessage(), e);
                case GONE, UNKNOWN, TOO_SLOW -> new GroupChangedException(e.getMessage(), e);
                default -> e;
            };
        } catch (CoordinatorLostException e) {
            throw new MemberLostException(List.of("coordinator"), e.getMessage(), e);
        }
    }
}
