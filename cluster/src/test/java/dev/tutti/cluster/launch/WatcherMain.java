package dev.tutti.cluster.launch;

import dev.tutti.json.Json;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.job.Job;
import java.nio.file.Path;
import java.time.Duration;

/** Starts a detached run and follows it, until it is killed. */
public final class WatcherMain {
    private WatcherMain() {}

    public static void main(String[] arguments) {
        DetachedRun run = DetachedRun.start(Json.read(Path.of(arguments[0]), Job.class), false);
        System.out.println("process " + run.process());
        run.observer().follow(Duration.ofMinutes(2), Callbacks.progress(System.out, false));
    }
}
