package dev.tutti.jobs.learn;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.data.Dataset;
import java.nio.file.Path;

/** The examples of one model on disk: those to learn from, and those held out. */
interface ExampleStore {
    /** How many there are to learn from. */
    long count();

    long heldOutCount();

    /**
     * The source of a job that learns from the examples of a range.
     *
     * @param round a folder for the files of the job
     */
    ObjectNode source(long from, long to, Path round);

    /** The held-out examples from a number on, the newest ones at most. */
    Dataset heldOut(long from, int most);
}
