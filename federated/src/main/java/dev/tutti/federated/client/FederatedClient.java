package dev.tutti.federated.client;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.federated.ClientState;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.LocalSettings;
import dev.tutti.federated.LocalTrainer;
import dev.tutti.federated.privacy.SecureParticipant;
import dev.tutti.federated.privacy.UpdateGuard;
import dev.tutti.federated.wire.EnrolReply;
import dev.tutti.federated.wire.EnrolRequest;
import dev.tutti.federated.wire.FederatedPaths;
import dev.tutti.federated.wire.JobNotice;
import dev.tutti.federated.wire.ModelCodec;
import dev.tutti.federated.wire.ModelCodec.RoundModel;
import dev.tutti.federated.wire.UpdateCodec;
import dev.tutti.federated.wire.WorkItem;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.Safetensors;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes part in a federated job from inside a program that has the data.
 *
 * <pre>{@code
 * FederatedClient client = FederatedClient.to(URI.create("https://federation.example:8443"))
 *         .name("ward-3").token(token).data("digits", rows).folder(Path.of("federated"));
 * FederatedClient.Summary summary = client.run();   // until the server says that all rounds are done
 * }</pre>
 *
 * <p>Rows never leave; updates do, as the {@link ClientPolicy} agrees. A client that loses its server tries again until its patience
 * ends. {@link #stop} ends {@link #run} from another thread. A client is configured and run by one thread.
 */
public final class FederatedClient {
    private static final Logger LOG = LoggerFactory.getLogger(FederatedClient.class);
    /** The name of a data set that any job may learn from. */
    public static final String ANY = "*";

    private static final long MOST_SAMPLES = 1 << 20; // what fixed point has room for

    /**
     * What a client did.
     *
     * @param client its identity
     * @param rounds rounds in which its update was accepted
     * @param refused updates that came too late or were refused for another reason
     * @param ending why it ended
     */
    public record Summary(String client, int rounds, int refused, String ending) {}

    private final URI server;
    private final Map<String, Dataset> datasets = new LinkedHashMap<>();
    private String name = "client";
    private Optional<String> token = Optional.empty();
    private Map<String, String> labels = Map.of();
    private Map<String, Double> resources =
            Map.of("cores", (double) Runtime.getRuntime().availableProcessors());
    private ClientPolicy policy = ClientPolicy.DEFAULT;
    private Optional<Path> folder = Optional.empty();
    private Optional<SSLContext> tls = Optional.empty();
    private Duration patience = Duration.ofMinutes(10);
    private Consumer<String> watcher = line -> {};
    private volatile boolean stopped;

    // of a run
    private ServerConnection connection;
    private FederatedJob job;
    private LocalTrainer trainer;
    private ClientState state;
    private String identity = "";
    private SecureParticipant participant; // null outside of secure rounds
    private int participantRound;
    private int accepted;
    private int refused;

    private FederatedClient(URI server) {
        this.server = server;
    }

    public static FederatedClient to(URI server) {
        return new FederatedClient(server);
    }

    /** What people call this client. */
    public FederatedClient name(String newName) {
        name = newName;
        return this;
    }

    /** The enrolment token that the operator of the server has given out. */
    public FederatedClient token(String enrolment) {
        token = Optional.of(enrolment);
        return this;
    }

    /** Rows that jobs may learn from, under the name by which jobs know them. */
    public FederatedClient data(String localName, Dataset rows) {
        datasets.put(localName, rows);
        return this;
    }

    public FederatedClient labels(Map<String, String> words) {
        labels = Map.copyOf(words);
        return this;
    }

    public FederatedClient resources(Map<String, Double> numbers) {
        resources = Map.copyOf(numbers);
        return this;
    }

    public FederatedClient policy(ClientPolicy choice) {
        policy = choice;
        return this;
    }

    /** Where the client keeps its identity and what it remembers; without one it is another client after a restart. */
    public FederatedClient folder(Path path) {
        folder = Optional.of(path);
        return this;
    }

    /** The certificates that the client shows and believes. */
    public FederatedClient tls(SSLContext context) {
        tls = Optional.of(context);
        return this;
    }

    /** How long it tries to reach a server that does not answer; 10 minutes by default. */
    public FederatedClient patience(Duration limit) {
        patience = limit;
        return this;
    }

    /** Is told what the client does, in sentences. */
    public FederatedClient watch(Consumer<String> listener) {
        watcher = listener;
        return this;
    }

    /** Ends {@link #run} after the work under way. */
    public void stop() {
        stopped = true;
    }

    /**
     * Takes part until the run has ended, the policy's rounds are over, or {@link #stop}.
     *
     * @throws TuttiException if the policy does not agree to the job, the server refuses the client, or it is not reached in time
     */
    public Summary run() {
        connection = new ServerConnection(server, tls, patience, () -> stopped);
        enrol();
        JobNotice notice = connection.job();
        job = notice.job();
        long parameters = notice.parameters().stream()
                .mapToLong(array -> array.shape().stream().reduce(1L, Math::multiplyExact))
                .sum();
        try {
            policy.check(job, datasets.keySet(), parameters);
        } catch (TuttiException e) {
            connection.decline(0, e.getMessage());
            throw e;
        }
        job.validate();
        state = folder.map(path -> ClientState.read(path.resolve("state.safetensors")))
                .orElseGet(ClientState::new);
        try (Model model = job.build();
                LocalTrainer own = new LocalTrainer(model, job.config(), job.personal())) {
            trainer = own;
            watcher.accept("taking part in " + job.name() + " as " + identity);
            return loop();
        }
    }

    private void enrol() {
        Optional<Path> file = folder.map(path -> path.resolve("enrolment.json"));
        if (file.isPresent() && Files.exists(file.get())) {
            EnrolReply known = Json.read(file.get(), EnrolReply.class);
            connection.useKey(known.key());
            if (connection.isKnown()) {
                identity = known.client();
                return;
            }
            connection.useKey("");
        }
        EnrolReply reply = connection.enrol(new EnrolRequest(token.orElse(null), name, labels, resources));
        connection.useKey(reply.key());
        identity = reply.client();
        file.ifPresent(path -> AtomicFile.write(path, Json.write(reply)));
    }

    private Summary loop() {
        while (!stopped && accepted < policy.maxRounds()) {
            WorkItem item = connection.work();
            switch (item.kind()) {
                case WorkItem.TRAIN -> train(item);
                case WorkItem.EVALUATE -> evaluate(item);
                case WorkItem.KEYS, WorkItem.SHARES, WorkItem.MASKED, WorkItem.UNMASK -> secure(item);
                case WorkItem.FINISHED -> {
                    return new Summary(identity, accepted, refused, item.reason());
                }
                default -> {} // nothing now
            }
        }
        return new Summary(identity, accepted, refused, stopped ? "stopped" : "the policy's rounds are over");
    }

    private Dataset rows() {
        return datasets.getOrDefault(job.dataset(), datasets.get(ANY));
    }

    // ---- plain rounds

    private void train(WorkItem item) {
        Optional<ClientUpdate> update = trained(item);
        if (update.isEmpty()) {
            return;
        }
        byte[] bytes = new UpdateCodec(trainer.shared(), job.encoding()).encode(update.get(), state);
        answered(item, connection.update(item.round(), bytes));
        remember();
    }

    private Optional<ClientUpdate> trained(WorkItem item) {
        Optional<byte[]> bytes = connection.model(item.round());
        if (bytes.isEmpty()) {
            return Optional.empty(); // the round is over
        }
        RoundModel model = new ModelCodec(trainer.shared()).decode(bytes.get(), "the model of the server");
        LocalSettings planned = job.local(item.round(), identity);
        double factor = item.rateFactor() == null ? planned.rateFactor() : item.rateFactor();
        ClientUpdate update = trainer.train(
                identity,
                item.round(),
                model.values(),
                model.control(),
                rows(),
                new LocalSettings(planned.epochs(), planned.batch(), factor, planned.seed(), planned.rules()),
                state);
        return Optional.of(guarded(update, item));
    }

    /** Cuts and blurs the update as the round asks, before it leaves. */
    private ClientUpdate guarded(ClientUpdate update, WorkItem item) {
        if (item.clip() == null) {
            return update;
        }
        float[] bounded = UpdateGuard.bounded(update.delta(), item.clip());
        if (item.noise() != null) {
            UpdateGuard.addNoise(bounded, item.noise(), new SecureRandom());
        }
        return update.delta(bounded);
    }

    private void answered(WorkItem item, int status) {
        if (status == 200) {
            accepted++;
            watcher.accept("round " + item.round() + ": the update was accepted");
        } else {
            refused++;
            LOG.warn("The update of round {} was refused with status {}", item.round(), status);
            watcher.accept("round " + item.round() + ": the update was refused (" + status + ")");
        }
    }

    private void remember() {
        if (!state.isEmpty()) {
            folder.ifPresent(path -> state.write(path.resolve("state.safetensors")));
        }
    }

    private void evaluate(WorkItem item) {
        Optional<byte[]> bytes = connection.model(item.round());
        if (bytes.isPresent()) {
            RoundModel model = new ModelCodec(trainer.shared()).decode(bytes.get(), "the model of the server");
            Map<String, NdArray> sums =
                    trainer.evaluate(model.values(), rows(), state).snapshot();
            connection.put(FederatedPaths.EVALUATION, item.round(), bytes(Safetensors.of(sums)));
        }
    }

    // ---- rounds of secure aggregation

    private void secure(WorkItem item) {
        watcher.accept("round " + item.round() + ": phase " + item.kind());
        try {
            byte[] body = phase(item);
            if (body.length > 0) {
                int status = connection.put(FederatedPaths.SECURE.replace("{phase}", item.kind()), item.round(), body);
                if (item.kind().equals(WorkItem.UNMASK)) {
                    answered(item, status);
                }
            }
        } catch (TuttiException e) {
            if (e.getMessage() != null && e.getMessage().startsWith("the server " + server)) {
                throw e;
            }
            LOG.warn("Round {} is left: {}", item.round(), e.getMessage());
            watcher.accept("round " + item.round() + " is left: " + e.getMessage());
            connection.decline(item.round(), e.getMessage());
        }
    }

    private byte[] phase(WorkItem item) {
        if (item.kind().equals(WorkItem.KEYS)) {
            participant = new SecureParticipant(identity, item.round());
            participantRound = item.round();
            return words(Map.of("keys", participant.keys()));
        }
        if (participant == null || participantRound != item.round()) {
            throw new TuttiException("the keys of round " + item.round() + " are not this client's: it was restarted");
        }
        return switch (item.kind()) {
            case WorkItem.SHARES -> words(participant.shares(item.secure(), item.threshold()));
            case WorkItem.MASKED -> masked(item);
            default -> words(participant.unmask(item.secure()));
        };
    }

    private byte[] masked(WorkItem item) {
        Optional<ClientUpdate> update = trained(item);
        if (update.isEmpty()) {
            return new byte[0];
        }
        long weight =
                item.clip() != null ? 1 : Math.min(MOST_SAMPLES, update.get().samples());
        long[] fixed =
                job.secure().orElseThrow().fixedPoint().encode(update.get().delta(), weight);
        long[] withWeight = Arrays.copyOf(fixed, fixed.length + 1);
        withWeight[fixed.length] = weight;
        long[] masked = participant.mask(withWeight, item.secure());
        remember();
        return bytes(Safetensors.of(Map.of("masked", NdArray.of(masked, masked.length))));
    }

    private static byte[] words(Map<String, String> words) {
        return Json.write(words).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(Safetensors file) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            file.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
