package dev.tutti.serve.model;

import java.nio.file.Path;

/** Brings saved models to where they compute. */
@FunctionalInterface
public interface ModelLoader {
    /**
     * Loads a model.
     *
     * @param folder a saved model
     * @throws dev.tutti.TuttiException if the folder holds no whole model
     */
    LoadedModel load(Path folder);
}
