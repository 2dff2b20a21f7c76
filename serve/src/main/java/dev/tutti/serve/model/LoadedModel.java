package dev.tutti.serve.model;

import dev.tutti.serve.batch.BatchFunction;
import dev.tutti.train.checkpoint.ModelDescription;
import java.util.List;

/** A model that is ready to compute, in this process or in others. */
public interface LoadedModel extends AutoCloseable {
    ModelDescription description();

    /** Functions that compute side by side, each called by one thread at a time. */
    List<BatchFunction> functions();

    /** Called when no function is under way any more. */
    @Override
    void close();
}
