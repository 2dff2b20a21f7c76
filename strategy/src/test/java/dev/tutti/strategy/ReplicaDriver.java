package dev.tutti.strategy;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.reshape;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Feed;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.PendingMetrics;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StateLostException;
import dev.tutti.train.replica.StateRedistribution;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.replica.Vote;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Drives one member's replica through the calls of its contract, without the training loop, and checks at every step that the replica
 * uses its input as the contract says.
 */
final class ReplicaDriver implements AutoCloseable {
    static final double RATE = 0.05;
    private static final int FEATURES = 4;

    private final StrategyCase it;
    private final Team team;
    private final Model model;
    private final Replica replica;
    private final List<Agreed> agreements = new ArrayList<>();
    private Map<String, NdArray> lastAgreed;
    private long step;
    private int sinceAgreement;

    /** What holds on a member after the members have agreed. */
    record Agreed(Outcome outcome, Map<String, NdArray> weights) {}

    ReplicaDriver(StrategyCase it, Team team) {
        this.it = it;
        this.team = team;
        model = Model.of(definition(it), Input.of(FEATURES));
        TrainingConfig recipe = new TrainingConfig(sgd(RATE).momentum(0.9), softmaxCrossEntropy(), List.of(), 0, 3);
        replica = it.strategy().replica(model, recipe, team, new Timing());
        replica.batchesPerUpdate(it.batches());
        team.meet(0);
        regroup();
        lastAgreed = model.arrays();
    }

    private static Layer definition(StrategyCase it) {
        return it.batchNorm()
                ? Sequential.of(dense(16).tanh(), reshape(1, 4, 4), batchNorm(), flatten(), dense(Blobs.CLASSES))
                : Sequential.of(dense(16).tanh(), dense(Blobs.CLASSES));
    }

    int rank() {
        return team.group().rank();
    }

    /** The member's parameters and running statistics now. */
    Map<String, NdArray> weights() {
        return model.arrays();
    }

    /** Those of the last agreement. */
    Map<String, NdArray> lastAgreed() {
        return lastAgreed;
    }

    List<Agreed> agreements() {
        return agreements;
    }

    /** Goes through an epoch, or until all have heard that a member wants to stop. */
    void epoch(Dataset data, int epoch, Says says) {
        try (Feed feed = replica.open(data, epoch, null)) {
            boolean more = true;
            boolean stop = false;
            while (more && !stop) {
                Outcome outcome = step(feed, says);
                more = outcome.more();
                stop = outcome.stop();
            }
        }
    }

    /** What a member says beside that it has more data; the number of the agreements so far is given. */
    interface Says {
        Says NOTHING = (agreements, more, pendingMetrics) -> new Vote(more, false, false, false, false, pendingMetrics);

        Vote vote(int agreements, boolean more, PendingMetrics pendingMetrics);
    }

    private Outcome step(Feed feed, Says says) {
        team.check();
        CheckedInput input = new CheckedInput(feed, says);
        Outcome outcome = replica.step(new StepPlan(step + sinceAgreement, RATE), input);
        input.checkUse(outcome);
        sinceAgreement++;
        if (outcome.steps() > 0) {
            step += outcome.steps();
            sinceAgreement = 0;
            lastAgreed = model.arrays();
            agreements.add(new Agreed(outcome, lastAgreed));
        }
        return outcome;
    }

    /** What the loop does when members have met. */
    private void regroup() {
        replica.regrouped();
        StateRedistribution.run(replica.agreement(), rank(), replica.state());
    }

    /**
     * The members that are left meet; what was not agreed on is forgotten.
     *
     * @return whether a part of the state was lost
     */
    boolean meetAgain() {
        Meeting meeting = team.meet(step);
        assertThat(meeting.group().size()).isEqualTo(it.members() - 1);
        try {
            regroup();
            return false;
        } catch (StateLostException e) {
            return true;
        }
    }

    /** The others are lost for good. */
    void abandon() {
        replica.abandon();
    }

    @Override
    public void close() {
        replica.close();
        model.close();
        team.close();
    }

    /** Takes note of the calls of the replica. */
    private final class CheckedInput implements StepInput {
        private final Feed feed;
        private final Says says;
        private final List<Batch> given = new ArrayList<>();
        private int turns;
        private int measured;
        private int votes;
        private int gathered;
        private boolean ended;

        CheckedInput(Feed feed, Says says) {
            this.feed = feed;
            this.says = says;
        }

        @Override
        public Optional<Batch> next() {
            while (turns < it.batches()) {
                turns++;
                Optional<Batch> batch = feed.next();
                if (batch.isPresent()) {
                    given.add(batch.get());
                    return batch;
                }
            }
            ended = true;
            return Optional.empty();
        }

        @Override
        public void measured(Batch batch, StepResult result) {
            assertThat(batch).as("results come in the order of the batches").isSameAs(given.get(measured));
            assertThat(result.size()).isEqualTo(batch.size());
            assertThat(result.loss()).isFinite();
            measured++;
        }

        @Override
        public Vote vote() {
            assertThat(ended).as("all batches are taken before the vote").isTrue();
            assertThat(measured).as("all results are known before the vote").isEqualTo(given.size());
            votes++;
            return says.vote(agreements.size(), feed.hasNext(), collectives -> gathered++);
        }

        void checkUse(Outcome outcome) {
            assertThat(votes).as("votes of a step").isEqualTo(1);
            assertThat(gathered)
                    .as("findings are gathered once for each agreement")
                    .isEqualTo(outcome.steps() > 0 ? 1 : 0);
        }
    }
}
