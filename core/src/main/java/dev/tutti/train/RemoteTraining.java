package dev.tutti.train;

import dev.tutti.nn.Model;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A training that runs elsewhere, as the process sees it that asked for it.
 *
 * @param work what the members do
 * @param fit what stays here: callbacks, the checkpoints to go on from, who may interrupt
 * @param model the caller's model, which gets the result
 * @param begun whether the values of the model count, since it has learned something before; otherwise they follow from the seed
 * @param saver saves the caller's model as a folder
 * @param here trains in the caller's process instead, as its only member, by a strategy whose steps ask the place to compute
 */
public record RemoteTraining(
        WorkerTask work,
        Fit fit,
        Model model,
        boolean begun,
        BiConsumer<Path, Evaluation> saver,
        Function<Strategy, History> here) {}
