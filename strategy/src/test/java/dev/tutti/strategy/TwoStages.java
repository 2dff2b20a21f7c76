package dev.tutti.strategy;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.RecordedPass;
import dev.tutti.nn.Slice;
import dev.tutti.optim.Update;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.Feed;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.LocalReplica;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.replica.Strategy;
import dev.tutti.train.replica.Vote;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Two members, each with some of the layers of a Sequential: the smallest strategy that builds parts.
 *
 * @param cut the first layer of the second member
 */
record TwoStages(int cut) implements Strategy {
    @Override
    public boolean buildsParts() {
        return true;
    }

    @Override
    public Replica replica(ModelPlan plan, TrainingConfig recipe, Team team, Timing timing) {
        int rank = team.group().rank();
        int layers = plan.layers().size();
        ModelPlan part = plan.part(rank == 0 ? Range.between(0, cut) : Range.between(cut, layers));
        return new Stage(part, recipe, team, timing);
    }

    @Override
    public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        throw new UnsupportedOperationException("a stage is built from a plan");
    }

    /** One member: it has the rows of every batch, the first one's for the features, the second one's for the labels. */
    private static final class Stage implements Replica {
        private final Model model;
        private final TrainingConfig recipe;
        private final Team team;
        private final Timing timing;
        private final Agreement agreement;
        private final Update update;

        Stage(ModelPlan plan, TrainingConfig recipe, Team team, Timing timing) {
            this.recipe = recipe;
            this.team = team;
            this.timing = timing;
            model = plan.build();
            agreement = Agreement.over(team);
            update = recipe.optimizer().bind(LocalReplica.target(model));
        }

        @Override
        public Model model() {
            return model;
        }

        @Override
        public Feed open(Dataset data, int epoch, Position from) {
            return Feed.whole(data, epoch, from, timing);
        }

        @Override
        public Outcome step(StepPlan plan, StepInput input) {
            Batch batch = input.next().orElseThrow();
            model.training(true);
            model.restartRandomness(recipe.seed(), plan.number(), 0, 0);
            double loss;
            try (Scope scope = Scope.open()) {
                loss = team.group().rank() == 0 ? first(batch) : second(batch);
            }
            input.measured(batch, new StepResult(loss, batch.size(), List.of()));
            Vote vote = input.vote();
            boolean[] votes =
                    agreement.any("votes", vote.more(), vote.stop(), vote.interrupted(), vote.reopen(), vote.state());
            vote.pendingMetrics().gather(agreement);
            update.apply(plan.learningRate());
            return new Outcome(
                    1, batch.size(), loss, votes[0], votes[1], votes[2], votes[3], votes[4] || !votes[0] || votes[1]);
        }

        private double first(Batch batch) {
            Collectives members = team.collectives();
            try (RecordedPass pass =
                    model.record(LocalReplica.tensors(batch.features(), new Range(0, batch.size()), model))) {
                Tensor out = pass.outputs().get(0);
                members.send("activations", out.detach().contiguous(), 1);
                Tensor gradient = Tensor.zeros(out.shape(), out.type());
                members.receive("gradients", gradient, 1);
                pass.backward(List.of(gradient), false);
                return members.sum("loss", 0)[0];
            }
        }

        private double second(Batch batch) {
            Collectives members = team.collectives();
            Tensor in = Tensor.zeros(
                    model.inputs().get(0).shape().prepend(batch.size()),
                    model.options().type());
            members.receive("activations", in, 0);
            try (RecordedPass pass = model.recordWithInputGradients(List.of(in))) {
                List<NdArray> labels = batch.labels();
                Tensor loss = recipe.loss()
                        .compute(pass.outputs(), LocalReplica.tensors(labels, new Range(0, batch.size()), model));
                pass.backward(loss, false);
                members.send("gradients", pass.inputGradient(0).orElseThrow().contiguous(), 0);
                return members.sum("loss", loss.item())[0];
            }
        }

        @Override
        public void regrouped() {
            if (team.group().size() != 2) {
                throw new TrainingException(
                        "two stages need two members, received " + team.group().size());
            }
        }

        @Override
        public Agreement agreement() {
            return agreement;
        }

        @Override
        public HeldState state() {
            return new StageState(model, update.state());
        }

        @Override
        public void close() {
            update.close();
        }
    }

    /** The optimizer's state as slices of vectors as long as the whole model's. */
    private record StageState(Model model, Map<String, Tensor> tensors) implements HeldState {
        @Override
        public boolean isDivided() {
            return true;
        }

        @Override
        public Map<Slice, Tensor> held() {
            ModelPlan plan = model.plan();
            List<Slice> parameters = plan.held();
            long from = plan.rangesOf(parameters.get(0)).get(0).from();
            Range range = new Range(from, model.vector().size());
            var all = plan.whole().parameters();
            Shape whole = Shape.of(all.get(all.size() - 1).range().to());
            Map<Slice, Tensor> held = new LinkedHashMap<>();
            tensors.forEach((name, tensor) -> held.put(
                    tensor.rank() == 0 ? Slice.all(name, Shape.scalar()) : new Slice(name, whole, 0, range), tensor));
            return held;
        }

        @Override
        public long version() {
            return 0; // members move together: the model's version says how far they are
        }

        @Override
        public long agreed() {
            return 0;
        }

        @Override
        public List<Slice> needed() {
            return List.copyOf(held().keySet());
        }

        @Override
        public Map<Slice, Tensor> makeRoom() {
            return held();
        }

        @Override
        public void adopt(long version) {}
    }
}
