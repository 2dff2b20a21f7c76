package dev.tutti.estimator;

import dev.tutti.array.NdArray;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.callback.Run;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The usual hooks. */
public final class Hooks {
    private Hooks() {}

    /** Ends training at a step, counted over all calls of train. */
    public static TrainingHook stopAtStep(long last) {
        return new TrainingHook() {
            @Override
            public void begin(Run run) {
                afterRun(run);
            }

            @Override
            public void afterRun(Run run) {
                if (run.step() >= last) {
                    run.stop("step " + last + " is reached");
                }
            }
        };
    }

    /**
     * Says values every so many steps: {@code loss}, {@code learningRate}, {@code step}, or the name of a parameter, of which the
     * root mean square is said.
     */
    public static TrainingHook logTensors(List<String> names, long everySteps, Consumer<String> log) {
        if (everySteps < 1) {
            throw new EstimatorException("logTensors: expected every 1 step or more, received " + everySteps);
        }
        return new TrainingHook() {
            @Override
            public void afterRun(Run run) {
                if (run.step() % everySteps == 0) {
                    log.accept(names.stream()
                            .map(name -> name + " = " + value(run, name))
                            .collect(Collectors.joining(", ")));
                }
            }
        };
    }

    /** Writes summaries for TensorBoard every so many steps. */
    public static TrainingHook summaries(Path folder, long everySteps) {
        return of(Callbacks.tensorBoard(folder).everySteps(everySteps));
    }

    /** Writes checkpoints every so many steps, of which the last ones are kept. */
    public static TrainingHook checkpoints(Path folder, long everySteps, int keep) {
        return of(Callbacks.checkpoint(folder).keep(keep).everySteps(everySteps));
    }

    /** A callback of the trainer as a hook. */
    public static TrainingHook of(Callback callback) {
        return new TrainingHook() {
            @Override
            public Callback callback() {
                return callback;
            }
        };
    }

    private static String value(Run run, String name) {
        return switch (name) {
            case "loss" -> number(run.lastLoss());
            case "learningRate" -> number(run.learningRate());
            case "step" -> Long.toString(run.step());
            default -> number(rootMeanSquare(run.model().arrays(), name));
        };
    }

    private static double rootMeanSquare(Map<String, NdArray> arrays, String name) {
        NdArray array = arrays.get(name);
        if (array == null) {
            throw new EstimatorException("logTensors: there is no parameter '" + name
                    + "': expected loss, learningRate, step or one of " + String.join(", ", arrays.keySet()));
        }
        double sum = 0;
        for (int i = 0; i < array.size(); i++) {
            sum += array.at(i) * array.at(i);
        }
        return Math.sqrt(sum / Math.max(1, array.size()));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.6g", value);
    }
}
