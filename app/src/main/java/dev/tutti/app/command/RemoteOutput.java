package dev.tutti.app.command;

import dev.tutti.app.UsageException;
import dev.tutti.spark.launch.ScratchFolder;
import dev.tutti.spark.storage.HadoopFolder;
import dev.tutti.train.EpochResult;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.job.JobFile;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The folder of a run in a file system of Hadoop. The run writes to a temporary folder here, and what is new in it is written there after
 * each epoch and checkpoint and at the end.
 */
final class RemoteOutput implements AutoCloseable {
    private static final long BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String address;
    private final HadoopFolder folder;
    private final ScratchFolder here;

    private RemoteOutput(String address, HadoopFolder folder, ScratchFolder here) {
        this.address = address;
        this.folder = folder;
        this.here = here;
    }

    /** The folder that a job asks for; its output is an address and not a path of this machine. */
    static RemoteOutput of(JobFile file) {
        String address = file.job().outputAddress().orElseThrow();
        if (RemoteOutput.class.getResource("/org/apache/hadoop/fs/FileSystem.class") == null) {
            throw new UsageException(
                    "output " + address + ": Hadoop's file systems come with Spark, which ./tutti takes"
                            + " along when --output or --on asks for it");
        }
        return new RemoteOutput(address, HadoopFolder.at(address), ScratchFolder.create("run"));
    }

    /** The job that writes here; what is there is fetched to go on from, or set aside. */
    JobFile prepared(JobFile file, boolean resume) {
        if (resume) {
            folder.download(here.path());
        } else if (folder.exists()) {
            folder.setAside();
        }
        return file.set("output", here.path().toString(), "output " + address);
    }

    /** Writes there what is new. */
    void upload() {
        folder.upload(here.path());
    }

    /** A path of the run as it is called there. */
    String shown(Path path) {
        return address + path.toString().substring(here.path().toString().length());
    }

    /** Brings what is new there now and then, and after each epoch. */
    Callback uploads() {
        return new Callback() {
            private long last = System.nanoTime();

            @Override
            public String name() {
                return "remoteOutput";
            }

            @Override
            public void step(Run run) {
                if (System.nanoTime() - last > BETWEEN_NANOS) {
                    upload();
                    last = System.nanoTime();
                }
            }

            @Override
            public void epoch(Run run, EpochResult result) {
                upload();
            }

            @Override
            public void end(Run run, Optional<Throwable> failure) {
                upload();
            }
        };
    }

    @Override
    public void close() {
        here.close();
    }
}
