/**
 * How members of a group speak with each other: who they are, what they compute together, how they meet again after a change.
 *
 * <p>{@link dev.tutti.comm.Team} is what a training loop sees of all this; {@link dev.tutti.comm.Collectives} is what a strategy
 * uses of it. Who supplies the members is no matter of this package.
 *
 * <pre>{@code
 * team.collectives().allReduce("gradients", values); // the same bits on every member
 * }</pre>
 */
package dev.tutti.comm;
