/**
 * Callbacks: what watches a run, reports on it and may end it.
 *
 * <pre>{@code
 * epochs(10).callbacks(progress(), earlyStopping("loss").patience(3), tensorBoard(folder))
 * }</pre>
 */
package dev.tutti.train.callback;
