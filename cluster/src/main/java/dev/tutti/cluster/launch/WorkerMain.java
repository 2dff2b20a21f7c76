package dev.tutti.cluster.launch;

import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.rpc.CoordinatorLostException;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The program of a worker's JVM: it takes an invitation from its standard input and trains with the others. */
public final class WorkerMain {
    /** The others have lost this worker, or it them: not its fault, and no use in going on. */
    static final int LOST = 5;

    private static final int FAILED = 1;
    private static final Logger LOG = LoggerFactory.getLogger(WorkerMain.class);

    private WorkerMain() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        leaveCtrlCToTheDriver();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = input.readLine();
        if (line == null) {
            return; // the process that started this JVM ended before it sent anything
        }
        WorkerInvitation invitation = Json.read(line, WorkerInvitation.class, "the invitation");
        ParentWatch.hold(System.in);
        long driver = ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L);
        try {
            train(invitation);
        } catch (RefusedException e) {
            LOG.info("{}", e.getMessage()); // such as that the training is over
            Runtime.getRuntime().halt(e.kind() == RefusedException.Kind.OVER ? 0 : FAILED);
        } catch (GroupChangedException | CoordinatorLostException e) {
            LOG.error("{}", withDriver(e, driver));
            Runtime.getRuntime().halt(LOST);
        } catch (TuttiException e) {
            LOG.error("{}", e.getMessage());
            Runtime.getRuntime().halt(FAILED);
        } catch (RuntimeException | Error e) {
            LOG.error("this worker has failed", e);
            Runtime.getRuntime().halt(FAILED);
        }
        Runtime.getRuntime().halt(0); // native threads and user code may not end by themselves
    }

    /**
     * A terminal sends it to all processes in the foreground. The driver finishes the step under way, for which it needs its
     * workers, and ends them with itself.
     */
    @SuppressWarnings("resource") // for as long as this JVM lives
    static void leaveCtrlCToTheDriver() {
        HandledSignal unused =
                HandledSignal.take("INT", () -> LOG.debug("Ctrl-C is heard by the driver, which ends this worker"));
    }

    /** The coordinator is the driver's: where it is missing, the driver is. */
    private static String withDriver(TuttiException e, long driver) {
        boolean missing = e instanceof CoordinatorLostException || e.getCause() instanceof CoordinatorLostException;
        return (missing ? "the driver, process " + driver + ", hangs or is gone: " : "") + e.getMessage();
    }

    private static void train(WorkerInvitation invitation) {
        WorkerTraining.run(invitation.assignment(), new WorkerCluster(invitation), invitation.workers(), () -> false);
    }
}
