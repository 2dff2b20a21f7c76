package dev.tutti.testkit;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.sgd;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.cluster.Cluster;
import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.Strategies;
import dev.tutti.testkit.fault.Breakdown;
import dev.tutti.testkit.fault.BreakingLauncher;
import dev.tutti.testkit.fault.DataFault;
import dev.tutti.train.Fit;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;

/**
 * A small training that members of a cluster do while they are put to the test: a part of MNIST, a model of two layers and
 * SGD, so that under any faults the parameters at the end are those of the undisturbed run but for the order in
 * which floats were added.
 *
 * @param hidden units of the first layer: how much there is to compute
 * @param momentum of SGD; 0: the optimizer has no state
 * @param place where it runs; null: where the environment says
 * @param strategy how members agree
 * @param rows of the training data
 * @param batch rows of a step, over all members
 * @param epochs how often
 * @param validation rows looked at after each epoch; 0: none
 * @param flaw a mistake in the data of one member; may be null
 * @param checkpoints folder for checkpoints; may be null
 * @param breakdown where one member breaks down; may be null
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TrainingScenario(
        int hidden,
        double momentum,
        Launcher place,
        Strategy strategy,
        int rows,
        int batch,
        int epochs,
        int validation,
        DataFault flaw,
        String checkpoints,
        Breakdown breakdown) {
    private static final int FEW = 16;
    private static final int CLASSES = 10;

    /** Two epochs of 60 steps, with all-reduce. */
    public static TrainingScenario on(Launcher place) {
        return new TrainingScenario(FEW, 0, place, Strategies.allReduce(), 60 * 48 - 7, 48, 2, 500, null, null, null);
    }

    /** The same where the environment says: for members that were started by hand. */
    public static TrainingScenario joined() {
        return on((Launcher) null);
    }

    public TrainingScenario on(Strategy choice) {
        return new TrainingScenario(
                hidden, momentum, place, choice, rows, batch, epochs, validation, flaw, checkpoints, breakdown);
    }

    public TrainingScenario at(Launcher other) {
        return new TrainingScenario(
                hidden, momentum, other, strategy, rows, batch, epochs, validation, flaw, checkpoints, breakdown);
    }

    /** So many steps in each of so many epochs. The last batch is not full. */
    public TrainingScenario steps(int perEpoch, int inEpochs) {
        return new TrainingScenario(
                hidden,
                momentum,
                place,
                strategy,
                perEpoch * batch - batch / 3,
                batch,
                inEpochs,
                validation,
                flaw,
                checkpoints,
                breakdown);
    }

    /** So many units in the first layer, to make computing the larger part of a step. */
    public TrainingScenario hidden(int units) {
        return new TrainingScenario(
                units, momentum, place, strategy, rows, batch, epochs, validation, flaw, checkpoints, breakdown);
    }

    /** The optimizer has a state, which can be lost with its holder. */
    public TrainingScenario momentum(double factor) {
        return new TrainingScenario(
                hidden, factor, place, strategy, rows, batch, epochs, validation, flaw, checkpoints, breakdown);
    }

    public TrainingScenario flaw(DataFault mistake) {
        return new TrainingScenario(
                hidden, momentum, place, strategy, rows, batch, epochs, validation, mistake, checkpoints, breakdown);
    }

    public TrainingScenario checkpoints(Path folder) {
        return new TrainingScenario(
                hidden, momentum, place, strategy, rows, batch, epochs, validation, flaw, folder.toString(), breakdown);
    }

    public TrainingScenario breaking(Breakdown point) {
        return new TrainingScenario(
                hidden, momentum, place, strategy, rows, batch, epochs, validation, flaw, checkpoints, point);
    }

    public int stepsPerEpoch() {
        return (rows + batch - 1) / batch;
    }

    Trainer trainer() {
        return Trainer.of(
                        Sequential.of(flatten(), dense(hidden).tanh(), dense(CLASSES)),
                        sgd(0.1 * (1 - momentum)).momentum(momentum),
                        softmaxCrossEntropy())
                .metrics(accuracy())
                .seed(5)
                .cores(1);
    }

    Dataset data() {
        Dataset some = Mnist.train().take(rows);
        return (flaw == null ? some : some.map(flaw)).shuffle(7).batch(batch);
    }

    Fit fit() {
        Launcher where = place == null ? Cluster.fromEnvironment() : place;
        Fit fit = Fit.epochs(epochs).on(where).with(strategy);
        if (breakdown != null && breaksHere()) {
            BreakingLauncher fragile = new BreakingLauncher(where, breakdown, this::broken);
            fragile.reach(Breakdown.START);
            fit = fit.on(fragile).callbacks(fragile); // before the one that writes checkpoints
        }
        if (validation > 0) {
            fit = fit.validate(Mnist.test().take(validation).batch(64));
        }
        return checkpoints == null ? fit : fit.callbacks(Callbacks.checkpoint(Path.of(checkpoints)));
    }

    /** Members of other roles are struck by the driver, which has started them. */
    private boolean breaksHere() {
        return breakdown.isOfAnotherRole() || breakdown.member().equals(System.getProperty(ChildJvm.MEMBER));
    }

    private long broken() {
        return breakdown.isOfAnotherRole()
                ? ChildJvms.all().stream()
                        .filter(jvm -> ChildJvms.name(jvm)
                                .filter(breakdown.member()::equals)
                                .isPresent())
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException("there is no process of " + breakdown.member()))
                        .pid()
                : ProcessHandle.current().pid();
    }

    /** The same by one member, whom nothing happens to: what every other run has to come to. */
    public MemberResult undisturbed() {
        TrainingScenario alone = new TrainingScenario(
                hidden, momentum, Launcher.here(), Strategy.local(), rows, batch, epochs, validation, null, null, null);
        try (Trainer trainer = alone.trainer()) {
            return MemberResult.of(trainer.fit(alone.data(), alone.fit()), trainer.model());
        }
    }
}
