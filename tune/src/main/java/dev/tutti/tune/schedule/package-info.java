/** Decide which trials go on, wait or end, so that places go to those that are worth it. */
package dev.tutti.tune.schedule;
