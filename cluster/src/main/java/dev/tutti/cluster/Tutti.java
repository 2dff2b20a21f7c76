package dev.tutti.cluster;

import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * For those who write their own training loop: the processes that {@code ./tutti run -n 4 -- MainClass} has started, and what they
 * compute together.
 *
 * <pre>{@code
 * Tutti.init();
 * float[] gradients = ...;
 * Tutti.allReduce(gradients);            // the sum over all processes, in every one of them
 * if (Tutti.rank() == 0) { ... }
 * Tutti.close();
 * }</pre>
 *
 * <p>All processes make the same calls in the same order. A call ends within a deadline; when a process is missing it throws {@link
 * dev.tutti.comm.MemberLostException}, which names it. Without {@code ./tutti run} and without a {@link ClusterSpec} in the
 * environment the process is the only one. One thread at a time may call.
 */
public final class Tutti {
    private static Team team;

    private Tutti() {}

    /** Meets the other processes. More than once does nothing. */
    public static synchronized void init() {
        if (team == null) {
            init(
                    !ClusterSpec.isInEnvironment()
                            ? Team.alone(1)
                            : ExternalCluster.join(ClusterSpec.fromEnvironment(), null, Map.of(), 0));
        }
    }

    /** Meets the other processes of a spec. */
    public static synchronized void init(ClusterSpec spec) {
        if (team == null) {
            init(ExternalCluster.join(spec, null, Map.of(), 0));
        }
    }

    private static void init(Team joined) {
        try {
            joined.meet(0);
            team = joined;
        } catch (RuntimeException e) {
            joined.close();
            throw e;
        }
    }

    /** The place of this process among all, from 0. */
    public static int rank() {
        return group().rank();
    }

    /** How many processes there are. */
    public static int size() {
        return group().size();
    }

    /** The place of this process among those of the same machine, from 0: for instance to choose a device. */
    public static int localRank() {
        Group group = group();
        List<dev.tutti.comm.Member> before = group.members().subList(0, group.rank());
        return (int) before.stream()
                .filter(member -> member.host().equals(group.self().host()))
                .count();
    }

    /** Sums over all processes, in place. */
    public static void allReduce(float[] values) {
        float[] sum = run("allReduce", values, Collectives::allReduce);
        System.arraycopy(sum, 0, values, 0, values.length);
    }

    /** Sums a tensor over all processes, in place. */
    public static void allReduce(String name, Tensor values) {
        collectives().allReduce(name, values);
    }

    /** The values of all processes, which must be equally many, in the order of their ranks. */
    public static float[] allGather(float[] mine) {
        float[] all = new float[mine.length * size()];
        System.arraycopy(mine, 0, all, rank() * mine.length, mine.length);
        return run("allGather", all, Collectives::allGather);
    }

    /** This process's part of the sum over all processes: a stretch of {@code values.length / size()} elements, nearly. */
    public static float[] reduceScatter(float[] values) {
        Range part = group().part(values.length);
        float[] all = run("reduceScatter", values, Collectives::reduceScatter);
        return Arrays.copyOfRange(all, (int) part.from(), (int) part.to());
    }

    /** Gives the values of one process to all others, in place. */
    public static void broadcast(float[] values, int root) {
        float[] received = run("broadcast", values, (all, what, tensor) -> all.broadcast(what, tensor, root));
        System.arraycopy(received, 0, values, 0, values.length);
    }

    /** Gives a tensor of one process to all others, in place. */
    public static void broadcast(String name, Tensor values, int root) {
        collectives().broadcast(name, values, root);
    }

    /** Returns when all processes have called it. */
    public static void barrier() {
        collectives().barrier("barrier");
    }

    /** For a process whose data ran out: takes part, with nothing, in the sums of the others until all have called it. */
    public static void join() {
        collectives().join();
    }

    /** What there is beyond these calls: meeting again after a loss, leases of data. */
    public static Team team() {
        if (team == null) {
            throw new IllegalStateException("Tutti.init() was not called, or Tutti.close() was");
        }
        return team;
    }

    /** Leaves the others in good order. */
    public static synchronized void close() {
        if (team != null) {
            team.close();
            team = null;
        }
    }

    private interface Call {
        void make(Collectives collectives, String what, Tensor values);
    }

    private static float[] run(String what, float[] values, Call call) {
        try (Scope scope = Scope.open()) {
            Tensor tensor = Tensor.of(values, values.length);
            call.make(collectives(), what, tensor);
            return tensor.toArray().floats();
        }
    }

    private static Group group() {
        return team().group();
    }

    private static Collectives collectives() {
        return team().collectives();
    }
}
