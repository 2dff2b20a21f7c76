package dev.tutti.strategy.closure;

import dev.tutti.Experimental;
import dev.tutti.comm.Message;
import dev.tutti.comm.Team;

/**
 * A function that members with the role {@code executor} run for a {@link ClosureScheduler}. A module that brings one lists it for {@link
 * java.util.ServiceLoader}. It may be run again on another member when its first one is lost, so it should be harmless to repeat, or push by a
 * {@link dev.tutti.strategy.ps.ParameterClient}, which is.
 */
@Experimental
public interface RemoteFunction {
    /** What it is called by. */
    String name();

    /**
     * Does the work.
     *
     * @param team the executor's way to the servers
     * @param arguments JSON in the head, tensors in the body
     * @return the result, in the same form; its tensors belong to the open scope
     */
    Message call(Team team, Message arguments);
}
