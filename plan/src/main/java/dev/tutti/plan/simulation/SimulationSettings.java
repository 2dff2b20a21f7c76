package dev.tutti.plan.simulation;

import dev.tutti.TuttiException;
import dev.tutti.plan.FailureRate;
import dev.tutti.plan.NetworkSpec;

/**
 * What is simulated.
 *
 * @param nodes members at the start, and the most there may be
 * @param failures of a node; half of them end a process, whose connections break, and half a machine, which falls silent
 * @param rejoinSeconds after which another member takes a lost one's place
 * @param stragglers the share of members that are slow
 * @param slowness how many times as long a slow member takes
 * @param stepSeconds a step of all members if none is slow
 * @param inLockstep whether a step that a loss interrupts is done again
 * @param steps of the job
 * @param seconds of virtual time
 * @param network between members and coordinator
 */
public record SimulationSettings(
        int nodes,
        FailureRate failures,
        double rejoinSeconds,
        double stragglers,
        double slowness,
        double stepSeconds,
        boolean inLockstep,
        long steps,
        double seconds,
        NetworkSpec network,
        long seed) {
    public SimulationSettings {
        if (nodes < 1 || !(stepSeconds > 0) || !(seconds > 0) || stragglers < 0 || stragglers > 1 || slowness < 1) {
            throw new TuttiException(
                    "simulation: expected at least 1 node, times above 0, a share of stragglers from 0 to 1"
                            + " and a slowness of at least 1, received " + nodes + " nodes, steps of " + stepSeconds
                            + " s, "
                            + seconds + " s, " + stragglers + " and " + slowness);
        }
    }
}
