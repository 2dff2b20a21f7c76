package dev.tutti.app.command.federated;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.command.Interruption;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.FederatedJobs;
import dev.tutti.federated.server.FederatedServer;
import dev.tutti.federated.server.ListenSettings;
import dev.tutti.federated.server.RoundResult;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the rounds of a federated job with real clients. */
@Command(
        name = "serve",
        sortOptions = false,
        description = "Runs the rounds of a federated job; clients come with federate join.",
        footer = {"", "Killed and started again with the same job and output, it goes on after the last round."})
public final class FederateServeCommand extends TuttiCommand {
    private static final Duration LOOK = Duration.ofMillis(300);

    @Parameters(paramLabel = "JOB", description = "A federated job file, or mnist, or mnist-cnn.")
    private String name;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8090",
            description = "The port; 0 for a free one. 8090.")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            defaultValue = ListenSettings.LOOPBACK,
            description = "The address to listen on; this machine alone by default, others need --token or --trust.")
    private String host;

    @Mixin
    private TlsOptions tls;

    @Mixin
    private JobChanges changes;

    public FederateServeCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        FederatedJob job = changes.in(FederatedJobs.find(name));
        // gRPC has a Netty of its own under other names, and its list of versions under the usual one: a false alarm.
        System.setProperty("com.linecorp.armeria.warnNettyVersions", "false");
        ListenSettings settings = new ListenSettings(host, port, tls.token(), tls.files(), 100_000, 50);
        AtomicBoolean stop = new AtomicBoolean();
        try (AutoCloseable interruption = Interruption.listen(() -> stop.set(true));
                FederatedServer server = FederatedServer.start(job, settings, this::show)) {
            introduce(job, server);
            while (server.ending().isEmpty() && !stop.get()) {
                Thread.sleep(LOOK.toMillis());
            }
            if (stop.get()) {
                people().println("Stopped after " + server.results().size() + " rounds; the same command goes on.");
                answer(job, server, server.results());
                return ExitCode.INTERRUPTED;
            }
            List<RoundResult> results = server.await(Duration.ofMinutes(2));
            people().println(server.ending() + ". The model is in "
                    + job.output().resolve("model") + ".");
            answer(job, server, results);
            return ExitCode.FINE;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void introduce(FederatedJob job, FederatedServer server) {
        int done = server.results().size();
        people().printf(
                        Locale.ROOT,
                        "%s: %d rounds%s, serving at %s. On machines with data:%n  ./tutti federate join %s --data"
                                + " FOLDER%n",
                        job.name(),
                        job.rounds(),
                        done > 0 ? ", " + done + " of them done" : "",
                        server.uri(),
                        server.uri());
        people().flush();
    }

    private void show(RoundResult result) {
        people().printf(
                        Locale.ROOT,
                        "round %3d  answers %d/%d  loss %.4f  %s  %.1f s%n",
                        result.round(),
                        result.answers(),
                        result.asked(),
                        result.loss(),
                        result.evaluation() == null ? "" : "test " + result.evaluation(),
                        result.seconds());
        people().flush();
    }

    private void answer(FederatedJob job, FederatedServer server, List<RoundResult> results) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("job", job.name());
        answer.put("uri", server.uri().toString());
        answer.put("ending", server.ending());
        answer.put("output", job.output().toString());
        answer.put("bytesReceived", server.bytesReceived());
        answer.put("bytesSent", server.bytesSent());
        answer.put("rounds", results);
        answer(answer);
    }
}
