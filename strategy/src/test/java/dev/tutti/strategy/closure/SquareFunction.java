package dev.tutti.strategy.closure;

import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.json.Json;
import dev.tutti.tensor.Tensor;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Squares a tensor; the first executor that gets to it can be made to wait. */
public final class SquareFunction implements RemoteFunction {
    static final AtomicInteger CALLS = new AtomicInteger();

    @Override
    public String name() {
        return "square";
    }

    @Override
    public Message call(Team team, Message arguments) {
        CALLS.incrementAndGet();
        Map<?, ?> settings = Json.read(arguments.text(), Map.class, "test");
        if (settings.containsKey("fail")) {
            throw new IllegalStateException("as it was told");
        }
        Tensor x = arguments.body().get(0);
        return Message.of(team.messages().self().id(), x.mul(x));
    }
}
