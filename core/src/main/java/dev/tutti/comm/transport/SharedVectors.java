package dev.tutti.comm.transport;

import dev.tutti.tensor.Tensor;
import java.util.List;

/** A vector of each member in memory that all of them can read, and how far each member is with them. */
public interface SharedVectors extends AutoCloseable {
    /** What members come to in every round. */
    enum Stage {
        /** This member's part is summed. */
        PREPARED,
        /** This member needs the others' vectors no more. */
        RELEASED
    }

    /** By rank. */
    List<Tensor> all();

    /** Counts what comes and goes through them. */
    TrafficMeter meter();

    /** What this member has said last; 0 at first. */
    long said(Stage stage);

    /** Says how many rounds of a stage this member has come to; all numbers only grow. */
    void say(Stage stage, long rounds);

    /** @param purpose what is waited for, for those who will have waited in vain */
    void awaitAll(Stage stage, long rounds, String purpose);

    /** Lets the memory go. */
    @Override
    void close();
}
