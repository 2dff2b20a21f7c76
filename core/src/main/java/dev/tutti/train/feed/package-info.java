/**
 * Feeds over leased chunks of data: each chunk of an epoch is read by one member, and what it has read counts once all have agreed.
 * {@link dev.tutti.train.feed.RoundFeed} is for strategies that agree now and then, {@link dev.tutti.train.feed.StepFeed} for those
 * that agree at every step. Not for users.
 */
package dev.tutti.train.feed;
