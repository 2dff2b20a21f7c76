package dev.tutti.comm.sharedmemory;

import dev.tutti.comm.Group;
import dev.tutti.comm.MismatchedCallException;
import dev.tutti.comm.sharedmemory.SegmentLayout.Note;
import dev.tutti.comm.transport.CallAgreement;
import dev.tutti.comm.transport.CollectiveCall;
import dev.tutti.comm.transport.CollectiveOperation;
import dev.tutti.tensor.NativeMemory;

/**
 * Elements from one member to one other, through the sender's mail slots in a segment.
 *
 * <p>The sender offers, the receiver answers, both on the sender's page; then pieces go through the slots in turn.
 */
final class SegmentMailbox {
    private final Group group;
    private final Group whole;
    private final Segment segment;
    private final SegmentLayout map;
    private final SegmentNotes notes;
    private long offers;
    private long sent;

    SegmentMailbox(Group group, Group whole, Segment segment, SegmentLayout map, SegmentNotes notes) {
        this.group = group;
        this.whole = whole;
        this.segment = segment;
        this.map = map;
        this.notes = notes;
    }

    CollectiveCall answer(CollectiveCall mine, int peer, String purpose) {
        return mine.operation() == CollectiveOperation.SEND ? offer(mine, peer, purpose) : accept(mine, peer, purpose);
    }

    private CollectiveCall offer(CollectiveCall mine, int peer, String purpose) {
        offers++;
        notes.writeCall(map.offer(group.rank()), mine);
        notes.set(Note.OFFERED_TO, peer);
        notes.set(Note.OFFERS, offers);
        notes.await(peer, () -> isAnswered(group.rank(), offers), purpose, () -> {
            checkNoOtherCall(mine, peer);
            if (isOffering(peer) && notes.get(group.rank(), Note.ANSWERS) < offers) {
                throw stuck(mine, notes.readCall(map.offer(peer)), peer);
            }
        });
        return notes.readCall(map.answer(group.rank()));
    }

    private CollectiveCall accept(CollectiveCall mine, int peer, String purpose) {
        notes.set(Note.RECEIVING, peer + 1);
        notes.await(peer, () -> isOffering(peer), purpose, () -> {
            checkNoOtherCall(mine, peer);
            if (notes.get(peer, Note.RECEIVING) == group.rank() + 1) {
                throw stuck(
                        mine,
                        new CollectiveCall(
                                CollectiveOperation.RECEIVE, mine.what(), mine.type(), mine.count(), whole.rank()),
                        peer);
            }
        });
        notes.set(Note.RECEIVING, 0);
        CollectiveCall theirs = notes.readCall(map.offer(peer));
        notes.writeCall(map.answer(peer), mine);
        notes.set(peer, Note.ANSWERS, notes.get(peer, Note.OFFERS));
        return theirs;
    }

    private boolean isAnswered(int rank, long number) {
        return notes.get(rank, Note.ANSWERS) >= number;
    }

    /** Whether another member has begun to send something here that was not answered yet. */
    private boolean isOffering(int peer) {
        long number = notes.get(peer, Note.OFFERS);
        return number > notes.get(peer, Note.ANSWERS) && notes.get(peer, Note.OFFERED_TO) == group.rank();
    }

    /** The other one waits for this member in a call to all, which this one has not come to: it would be for ever. */
    private void checkNoOtherCall(CollectiveCall mine, int peer) {
        long calls = notes.get(peer, Note.CALLS);
        boolean fits =
                isOffering(peer) || isAnswered(group.rank(), offers) && mine.operation() == CollectiveOperation.SEND;
        if (calls > notes.get(group.rank(), Note.CALLS) && !fits) {
            throw stuck(mine, notes.readCall(map.call(peer, calls)), peer);
        }
    }

    private RuntimeException stuck(CollectiveCall mine, CollectiveCall theirs, int peer) {
        try {
            new CallAgreement(whole)
                    .checkPair(
                            mine,
                            theirs,
                            whole.members().indexOf(group.members().get(peer)));
            throw new IllegalStateException("calls that fit do not wait for each other");
        } catch (MismatchedCallException e) {
            return e;
        }
    }

    void send(NativeMemory values, int to) {
        long pieces = pieces(values.bytes());
        for (long piece = 0; piece < pieces; piece++) {
            if (sent >= SegmentLayout.MAIL_SLOTS) {
                awaitTaken(to, sent - SegmentLayout.MAIL_SLOTS + 1);
            }
            long from = piece * SegmentLayout.SLOT;
            long count = Math.min(SegmentLayout.SLOT, values.bytes() - from);
            segment.memory().copy(map.mail(group.rank(), sent), values, from, count);
            notes.set(Note.MAIL_SENT, ++sent);
        }
        awaitTaken(to, sent);
    }

    private void awaitTaken(int to, long pieces) {
        notes.await(to, () -> notes.get(group.rank(), Note.MAIL_TAKEN) >= pieces, "a send to it", () -> {});
    }

    void receive(NativeMemory values, int from) {
        long pieces = pieces(values.bytes());
        long taken = notes.get(from, Note.MAIL_TAKEN);
        for (long piece = 0; piece < pieces; piece++) {
            notes.await(from, Note.MAIL_SENT, taken + 1, "a send");
            long at = piece * SegmentLayout.SLOT;
            long count = Math.min(SegmentLayout.SLOT, values.bytes() - at);
            values.copy(at, segment.memory(), map.mail(from, taken), count);
            notes.set(from, Note.MAIL_TAKEN, ++taken);
        }
    }

    private static long pieces(long bytes) {
        return (bytes + SegmentLayout.SLOT - 1) / SegmentLayout.SLOT;
    }
}
