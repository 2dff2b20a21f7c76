package dev.tutti.jobs.learn;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * How far the learning of a model has come; one file, replaced whole.
 *
 * @param learned examples that a round was begun with
 * @param job the round under way, or null
 * @param base the version that the round under way, or the last published version, learned on from; 0 for none
 * @param published the newest version that was published by learning; 0 for none
 * @param judged answers that were held out when that version was published: later ones judge it
 * @param rounds that were finished
 * @param message what happened last
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LearningState(
        long learned, String job, long base, long published, long judged, int rounds, String message) {
    static final LearningState NEW = new LearningState(0, null, 0, 0, 0, 0, "no round yet");

    LearningState begun(long examples, String id, long from) {
        return new LearningState(
                examples, id, from, 0, judged, rounds, "a round learns from " + examples + " examples");
    }

    LearningState kept(String why) {
        return new LearningState(learned, null, 0, 0, judged, rounds + 1, why);
    }

    LearningState published(long version, long heldOut, String why) {
        return new LearningState(learned, null, base, version, heldOut, rounds + 1, why);
    }

    /** The published version was judged by later answers, well or badly. */
    LearningState settled(String why) {
        return new LearningState(learned, job, 0, 0, judged, rounds, why);
    }
}
