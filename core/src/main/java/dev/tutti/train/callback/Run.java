package dev.tutti.train.callback;

import dev.tutti.nn.Model;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Evaluation;
import dev.tutti.train.RuntimeSettings;
import dev.tutti.train.TrainingConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A run as its callbacks see it. */
public interface Run {
    Model model();

    TrainingConfig recipe();

    /** The epoch under way, counted from 1. */
    int epoch();

    /** How many epochs there are to be. */
    int epochs();

    /** Updates so far, since the very beginning. */
    long step();

    /** Updates so far in this epoch. */
    long stepOfEpoch();

    /** Updates in an epoch, where that is known beforehand. */
    OptionalLong stepsPerEpoch();

    /** Samples seen so far in this run of the program, which is less than all of them when it was resumed. */
    long samplesSeen();

    /** The rate of the last update. */
    double learningRate();

    /** What was set while training runs, such as {@value RuntimeSettings#LEARNING_RATE}; the same on all members. */
    Map<String, String> settings();

    /**
     * Changes a setting for all members, who follow it together a step or two later; null takes it away.
     *
     * @throws dev.tutti.TuttiException if it is one of training's own and the value is none for it
     */
    void configure(String key, String value);

    /** The mean loss of the last batches that made one update. */
    double lastLoss();

    /** Loss and metrics of the epoch so far. */
    Evaluation soFar();

    /** Whether this member is the chief now: one that was it before may be so no more. */
    boolean isChief();

    /** The epochs that are done. */
    List<EpochResult> finished();

    /** Ends training after this step; the reason is told to the user. */
    void stop(String reason);

    /** True when training is about to end before its time. */
    boolean stopping();

    /** True when training ends to go on later. */
    default boolean interrupted() {
        return false;
    }

    /**
     * Saves everything needed to go on from here in a folder of checkpoints, of which the newest few are kept. Where members hold parts
     * of the state each writes its own, so they must know beforehand: see {@link Callback#needsState}.
     *
     * @return the file of the checkpoint, or its manifest
     * @throws dev.tutti.TuttiException if it cannot be written
     */
    Path saveCheckpoint(Path folder, int keep);

    /** Saves the model as it is now as a folder. */
    void saveModel(Path folder);
}
