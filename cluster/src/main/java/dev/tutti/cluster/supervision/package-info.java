/** Looks after the members of a job: which of them are silent or slow, and whether their counts agree. No threads, network or clock. Not for users. */
package dev.tutti.cluster.supervision;
