package dev.tutti.comm.transport;

import dev.tutti.comm.Group;
import dev.tutti.comm.MismatchedCallException;
import java.util.ArrayList;
import java.util.List;

/** Finds out whether the calls of all members fit together, and says what does not. */
public final class CallAgreement {
    private final Group group;

    public CallAgreement(Group group) {
        this.group = group;
    }

    /**
     * The one call all members make, those aside that have joined.
     *
     * @param calls by rank
     * @throws MismatchedCallException with every member's call if they differ; the same text everywhere
     */
    CollectiveCall check(List<CollectiveCall> calls) {
        CollectiveCall one = null;
        for (CollectiveCall call : calls) {
            if (call.operation() != CollectiveOperation.JOIN) {
                if (one != null && !one.equals(call)) {
                    throw mismatch(calls, "");
                }
                one = call;
            }
        }
        if (one == null) {
            return calls.get(0);
        }
        for (int rank = 0; rank < calls.size(); rank++) {
            if (calls.get(rank).operation() == CollectiveOperation.JOIN && !canDoWithout(one, rank)) {
                throw mismatch(calls, ": " + one.operation() + " needs the elements of a member that has joined");
            }
        }
        return one;
    }

    private static boolean canDoWithout(CollectiveCall call, int joined) {
        return switch (call.operation()) {
            case ALL_REDUCE, REDUCE_SCATTER, BARRIER -> true;
            case BROADCAST -> call.peer() != joined;
            default -> false;
        };
    }

    /** Checks what two members want of each other. */
    public void checkPair(CollectiveCall mine, CollectiveCall theirs, int peer) {
        boolean opposite = mine.operation() == CollectiveOperation.SEND
                        && theirs.operation() == CollectiveOperation.RECEIVE
                || mine.operation() == CollectiveOperation.RECEIVE && theirs.operation() == CollectiveOperation.SEND;
        if (!opposite
                || theirs.peer() != group.rank()
                || !mine.what().equals(theirs.what())
                || mine.type() != theirs.type()
                || mine.count() != theirs.count()) {
            boolean first = group.rank() < peer;
            throw mismatch(
                    List.of(first ? mine : theirs, first ? theirs : mine),
                    List.of(Math.min(group.rank(), peer), Math.max(group.rank(), peer)),
                    "");
        }
    }

    private MismatchedCallException mismatch(List<CollectiveCall> calls, String why) {
        List<Integer> ranks = new ArrayList<>();
        for (int rank = 0; rank < calls.size(); rank++) {
            ranks.add(rank);
        }
        return mismatch(calls, ranks, why);
    }

    private MismatchedCallException mismatch(List<CollectiveCall> calls, List<Integer> ranks, String why) {
        StringBuilder text = new StringBuilder("members called for different things at the same time");
        text.append(why).append(". Expected the same call of all of them, received");
        for (int i = 0; i < calls.size(); i++) {
            text.append(i == 0 ? " " : ", ")
                    .append(calls.get(i).describe(group))
                    .append(" by ")
                    .append(group.members().get(ranks.get(i)).id());
        }
        return new MismatchedCallException(text.append(". All members have to make the same calls in the same order")
                .toString());
    }
}
