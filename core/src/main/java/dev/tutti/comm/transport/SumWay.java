package dev.tutti.comm.transport;

/** How the elements of a sum travel between machines. */
public enum SumWay {
    /** Every member sends all of its elements to all others: one round. */
    WHOLE,
    /** Every member sends each part to the one that sums it, and its own sum to all others: two rounds, the least bytes. */
    PARTS,
    /** Recursive halving and doubling: two rounds for each bit of the number of members, the least bytes, one message a round. */
    HALVING,
    /** Twice round a ring in pieces: most rounds, the least bytes, and adding while the next piece is on its way. */
    RING
}
