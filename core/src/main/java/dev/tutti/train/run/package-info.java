/**
 * A run as its folder tells it: a {@link dev.tutti.train.run.RunRecorder} writes how it is doing, and a
 * {@link dev.tutti.train.run.RunObserver} in another process follows it, runs callbacks and asks it to stop, without computing. An
 * observer may end and come back at any time; the run goes on.
 *
 * <pre>{@code
 * RunObserver.of(Path.of("runs/digits")).follow(Duration.ofHours(1), progress());
 * }</pre>
 */
package dev.tutti.train.run;
