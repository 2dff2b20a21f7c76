package dev.tutti.comm.sharedmemory;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.MismatchedCallException;
import dev.tutti.comm.sharedmemory.SegmentLayout.Note;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.comm.transport.CollectiveCall;
import dev.tutti.host.ProcessLiveness;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The notes that members of one segment leave for each other: how far each is, what it called for, why it left.
 *
 * <p>Waiting for another's number ends early when that member has left, failed or died.
 */
final class SegmentNotes {
    private static final long GRACE = 250_000_000;

    private static final long OPEN = 1;
    private static final long LEFT = 2;
    private static final long LOST_OTHERS = 3;
    private static final long MISMATCHED = 4;

    private final Group group;
    private final Group whole;
    private final Segment segment;
    private final SegmentLayout map;
    private final CallDeadline patience;
    private final long pid = ProcessHandle.current().pid();

    SegmentNotes(Group group, Group whole, Segment segment, SegmentLayout map, CallDeadline patience) {
        this.group = group;
        this.whole = whole;
        this.segment = segment;
        this.map = map;
        this.patience = patience;
        set(Note.PID, pid);
        set(Note.STATE, OPEN);
    }

    long get(int rank, Note note) {
        return segment.get(map.note(rank, note));
    }

    void set(Note note, long value) {
        set(group.rank(), note, value);
    }

    void set(int rank, Note note, long value) {
        segment.set(map.note(rank, note), value);
    }

    void writeCall(int at, CollectiveCall call) {
        call.write(segment.slice(at, CollectiveCall.BYTES));
    }

    CollectiveCall readCall(int at) {
        return CollectiveCall.read(segment.slice(at, CollectiveCall.BYTES));
    }

    /** Waits until a number of another member has grown that far. */
    void await(int rank, Note note, long value, String purpose) {
        int at = map.note(rank, note);
        if (segment.get(at) < value) {
            await(rank, () -> segment.get(at) >= value, purpose, () -> {});
        }
    }

    /** Waits until a number of all other members has grown that far. */
    void awaitAll(Note note, long value, String purpose) {
        for (int rank = 0; rank < group.size(); rank++) {
            if (rank != group.rank()) {
                await(rank, note, value, purpose);
            }
        }
    }

    /** @param look does more looking; throws when there is no point in waiting on */
    void await(int rank, BooleanSupplier done, String purpose, Runnable look) {
        patience.await(done, new CallDeadline.Lookout() {
            @Override
            public void look() {
                checkOthers();
                RuntimeException gone = whyGone(rank);
                // Looked at after that: one that is gone may have done what is waited for before it went.
                if (!done.getAsBoolean()) {
                    if (gone != null) {
                        throw gone;
                    }
                    look.run();
                }
            }

            @Override
            public RuntimeException late() {
                awaitBetterReason();
                return lost(rank, "did not take part in " + purpose + " within " + patience.inWords() + lastCall(rank));
            }
        });
    }

    /**
     * Where only one member has connections to other machines, it may be the one waited for, just about to say for whom it has
     * waited in vain itself.
     */
    private void awaitBetterReason() {
        long until = System.nanoTime() + (whole.size() > group.size() ? GRACE : 0);
        while (System.nanoTime() < until) {
            checkOthers();
            LockSupport.parkNanos(this, GRACE / 50);
        }
    }

    private void checkOthers() {
        for (int rank = 0; rank < group.size(); rank++) {
            long state = rank == group.rank() ? OPEN : get(rank, Note.STATE);
            if (state == LOST_OTHERS || state == MISMATCHED) {
                throw failureOf(rank, state);
            }
        }
    }

    /** Null while a member is there. */
    private RuntimeException whyGone(int rank) {
        long state = get(rank, Note.STATE);
        if (state == LEFT) {
            return lost(rank, "has left the group" + lastCall(rank));
        }
        long other = get(rank, Note.PID);
        return state == OPEN && other != pid && !ProcessLiveness.isAlive(other)
                ? lost(rank, "is gone: its process " + other + " has ended" + lastCall(rank))
                : null;
    }

    MemberLostException lost(int rank, String what) {
        String id = group.members().get(rank).id();
        return new MemberLostException(List.of(id), id + " " + what);
    }

    private String lastCall(int rank) {
        long calls = get(rank, Note.CALLS);
        if (calls == 0 && whole.size() > group.size()) {
            return ""; // calls are compared elsewhere
        }
        return calls == 0
                ? "; it has made no call yet"
                : "; its last call: " + readCall(map.call(rank, calls)).describe(whole);
    }

    /** Tells the others why this member leaves. */
    void leave(RuntimeException failure) {
        if (get(group.rank(), Note.STATE) != OPEN) {
            return;
        }
        if (failure == null) {
            set(Note.STATE, LEFT);
            return;
        }
        List<String> lost = failure instanceof MemberLostException e ? e.members() : List.of();
        byte[] text = (String.join(",", lost) + "\n" + failure.getMessage()).getBytes(UTF_8);
        ByteBuffer page = segment.slice(map.reason(group.rank()), SegmentLayout.REASON_BYTES);
        int length = Math.min(text.length, page.capacity() - Integer.BYTES);
        page.putInt(length).put(text, 0, length);
        set(Note.STATE, failure instanceof MismatchedCallException ? MISMATCHED : LOST_OTHERS);
    }

    private RuntimeException failureOf(int rank, long state) {
        ByteBuffer page = segment.slice(map.reason(rank), SegmentLayout.REASON_BYTES);
        byte[] text = new byte[page.getInt()];
        page.get(text);
        String[] parts = new String(text, UTF_8).split("\n", 2);
        if (state == MISMATCHED) {
            return new MismatchedCallException(parts[1]);
        }
        List<String> lost = parts[0].isEmpty() ? List.of() : List.of(parts[0].split(","));
        return new MemberLostException(
                lost, parts[1] + " (said by " + group.members().get(rank).id() + ")");
    }
}
