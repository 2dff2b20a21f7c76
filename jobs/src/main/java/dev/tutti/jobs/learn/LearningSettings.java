package dev.tutti.jobs.learn;

import dev.tutti.TuttiException;

/**
 * How a served model learns.
 *
 * @param roundExamples new examples that begin a round; 256 by default
 * @param heldOutEvery one example of so many is held out; 5 by default
 * @param judgingExamples answers that must have been held out to judge a version, and later to step back from it; 20 by default
 * @param window the newest examples that a round learns from, and is judged by; 20,000 by default
 * @param cores of a round; 1 by default
 * @param distillation the share of the loss that holds answers near to those of the version before; 0 by default
 */
public record LearningSettings(
        int roundExamples, int heldOutEvery, int judgingExamples, int window, int cores, double distillation) {
    public static final LearningSettings DEFAULT = new LearningSettings(256, 5, 20, 20_000, 1, 0);

    /** Without distillation. */
    public LearningSettings(int roundExamples, int heldOutEvery, int judgingExamples, int window, int cores) {
        this(roundExamples, heldOutEvery, judgingExamples, window, cores, 0);
    }

    /** The same with a share of the version before. */
    public LearningSettings distillation(double share) {
        return new LearningSettings(roundExamples, heldOutEvery, judgingExamples, window, cores, share);
    }

    public LearningSettings {
        if (!(distillation >= 0 && distillation < 1)) {
            throw new TuttiException("distillation: expected a share from 0 to less than 1, received " + distillation);
        }
        if (roundExamples < 1 || heldOutEvery < 2 || judgingExamples < 1 || window < 1 || cores < 1) {
            throw new TuttiException(
                    "expected 1 or more examples of a round, of judging and of the window, 2 or more of which"
                            + " one is held out, and 1 core or more");
        }
    }
}
