package dev.tutti.app.command;

import dev.tutti.TuttiException;
import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.cluster.CoordinatorFolder;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.consensus.CoordinatorPeer;
import dev.tutti.consensus.ReplicatedCoordinator;
import dev.tutti.consensus.ReplicationSettings;
import dev.tutti.io.FileException;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the coordinator of a job as a process of its own. */
@Command(
        name = "coordinator",
        sortOptions = false,
        description = {
            "Runs the coordinator of a job whose members are started by hand, until it is ended.",
            "Its folder holds the token, the address and a journal; started again with it, it goes on where it was.",
            "With --peers it is one of several processes that replicate the journal: one leads, the others take its place."
        },
        footer = {"", "It listens on this machine alone unless --host says otherwise. See docs/cluster.md."})
public final class CoordinatorCommand extends TuttiCommand {
    /** Held here, since loggers that no object holds forget their levels. */
    private static final Logger REPLICATION_CHATTER = Logger.getLogger("org.apache.ratis.thirdparty");

    @Option(names = "--folder", required = true, paramLabel = "FOLDER", description = "Where its state is kept.")
    private Path folder;

    @Option(names = "--expected", required = true, paramLabel = "COUNT", description = "How many workers to wait for.")
    private int expected;

    @Option(
            names = "--min",
            paramLabel = "COUNT",
            defaultValue = "1",
            description = "The least number of workers that go on; 1 by default.")
    private int min;

    @Option(names = "--max", paramLabel = "COUNT", description = "The most that are let in; as expected by default.")
    private Integer max;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "Where it listens; 127.0.0.1 by default.")
    private String host;

    @Option(names = "--port", paramLabel = "PORT", defaultValue = "0", description = "Any that is free by default.")
    private int port;

    @Option(
            names = "--peers",
            paramLabel = "NAME=HOST:PORT:PORT,...",
            description =
                    "All processes of a replicated coordinator: where members and where the other peers reach each.")
    private String peers;

    @Option(names = "--name", paramLabel = "NAME", description = "Which of the peers this is.")
    private String name;

    @Option(
            names = "--token",
            paramLabel = "FILE",
            description = "The token of the first peer's folder, for the other peers; all have the same.")
    private Path token;

    @Mixin
    private WaitOptions waits;

    @Option(names = "--certificate", paramLabel = "FILE", description = "PEM file it shows; needs --key.")
    private Path certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "The private key of the certificate.")
    private Path key;

    @Option(names = "--trust", paramLabel = "FILE", description = "Certificates that members must show one of.")
    private Path trust;

    @Option(
            names = "--plain-to-others",
            description = "Be open to other machines without TLS, in a network that is trusted.")
    private boolean plainToOthers;

    public CoordinatorCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        return peers == null ? runAlone() : runReplicated();
    }

    private ExitCode runReplicated() {
        REPLICATION_CHATTER.setLevel(Level.WARNING);
        CoordinatorFolder place = new CoordinatorFolder(folder);
        try (ReplicatedCoordinator coordinator = startPeer(place)) {
            people().println("Peer " + name + " of the coordinator of " + folder
                    + " is ready; the coordinator answers while most of its peers are there. Ctrl-C ends it.");
            coordinator.await();
        } catch (InterruptedException e) {
            people().println("Peer " + name + " of the coordinator of " + folder + " has ended.");
        }
        return ExitCode.FINE;
    }

    private ReplicatedCoordinator startPeer(CoordinatorFolder place) {
        try {
            if (name == null) {
                throw new UsageException("expected --name NAME, which of the --peers this is");
            }
            List<CoordinatorPeer> all = CoordinatorPeer.list(peers);
            ReplicationSettings replication = new ReplicationSettings(name, all, folder);
            String secret = token == null ? place.tokenOrNew() : place.tokenFrom(token);
            place.announce(new CoordinatorAddress(
                    all.stream().map(CoordinatorPeer::members).toList(), secret, tls()));
            return ReplicatedCoordinator.start(
                    ServerSettings.of(rules()).token(secret).tls(tls()).plainToOthers(plainToOthers), replication);
        } catch (FileException | UsageException e) {
            throw e;
        } catch (TuttiException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private ExitCode runAlone() {
        try (CoordinatorServer server = start()) {
            people().println("The coordinator of " + folder + " listens on " + host + ":" + server.port()
                    + "; its address and token are in that folder. Ctrl-C ends it.");
            server.awaitFailure();
        } catch (InterruptedException e) {
            people().println("The coordinator of " + folder + " has ended.");
        }
        return ExitCode.FINE;
    }

    private CoordinatorServer start() {
        try {
            return new CoordinatorFolder(folder)
                    .start(ServerSettings.of(rules())
                            .listen(host, port)
                            .tls(tls())
                            .plainToOthers(plainToOthers));
        } catch (FileException | UsageException e) {
            throw e;
        } catch (TuttiException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private MembershipRules rules() {
        return waits.in(new MembershipRules(min, max == null ? expected : max, expected, 0, Timeouts.DEFAULT));
    }

    private TlsFiles tls() {
        return certificate == null && key == null && trust == null ? null : new TlsFiles(certificate, key, trust);
    }
}
