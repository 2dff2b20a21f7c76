package dev.tutti.tune.run;

import dev.tutti.TuttiException;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import dev.tutti.train.EpochResult;
import dev.tutti.train.History;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.ReadyJob;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Trains trials on a thread of this JVM. */
final class ThreadPlace implements TrialPlace {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadPlace.class);

    @Override
    public TrialEnding run(TrialOrder order, EpochJudge judge) {
        AtomicBoolean pause = new AtomicBoolean();
        Callback watcher = new Callback() {
            @Override
            public void begin(Run run) {
                if (order.saveOnly()) {
                    run.stop("the model is saved as it is");
                }
            }

            @Override
            public void epoch(Run run, EpochResult result) {
                Map<String, Double> measured =
                        new LinkedHashMap<>(result.measured().metrics());
                measured.put("loss", result.measured().loss());
                if (!judge.goesOn(result.epoch(), measured)) {
                    pause.set(true);
                }
            }

            @Override
            public boolean showsProgress() {
                return true; // the table of all trials is what people look at
            }
        };
        try (ReadyJob ready = ReadyJob.check(JobFile.of(order.job(), "trial " + order.trial(), order.name()))) {
            History history = ready.run(order.resume(), pause::get, watcher);
            if (history.ending() == History.Ending.INTERRUPTED) {
                return TrialEnding.of(TrialEnding.How.PAUSED);
            }
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("job", order.name());
            result.put("ending", history.ending().name().toLowerCase(Locale.ROOT));
            result.put("history", history.epochs());
            AtomicFile.write(ready.job().output().result(), Json.write(result) + "\n");
            boolean diverged = history.ending() == History.Ending.STOPPED
                    && !history.epochs().isEmpty()
                    && Double.isNaN(history.last().measured().loss());
            return diverged
                    ? new TrialEnding(TrialEnding.How.FAILED, "the loss is not a number")
                    : TrialEnding.of(TrialEnding.How.FINISHED);
        } catch (TuttiException e) {
            return new TrialEnding(TrialEnding.How.FAILED, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.error("trial {} has failed", order.trial(), e);
            return new TrialEnding(TrialEnding.How.LOST, e.toString());
        }
    }

    @Override
    public void close() {}
}
