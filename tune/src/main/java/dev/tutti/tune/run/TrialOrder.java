package dev.tutti.tune.run;

/**
 * What a place is asked to do.
 *
 * @param trial the number of the trial
 * @param name the name of its job
 * @param job the job as YAML, with its output folder
 * @param resume whether to go on from the newest checkpoint
 * @param saveOnly whether to save the model of the newest checkpoint instead of training
 */
record TrialOrder(int trial, String name, String job, boolean resume, boolean saveOnly) {}
