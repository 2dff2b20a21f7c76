package dev.tutti.cluster.launch;

import dev.tutti.TuttiException;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import dev.tutti.train.History;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.ReadyJob;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The program of a {@link DetachedRun}: it takes a job from its standard input and trains. A closed terminal and Ctrl-C there do not end
 * it; SIGTERM ends it with a checkpoint.
 */
public final class DetachedMain {
    private static final int FAILED = 1;
    private static final Logger LOG = LoggerFactory.getLogger(DetachedMain.class);

    private DetachedMain() {}

    public static void main(String[] arguments) throws IOException {
        AtomicBoolean interrupted = new AtomicBoolean();
        ignore("INT");
        ignore("HUP");
        take("TERM", () -> interrupted.set(true));
        String text = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        if (text.isBlank()) {
            return; // the process that started this one was gone before it had given a job
        }
        DetachedRun.Order order = Json.read(text, DetachedRun.Order.class, "the job");
        JobFile file =
                JobFile.of(Json.writeYaml(order.job()), "the job", order.job().name());
        try {
            Optional<JobFile> next = run(file, order.resume(), interrupted::get);
            while (next.isPresent()) { // it was given another job meanwhile
                next = run(next.get(), true, interrupted::get);
            }
        } catch (TuttiException e) {
            LOG.error("{}", e.getMessage());
            Runtime.getRuntime().halt(FAILED);
        } catch (RuntimeException | Error e) {
            LOG.error("the run has failed", e);
            Runtime.getRuntime().halt(FAILED);
        }
        Runtime.getRuntime().halt(0); // native threads and user code may not end by themselves
    }

    /** @return the job to go on with; empty where the run is over */
    private static Optional<JobFile> run(JobFile file, boolean resume, BooleanSupplier interrupted) {
        try (ReadyJob ready = ReadyJob.check(file).changeable()) {
            ready.lockOutput();
            History history = ready.run(resume, interrupted);
            if (history.ending() != History.Ending.INTERRUPTED) {
                AtomicFile.write(ready.job().output().result(), Json.write(result(ready, history)) + "\n");
            }
            return interrupted.getAsBoolean() ? Optional.empty() : ready.next(history);
        }
    }

    private static Map<String, Object> result(ReadyJob ready, History history) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("job", ready.job().name());
        result.put("ending", history.ending().name().toLowerCase(Locale.ROOT));
        result.put("epochs", history.epochs().size());
        result.put("model", ready.job().output().model().toString());
        result.put("history", history.epochs());
        return result;
    }

    private static void ignore(String signal) {
        take(signal, () -> LOG.debug("SIG{} is ignored: the run goes on", signal));
    }

    @SuppressWarnings("resource") // for as long as this JVM lives
    private static void take(String signal, Runnable heard) {
        HandledSignal unused = HandledSignal.take(signal, heard);
    }
}
