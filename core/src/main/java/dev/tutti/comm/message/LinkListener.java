package dev.tutti.comm.message;

import dev.tutti.tensor.Tensor;
import java.util.List;

/** Hears what comes over links. Its methods do not wait. */
public interface LinkListener {
    /** Another member has opened a link. */
    void accepted(MessageLink link);

    /** A frame came; the listener owns its tensors from now on. */
    void received(MessageLink link, MessageFrame frame);

    /**
     * Where the tensors of an answer are to be written, asked before they are read. From then on until {@link #received} or {@link
     * #broken} the memory is the link's.
     *
     * @return handles of the destinations, which belong to the link; none where new tensors are to be made
     */
    List<Tensor> destinations(MessageLink link, long call);

    /** The link is no more: nothing of it will be received, and nothing more is written into destinations. Called once. */
    void broken(MessageLink link, String why);
}
