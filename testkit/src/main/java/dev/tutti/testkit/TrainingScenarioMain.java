package dev.tutti.testkit;

import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import dev.tutti.testkit.fault.DataFault;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The program of a JVM that is put to the test: reads a {@link TrainingScenario} from its standard input and does it.
 *
 * <p>As chief it says after every step where it is and goes on when it is told to, so that faults strike where they are meant to.
 * At the end it writes its {@link MemberResult}. It ends when the process that started it ends.
 */
public final class TrainingScenarioMain {
    static final String STEP = "@step ";
    static final String RESULT = "@result ";
    private static final Logger LOG = LoggerFactory.getLogger(TrainingScenarioMain.class);

    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final Semaphore go = new Semaphore(0);

    private TrainingScenarioMain() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = input.readLine();
        if (line == null) {
            return;
        }
        TrainingScenarioMain main = new TrainingScenarioMain();
        Thread listener = new Thread(() -> main.listen(input), "tutti-scenario-orders");
        listener.setDaemon(true);
        listener.start();
        DataFault.register();
        Runtime.getRuntime().halt(main.run(Json.read(line, TrainingScenario.class, "the scenario")));
    }

    private void listen(BufferedReader input) {
        try {
            while (input.readLine() != null) {
                go.release();
            }
        } catch (IOException e) {
            LOG.debug("as good as an end", e);
        }
        Runtime.getRuntime().halt(129);
    }

    private int run(TrainingScenario scenario) {
        MemberResult result;
        try (Trainer trainer = scenario.trainer()) {
            var history = trainer.fit(scenario.data(), scenario.fit().callbacks(new Reporter()));
            result = MemberResult.of(history, trainer.model());
        } catch (RuntimeException | Error e) {
            LOG.error("the scenario has failed", e);
            result = MemberResult.of(e);
        }
        out.println(RESULT + Json.write(result).replace("\n", " "));
        return result.failed() ? 1 : 0;
    }

    private final class Reporter implements Callback {
        @Override
        public void begin(Run run) {
            say(run.epoch(), run.stepOfEpoch());
        }

        @Override
        public void step(Run run) {
            say(run.epoch(), run.stepOfEpoch());
        }

        @Override
        public void end(Run run, Optional<Throwable> failure) {
            if (failure.isEmpty()) {
                say(run.epochs() + 1, 0);
            }
        }

        private void say(int epoch, long step) {
            out.println(STEP + epoch + " " + step);
            go.acquireUninterruptibly();
        }
    }
}
