package dev.tutti.cluster;

import dev.tutti.cluster.coordinator.MembershipNotice;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.MemberLostException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How things stand between a member and its present group: whether it still holds, and if not, why.
 *
 * <p>What the coordinator says may come before the member itself knows of the group it is about, so the last word is kept and
 * looked at again when a group begins.
 */
final class GroupStatus {
    /** How long a call under way may go on after a member left in good order: it may have all it needs. */
    private static final long COURTESY = TimeUnit.SECONDS.toNanos(1);

    private final Object lock = new Object();
    private Group group;
    private Collectives collectives;
    private MembershipNotice latest;
    private long changedNanos;
    private volatile MemberLostException changed;

    /** The group holds as far as is known. Reads one field: it is asked at every step. */
    void check() {
        MemberLostException why = changed;
        if (why != null) {
            throw why.members().isEmpty()
                    ? new GroupChangedException(why.getMessage(), why)
                    : new MemberLostException(why.members(), why.getMessage(), why);
        }
    }

    /** A new group begins; if something happened to it meanwhile, that is known at once. */
    void begin(Group newGroup, Collectives with) {
        MemberLostException already;
        synchronized (lock) {
            group = newGroup;
            collectives = with;
            changed = null;
            already = judge();
        }
        if (already != null) {
            with.abort(already);
        }
    }

    /** The group is over: takes its collectives away to be closed, null if there are none. */
    Collectives end() {
        synchronized (lock) {
            Collectives old = collectives;
            collectives = null;
            return old;
        }
    }

    Group group() {
        synchronized (lock) {
            return group;
        }
    }

    Collectives collectives() {
        synchronized (lock) {
            return collectives;
        }
    }

    /** The coordinator says how things are. */
    void hear(MembershipNotice now) {
        MemberLostException why;
        Collectives with;
        synchronized (lock) {
            // An answer may be overtaken by a later notice: what was said to be over stays over.
            boolean later = latest == null
                    || now.generation() > latest.generation()
                    || now.generation() == latest.generation() && (now.changed() != null || latest.changed() == null);
            latest = later ? now : latest;
            why = judge();
            with = collectives;
        }
        if (why != null && with != null) {
            with.abort(why);
        }
    }

    /** Nothing more is to be expected of this group. */
    void breakOff(MemberLostException why) {
        Collectives with;
        synchronized (lock) {
            changed = why;
            with = collectives;
        }
        if (with != null) {
            with.abort(why);
        }
    }

    /** Sets {@link #changed} after the last word; gives the reason if calls under way are to end. */
    private MemberLostException judge() {
        if (group == null || latest == null) {
            return null;
        }
        List<String> lost = List.of();
        String why = null;
        boolean urgent = true;
        if (latest.generation() > group.generation()) {
            why = "the others have met in generation " + latest.generation() + ", without this member's being there in "
                    + group.generation();
        } else if (latest.generation() == group.generation() && latest.changed() != null) {
            why = latest.changed();
            lost = latest.lost();
            urgent = !latest.orderly();
        }
        if (why == null) {
            return null;
        }
        if (changed == null) {
            changed = new MemberLostException(lost, why);
            changedNanos = System.nanoTime();
        }
        boolean waitedEnough = !lost.isEmpty() && System.nanoTime() - changedNanos > COURTESY;
        return urgent || waitedEnough ? new MemberLostException(lost, why) : null;
    }
}
