package dev.tutti.app.command.federated;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.FederatedJobs;
import dev.tutti.federated.server.RoundResult;
import dev.tutti.federated.simulation.ClientConditions;
import dev.tutti.federated.simulation.ClientPicture;
import dev.tutti.federated.simulation.Partitioner;
import dev.tutti.federated.simulation.Simulation;
import dev.tutti.federated.simulation.SimulationResult;
import dev.tutti.io.AtomicFile;
import dev.tutti.train.Evaluation;
import dev.tutti.train.job.JobData;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a federated job over simulated clients. */
@Command(
        name = "simulate",
        sortOptions = false,
        description = "Runs a federated job over simulated clients on the threads of this machine.")
public final class SimulateCommand extends TuttiCommand {
    @Parameters(paramLabel = "JOB", description = "A federated job file, or mnist, or mnist-cnn.")
    private String name;

    @Option(names = "--clients", paramLabel = "N", defaultValue = "100", description = "Clients; 100.")
    private int clients;

    @Option(
            names = "--partition",
            paramLabel = "HOW",
            defaultValue = "iid",
            description = "iid, label:2, dirichlet:0.5, quantity:0.5, column:label1; iid.")
    private String partition;

    @Mixin
    private JobChanges changes;

    @Option(
            names = "--availability",
            paramLabel = "CHANCE",
            defaultValue = "1",
            description = "That a client is there when a round begins; 1.")
    private double availability;

    @Option(
            names = "--dropout",
            paramLabel = "CHANCE",
            defaultValue = "0",
            description = "That a client that was asked never answers; 0.")
    private double dropout;

    @Option(
            names = "--spread",
            paramLabel = "SIGMA",
            defaultValue = "0",
            description = "How much clients differ in speed: deviation of its logarithm; 0.")
    private double spread;

    @Option(
            names = "--poison",
            paramLabel = "PART",
            defaultValue = "0",
            description = "The part of the clients that send updates backwards and ten times as long; 0.")
    private double poison;

    @Option(names = "--threads", paramLabel = "N", description = "Clients that train at the same time; one a core.")
    private Integer threads;

    @Option(
            names = "--target",
            paramLabel = "ACCURACY",
            description = "Say the first round that reaches this accuracy.")
    private Double target;

    @Option(names = "--stop", description = "With --target: end when it is reached.")
    private boolean stop;

    @Option(names = "--picture", paramLabel = "FILE", description = "Write a page with the accuracy of each client.")
    private Path picture;

    public SimulateCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        if (stop && target == null) {
            throw new UsageException("--stop needs --target, the accuracy to end at");
        }
        FederatedJob job = changes.in(FederatedJobs.find(name));
        JobData data = job.data()
                .filter(JobData::hasTrain)
                .orElseThrow(() -> new UsageException(
                        name + ": a simulation needs 'data', whose training rows are divided among the clients"));
        Simulation simulation = Simulation.of(job, data.train(), clients)
                .partition(Partitioner.parse(partition))
                .conditions(
                        new ClientConditions(availability, dropout, spread, ClientConditions.IDEAL.samplesPerSecond()))
                .watch(this::show)
                .until(round -> stop && isReached(round));
        if (poison != 0) {
            simulation.poison(poison);
        }
        data.validation().ifPresent(simulation::evaluateOn);
        if (threads != null) {
            simulation.threads(threads);
        }
        people().printf(
                        Locale.ROOT,
                        "%s: %d clients, %s, %s, %d rounds%n",
                        job.name(),
                        clients,
                        partition,
                        job.aggregation().kind(),
                        job.rounds());
        SimulationResult result = simulation.run();
        finish(job, simulation, result);
        return ExitCode.FINE;
    }

    private void show(RoundResult result) {
        people().printf(
                        Locale.ROOT,
                        "round %3d  answers %d/%d  loss %.4f  %s%s%n",
                        result.round(),
                        result.answers(),
                        result.asked(),
                        result.loss(),
                        result.evaluation() == null ? "" : "test " + result.evaluation(),
                        result.epsilon() == null ? "" : String.format(Locale.ROOT, "  epsilon %.3f", result.epsilon()));
    }

    private void finish(FederatedJob job, Simulation simulation, SimulationResult result) {
        double perSecond = result.rounds().size() / result.seconds();
        people().printf(
                        Locale.ROOT,
                        "%s: %.1f s, %.2f rounds a second; with real clients it would have taken %.0f s%n",
                        result.ending(),
                        result.seconds(),
                        perSecond,
                        result.simulatedSeconds());
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("job", job.name());
        answer.put("clients", result.clients());
        answer.put("partition", partition);
        answer.put("aggregation", job.aggregation());
        answer.put("ending", result.ending());
        answer.put("seconds", result.seconds());
        answer.put("roundsPerSecond", perSecond);
        answer.put("simulatedSeconds", result.simulatedSeconds());
        result.last().ifPresent(last -> answer.put("evaluation", last));
        if (target != null) {
            Integer first = reached(result.rounds());
            answer.put("target", target);
            answer.put("targetRound", first);
            people().println(
                            first == null
                                    ? "The accuracy of " + target + " was not reached."
                                    : "The accuracy of " + target + " was reached in round " + first + ".");
        }
        if (picture != null) {
            List<Evaluation> each = simulation.perClient(result.model());
            AtomicFile.write(picture, ClientPicture.page(job.name() + ", " + partition, each));
            people().println("The accuracy of each client: " + picture);
            answer.put("picture", picture.toString());
        }
        answer.put("rounds", result.rounds());
        answer(answer);
    }

    private Integer reached(List<RoundResult> rounds) {
        return rounds.stream()
                .filter(this::isReached)
                .map(RoundResult::round)
                .findFirst()
                .orElse(null);
    }

    private boolean isReached(RoundResult round) {
        return round.evaluation() != null && round.evaluation().get("accuracy") >= target;
    }
}
