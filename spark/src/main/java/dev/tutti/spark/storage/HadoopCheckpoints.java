package dev.tutti.spark.storage;

import dev.tutti.spark.launch.ScratchFolder;
import dev.tutti.train.EpochResult;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.CheckpointSaver;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/**
 * Saves checkpoints in a folder of any file system that Hadoop knows: {@code fit.callbacks(checkpoints)}, and
 * {@code fit.resume(checkpoints.download())} goes on from there.
 *
 * <p>The driver has a copy in a temporary folder, which is deleted by {@link #close}.
 */
public final class HadoopCheckpoints implements Callback, AutoCloseable {
    private final HadoopFolder folder;
    private final ScratchFolder copy;
    private final CheckpointSaver saver;
    private boolean downloaded;

    private HadoopCheckpoints(HadoopFolder folder, ScratchFolder copy, CheckpointSaver saver) {
        this.folder = folder;
        this.copy = copy;
        this.saver = saver;
    }

    /** @param address such as {@code hdfs:///checkpoints/digits} */
    public static HadoopCheckpoints in(String address, Configuration hadoop) {
        HadoopFolder folder = HadoopFolder.at(address, hadoop);
        ScratchFolder copy = ScratchFolder.create("checkpoints");
        return new HadoopCheckpoints(folder, copy, Callbacks.checkpoint(copy.path()));
    }

    /** Also after every so many steps. */
    public HadoopCheckpoints everySteps(long steps) {
        return new HadoopCheckpoints(folder, copy, saver.everySteps(steps));
    }

    /** How many of the newest stay; 3 by default. */
    public HadoopCheckpoints keep(int count) {
        return new HadoopCheckpoints(folder, copy, saver.keep(count));
    }

    /** Fetches the checkpoints that are there; a run that does not call this begins anew, and they are kept as {@code NAME.old}. */
    public Path download() {
        folder.download(copy.path());
        downloaded = true;
        return copy.path();
    }

    @Override
    public Optional<Path> checkpointFolder() {
        return saver.checkpointFolder();
    }

    @Override
    public boolean needsState(Run run) {
        return saver.needsState(run);
    }

    @Override
    public void begin(Run run) {
        if (!downloaded && folder.exists()) {
            folder.setAside(); // a later one of that run would be taken for the newest
        }
        downloaded = true;
        saver.begin(run);
    }

    @Override
    public void step(Run run) {
        saver.step(run);
        folder.upload(copy.path());
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        saver.epoch(run, result);
        folder.upload(copy.path());
    }

    @Override
    public void end(Run run, Optional<Throwable> failure) {
        saver.end(run, failure);
        folder.upload(copy.path());
    }

    @Override
    public void close() {
        copy.close();
    }
}
