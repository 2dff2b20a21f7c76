package dev.tutti.jobs.predict;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.cluster.Cluster;
import dev.tutti.cluster.ClusterSpec;
import dev.tutti.cluster.HostedCoordinator;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.cluster.launch.UserProgramMain;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.data.transform.Transform;
import dev.tutti.json.Json;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Model;
import dev.tutti.serve.batch.BatchFunction;
import dev.tutti.serve.model.LoadedModel;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.strategy.parallel.PartPlans;
import dev.tutti.strategy.parallel.inference.CutModel;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Evaluator;
import dev.tutti.train.RowJoiner;
import dev.tutti.train.checkpoint.ModelDescription;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A saved model whose parts are in processes of this machine, of which this one is the first.
 *
 * <pre>{@code
 * try (CutModelProcesses model = CutModelProcesses.start(Path.of("runs/big/model"), parallel().pipeline(2))) {
 *     Evaluation evaluation = model.evaluate(data, softmaxCrossEntropy(), accuracy());
 * }
 * }</pre>
 */
public final class CutModelProcesses implements LoadedModel {
    private static final long PATIENCE_SECONDS = 10;

    private final List<Process> children = new ArrayList<>();
    private final HostedCoordinator coordinator;
    private Team team;
    private CutModel model;

    private CutModelProcesses(int members) {
        coordinator = HostedCoordinator.start(ServerSettings.of(MembershipRules.of(members)), null);
    }

    /**
     * Starts the other processes, and reads the parts of the model.
     *
     * @param strategy stages and slices
     * @throws TuttiException if the folder holds no model, or it cannot be cut so
     */
    public static CutModelProcesses start(Path folder, Parallel strategy) {
        strategy.validate();
        int members = strategy.grid(1).tensor() * strategy.grid(1).pipeline();
        if (members < 2) {
            throw new TuttiException(
                    "a model that is cut: expected stages and slices for two members or more, received " + strategy);
        }
        PartPlans.findCuts( // what cannot be cut is said before a process is started
                strategy,
                SavedModel.describe(folder, Model.Options.DEFAULT.forInference())
                        .plan(),
                strategy.grid(1));
        CutModelProcesses all = new CutModelProcesses(members);
        try {
            all.assemble(folder.toAbsolutePath(), strategy, members);
            return all;
        } catch (RuntimeException | Error e) {
            all.close();
            throw e;
        }
    }

    private void assemble(Path folder, Parallel strategy, int members) {
        for (int i = 1; i < members; i++) {
            List<String> arguments =
                    List.of(CutModelMain.class.getName(), folder.toString(), Json.write((Strategy) strategy));
            children.add(ChildJvm.of(UserProgramMain.class.getName(), ClusterSpec.WORKER + "-" + i, arguments)
                    .with(ClusterSpec.VARIABLE, Json.write(spec(i, members)))
                    .start(ProcessBuilder.Redirect.INHERIT));
        }
        team = Cluster.of(spec(0, members)).assemble(null);
        team.meet(0);
        model = CutModel.open(folder, strategy, team);
    }

    private ClusterSpec spec(int index, int members) {
        CoordinatorAddress address = coordinator.server().address();
        return ClusterSpec.of(
                Map.of(
                        ClusterSpec.COORDINATOR,
                        List.of(address.host() + ":" + address.port()),
                        ClusterSpec.WORKER,
                        Collections.nCopies(members, address.host())),
                new ClusterSpec.Task(ClusterSpec.WORKER, index),
                address.token());
    }

    @Override
    public ModelDescription description() {
        return model.description();
    }

    /** As many as there can be batches under way. */
    @Override
    public List<BatchFunction> functions() {
        return Collections.nCopies(model.batchesUnderWay(), this::compute);
    }

    private List<NdArray> compute(List<NdArray> inputs) {
        try {
            return model.predict(inputs).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : e;
        }
    }

    /** Begins a text that is written on token by token; see {@link CutModel#sequence}. */
    public CutModel.Sequence sequence() {
        return model.sequence();
    }

    /** The first output for all rows of the data. */
    public NdArray predict(Dataset data) {
        List<NdArray> parts = new ArrayList<>();
        Evaluator.forEach(prepared(data), model::predict, (batch, outputs) -> parts.add(outputs.get(0)));
        return RowJoiner.concatenate(parts);
    }

    /** Loss and metrics on some data. */
    public Evaluation evaluate(Dataset data, Loss loss, Metric... metrics) {
        return Evaluator.evaluate(description().plan(), loss, List.of(metrics), prepared(data), model::predict)
                .value();
    }

    private Dataset prepared(Dataset data) {
        Dataset ready = data;
        for (Transform transform : description().features().transforms()) {
            ready = ready.map(transform);
        }
        return ready;
    }

    /** Ends all processes. */
    @Override
    public void close() {
        if (model != null) {
            model.close();
        }
        if (team != null) {
            team.done();
            team.close();
        }
        for (Process child : children) {
            try {
                if (model == null || !child.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    child.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                child.destroyForcibly();
            }
        }
        coordinator.close();
    }
}
