package dev.tutti.comm.sharedmemory;

import dev.tutti.comm.transport.CollectiveCall;
import dev.tutti.comm.transport.SharedVectors;

/**
 * Where things lie in a segment: a page of notes for each member, then its slots for elements.
 *
 * <p>Numbers that different members write lie on different cache lines. All counters only grow, so nothing is ever reset.
 */
record SegmentLayout(int members) {
    /** Bytes of one slot: small enough that what one member writes the other still finds in a cache. */
    static final int SLOT = 1 << 18;
    /** Slots a member stages elements in, so that it can be ahead of the others by some. */
    static final int SLOTS = 4;
    /** Slots for what is sent to one other member. */
    static final int MAIL_SLOTS = 2;

    private static final int LINE = 64;
    private static final int NOTES = 8192;
    static final int REASON_BYTES = 4096;

    /** Numbers on a member's page, each on a line of its own. */
    enum Note {
        /** How the member is, see {@link SegmentNotes}. */
        STATE,
        PID,
        /** Calls to all members that were begun. */
        CALLS,
        /** Pieces laid ready for the others to sum. */
        STAGED,
        /** Pieces of this member's part that are summed. */
        REDUCED,
        /** Pieces this member needs no other's slots for any more. */
        TAKEN,
        /** Sends that were begun. */
        OFFERS,
        /** To whom the last one goes. */
        OFFERED_TO,
        /** Sends the receiver has answered; written by the receiver. */
        ANSWERS,
        /** Pieces laid into the mail slots. */
        MAIL_SENT,
        /** Pieces fetched from there; written by the receiver. */
        MAIL_TAKEN,
        /** One more than the rank of the member that this one waits for to send, or 0. */
        RECEIVING,
        /** Rounds of {@link SharedVectors} in which this member's part was summed. */
        PREPARED,
        /** Rounds after which this member needed the others' vectors no more. */
        RELEASED
    }

    int note(int rank, Note note) {
        return rank * NOTES + note.ordinal() * LINE;
    }

    /** Where a call is written down; two in turn, since a fast member may begin the next while others still read. */
    int call(int rank, long number) {
        return rank * NOTES + 1024 + (int) (number & 1) * CollectiveCall.BYTES;
    }

    int offer(int rank) {
        return rank * NOTES + 1536;
    }

    int answer(int rank) {
        return rank * NOTES + 1792;
    }

    int reason(int rank) {
        return rank * NOTES + 4096;
    }

    long slot(int rank, long piece) {
        return elements(rank) + (piece % SLOTS) * SLOT;
    }

    long mail(int rank, long piece) {
        return elements(rank) + (long) SLOTS * SLOT + (piece % MAIL_SLOTS) * SLOT;
    }

    private long elements(int rank) {
        return (long) members * NOTES + (long) rank * (SLOTS + MAIL_SLOTS) * SLOT;
    }

    int size() {
        return Math.toIntExact(elements(members));
    }
}
