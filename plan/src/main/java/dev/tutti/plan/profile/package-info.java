/** Measures a job's real step and the software of messages on this machine. */
package dev.tutti.plan.profile;
