package dev.tutti.app.command.federated;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.app.command.Interruption;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.data.Dataset;
import dev.tutti.federated.client.ClientPolicy;
import dev.tutti.federated.client.ClientTls;
import dev.tutti.federated.client.FederatedClient;
import dev.tutti.train.job.NamedDataset;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes part in a federated job with data that stays here. */
@Command(
        name = "join",
        sortOptions = false,
        description = "Takes part in a federated job with data that stays on this machine.")
public final class JoinCommand extends TuttiCommand {
    private static final String RECIPE = "data.yaml";

    @Parameters(paramLabel = "ADDRESS", description = "The server: http://HOST:PORT, https://HOST:PORT or HOST:PORT.")
    private String address;

    @Option(
            names = "--data",
            required = true,
            paramLabel = "[NAME=]WHERE",
            description = "Rows to learn from: a folder with data.yaml, a recipe file, or mnist. NAME is what jobs call"
                    + " them; without it any job may.")
    private List<String> data = List.of();

    @Option(
            names = "--name",
            paramLabel = "TEXT",
            defaultValue = "client",
            description = "What people call this client.")
    private String name;

    @Option(names = "--folder", paramLabel = "FOLDER", description = "Where the client keeps its identity and memory.")
    private Path folder;

    @Option(names = "--label", paramLabel = "KEY=TEXT", description = "Words by which the server chooses.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Mixin
    private TlsOptions tls;

    @Option(names = "--job", paramLabel = "NAME", description = "Agree to these jobs alone.")
    private Set<String> jobs = Set.of();

    @Option(
            names = "--max-epochs",
            paramLabel = "N",
            defaultValue = "20",
            description = "Agree to so many a round; 20.")
    private int maxEpochs;

    @Option(names = "--max-rounds", paramLabel = "N", description = "Leave after so many rounds.")
    private Integer maxRounds;

    @Option(names = "--require-secure", description = "Agree to masked updates alone.")
    private boolean secure;

    @Option(names = "--min-noise", paramLabel = "N", defaultValue = "0", description = "Demand such noise; 0.")
    private double minNoise;

    @Option(names = "--max-epsilon", paramLabel = "N", description = "Demand a privacy budget of at most this.")
    private Double maxEpsilon;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description = "How long to try a server that does not answer; 600.")
    private int patience;

    public JoinCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        ClientPolicy policy = new ClientPolicy(
                jobs,
                maxEpochs,
                maxRounds == null ? Integer.MAX_VALUE : maxRounds,
                ClientPolicy.DEFAULT.maxParameters(),
                secure,
                minNoise,
                maxEpsilon == null ? Double.POSITIVE_INFINITY : maxEpsilon);
        FederatedClient client = FederatedClient.to(uri())
                .name(name)
                .labels(labels)
                .policy(policy)
                .patience(Duration.ofSeconds(patience))
                .watch(line -> {
                    people().println(line);
                    people().flush();
                });
        for (String each : data) {
            int sign = each.indexOf('=');
            client.data(sign < 0 ? FederatedClient.ANY : each.substring(0, sign), rows(each.substring(sign + 1)));
        }
        tls.token().ifPresent(client::token);
        tls.files().ifPresent(files -> client.tls(ClientTls.of(files)));
        if (folder != null) {
            client.folder(folder);
        }
        try (AutoCloseable interruption = Interruption.listen(client::stop)) {
            FederatedClient.Summary summary = client.run();
            people().println(summary.client() + ": " + counted(summary.rounds()) + ", " + summary.ending());
            answer(summary);
            return ExitCode.FINE;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static String counted(int rounds) {
        return rounds == 1 ? "1 round" : rounds + " rounds";
    }

    private URI uri() {
        String full = address.contains("://") ? address : "http://" + address;
        try {
            return URI.create(full);
        } catch (IllegalArgumentException e) {
            throw new UsageException("'" + address + "' is no address: expected HOST:PORT or a URL");
        }
    }

    private static Dataset rows(String where) {
        Path path = Path.of(where);
        if (Files.isDirectory(path)) {
            if (!Files.isRegularFile(path.resolve(RECIPE))) {
                throw new UsageException("--data " + where + ": the folder has no " + RECIPE
                        + ", which says what its rows are; docs/data.md describes it");
            }
            return NamedDataset.read(path.resolve(RECIPE).toString(), NamedDataset.Part.TRAIN);
        }
        return NamedDataset.read(where, NamedDataset.Part.TRAIN);
    }
}
