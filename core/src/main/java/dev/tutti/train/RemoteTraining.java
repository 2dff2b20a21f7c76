package dev.tutti.train;

import dev.tutti.nn.Model;
import java.nio.file.Path;
import java.util.function.BiConsumer;

/**
 * A training that runs elsewhere, as the process sees it that asked for it.
 *
 * @param work what the members do
 * @param fit what stays here: callbacks, the checkpoints to go on from, who may interrupt
 * @param model the caller's model, which gets the result
 * @param begun whether the values of the model count, since it has learned something before; otherwise they follow from the seed
 * @param saver saves the caller's model as a folder
 */
public record RemoteTraining(
        WorkerTask work, Fit fit, Model model, boolean begun, BiConsumer<Path, Evaluation> saver) {}
