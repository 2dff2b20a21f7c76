package dev.tutti.strategy.mapreduce;

import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.Feed;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.Vote;
import java.util.OptionalLong;
import java.util.function.Function;

/** The only member of a training in rounds: each of its steps is a round that an engine computes. */
final class RoundReplica implements Replica {
    private final MapReduce settings;
    private final Function<Dataset, MapReduceEngine> engines;
    private final Model model;
    private final Team team;
    private final Timing timing;
    private final Agreement agreement;
    private final RoundSequence rounds;
    private MapReduceEngine engine; // made when the data is known
    private RoundCounter counter;

    RoundReplica(
            MapReduce settings,
            Function<Dataset, MapReduceEngine> engines,
            Model model,
            TrainingConfig recipe,
            Team team,
            Timing timing) {
        if (model.state().size() > 0) {
            throw new TrainingException(
                    "mapReduce: the model keeps running statistics, as batch norm does, which rounds do not"
                            + " bring together: expected a model without such layers, or another strategy such as allReduce");
        }
        this.settings = settings;
        this.engines = engines;
        this.model = model;
        this.team = team;
        this.timing = timing;
        agreement = Agreement.over(team);
        rounds = new RoundSequence(settings, model, recipe.optimizer(), recipe.loss());
    }

    @Override
    public Model model() {
        return model;
    }

    @Override
    public OptionalLong updatesPerEpoch() {
        return OptionalLong.of(settings.roundsOfEpoch());
    }

    @Override
    public Feed open(Dataset data, int epoch, Position from) {
        if (engine == null) {
            engine = engines.apply(data);
        }
        counter = new RoundCounter(data, epoch, from, settings.roundsOfEpoch(), timing);
        return counter;
    }

    @Override
    public Outcome step(StepPlan plan, StepInput input) {
        long began = System.nanoTime();
        RoundSequence.Result result = rounds.next(engine, Math.toIntExact(plan.number()), plan.learningRate());
        timing.record(Phase.COMPUTE, began);
        counter.count();
        Vote vote = input.vote();
        vote.pendingMetrics().gather(agreement);
        return new Outcome(
                1,
                result.rows(),
                result.loss(),
                vote.more(),
                vote.stop() || result.isLast(),
                vote.interrupted(),
                vote.reopen());
    }

    @Override
    public void regrouped() {
        if (team.group().size() > 1) {
            throw new TrainingException(
                    "mapReduce: expected threads of one process, or a Spark cluster, to compute rounds; received "
                            + team.group().size() + " processes: choose another strategy, such as averaging");
        }
        rounds.forget();
    }

    @Override
    public void startOver() {
        rounds.forget();
    }

    @Override
    public Agreement agreement() {
        return agreement;
    }

    /** What L-BFGS remembers is no part of it: a run that goes on gathers that anew, from the parameters it begins with. */
    @Override
    public HeldState state() {
        return HeldState.whole(rounds.state());
    }

    @Override
    public void close() {
        rounds.close();
        if (engine != null) {
            engine.close();
        }
    }
}
