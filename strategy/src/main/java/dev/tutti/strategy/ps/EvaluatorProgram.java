package dev.tutti.strategy.ps;

import dev.tutti.TuttiException;
import dev.tutti.comm.Report;
import dev.tutti.comm.RoleProgram;
import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import dev.tutti.strategy.ps.ShardRequests.Progress;
import dev.tutti.strategy.ps.ShardRequests.Pull;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Trainer;
import dev.tutti.train.WorkerTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The program of an evaluator: it follows a training by parameter servers from outside. Whenever the servers have moved on it pulls their
 * values, and the rows that it needs, and judges them on the validation data. What it finds is in its log and in {@code ./tutti status}.
 */
public final class EvaluatorProgram implements RoleProgram {
    /** The role's name. */
    public static final String ROLE = "evaluator";

    private static final Logger LOG = LoggerFactory.getLogger(EvaluatorProgram.class);
    private static final long PAUSE_MILLIS = 200;

    @Override
    public String role() {
        return ROLE;
    }

    @Override
    public void run(Team team, String settings) {
        WorkerTask task = Json.read(settings, WorkerTask.class, "the settings of the evaluator");
        if (!(task.fit().strategy() instanceof ParameterServer strategy)) {
            throw new TuttiException("an evaluator follows a training by parameterServer, received "
                    + task.fit().strategy());
        }
        Dataset data = task.fit().validation().orElse(task.data());
        try (Trainer trainer = Trainer.of(task.model(), task.config()).cores(1)) {
            follow(team, strategy, trainer, data, (version, found) -> LOG.info("after {} updates: {}", version, found));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Judges again and again until the training is over; what was found goes to a consumer, with the number of updates. */
    static void follow(
            Team team, ParameterServer strategy, Trainer trainer, Dataset data, BiConsumer<Long, Evaluation> consumer)
            throws InterruptedException {
        Model model = trainer.build(data);
        ShardClient client = new ShardClient(team, strategy.layout(model).ranges(), strategy.patience());
        model.rowsFrom(new TableClient(client, model.tables().specs()));
        long seen = -1;
        while (!team.isOver()) {
            team.check();
            try {
                long version = isSetUp(team, client) ? pull(client, trainer.model()) : seen;
                if (version > seen) {
                    seen = version;
                    long began = System.nanoTime();
                    Evaluation found = trainer.evaluate(data);
                    consumer.accept(version, found);
                    team.report(new Report(0, version, -1, (System.nanoTime() - began) / 1e9, found.loss()));
                }
            } catch (TuttiException e) { // servers come and go; the next look may find them
                LOG.info("the servers could not be asked: {}", e.getMessage());
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    private static boolean isSetUp(Team team, ShardClient client) {
        for (int shard = 0; shard < client.shards(); shard++) {
            if (team.ownership().of(ShardSnapshot.thing(shard)).stream()
                    .allMatch(holding -> holding.holders().isEmpty())) {
                return false;
            }
        }
        return true;
    }

    /** Reads the values; how many updates they have, at least. */
    private static long pull(ShardClient client, Model model) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            return client
                    .all(
                            ShardServer.PULL,
                            shard -> ShardClient.Request.of(new Pull(shard, 0, null, 0))
                                    .into(model.vector().values(client.range(shard))))
                    .stream()
                    .mapToLong(answer ->
                            ShardRequests.read(answer.head(), Progress.class).version())
                    .min()
                    .orElse(0);
        }
    }
}
