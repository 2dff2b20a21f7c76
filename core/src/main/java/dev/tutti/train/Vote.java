package dev.tutti.train;

/**
 * What a member says beside its gradients.
 *
 * @param more whether it has more data in this epoch
 * @param stop whether it wants training to end
 */
public record Vote(boolean more, boolean stop) {}
